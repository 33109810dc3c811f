import type { StreamFrame } from '../../gateway.ts';
import type { RequestFrame } from '../../protocol/ws-frames.ts';
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

/**
 * Wire texts, each built once for all sockets that follow the same stream. Live delivery hands one event to all of them
 * in a row, so remembering the newest text is enough.
 */
export class EventTexts {
  #frame: StreamFrame | undefined;
  #name = '';
  #replayed = false;
  #text: EventText | undefined;

  of(frame: StreamFrame, name: string, replayed: boolean): EventText {
    const isSame = this.#frame === frame && this.#name === name && this.#replayed === replayed;
    if (isSame && this.#text !== undefined) return this.#text;
    this.#frame = frame;
    this.#name = name;
    this.#replayed = replayed;
    this.#text = eventText(frame, name, replayed);
    return this.#text;
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
