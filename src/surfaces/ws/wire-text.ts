import type { StreamFrame } from '#gateway.ts';
import type { RequestFrame } from './frames.ts';
import { questionOf } from './questions.ts';

const TEXT_FINAL = 0x81;

/**
 * A finished, unmasked WebSocket text frame (RFC 6455, 5.2). Made here and not by `ws`, so that one Buffer serves every
 * socket and costs each of them one write.
 */
export function textFrame(...parts: readonly (Buffer | string)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const length = bytes.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([head(length), ...bytes]);
}

function head(length: number): Buffer {
  if (length < 126) return Buffer.from([TEXT_FINAL, length]);
  if (length < 65_536) return Buffer.from([TEXT_FINAL, 126, length >> 8, length & 0xff]);
  const long = Buffer.alloc(10);
  long[0] = TEXT_FINAL;
  long[1] = 127;
  long.writeBigUInt64BE(BigInt(length), 2);
  return long;
}

/** The wire text of one event for one subscription name. */
export interface EventText {
  event: Buffer;
  /** The request frame, when the event asks the client for something. */
  request: Buffer | undefined;
}

/** A text and what it was built for. */
interface KnownText {
  name: string;
  replayed: boolean;
  text: EventText;
}

/**
 * Wire texts, each built once for all sockets that follow the same stream. Live delivery goes through the subscribers of
 * one stream before those of the next, so remembering the newest text of an event is enough.
 */
export class EventTexts {
  readonly #known = new WeakMap<StreamFrame, KnownText>();

  of(frame: StreamFrame, name: string, replayed: boolean): EventText {
    const known = this.#known.get(frame);
    if (known !== undefined && known.name === name && known.replayed === replayed) return known.text;
    const text = eventText(frame, name, replayed);
    this.#known.set(frame, { name, replayed, text });
    return text;
  }
}

function eventText(frame: StreamFrame, name: string, replayed: boolean): EventText {
  const subscription = JSON.stringify(name);
  const start = `{"type":"event","subscription":${subscription},"replayed":${replayed},"event":`;
  const question = questionOf(frame);
  return {
    event: textFrame(start, frame.bytes, '}'),
    request: question === undefined ? undefined : requestText(question, name, replayed),
  };
}

export function requestText(request: RequestFrame['request'], name: string, replayed: boolean): Buffer {
  const frame: RequestFrame = { type: 'request', subscription: name, replayed, request };
  return textFrame(JSON.stringify(frame));
}
