import { createParser } from 'eventsource-parser';
import { tooLarge, unavailable } from './faults.ts';

/** One thing of an event stream: an event's data, or a sign of life. */
export type StreamItem = { data: string } | { comment: true };

export interface StreamCaps {
  /** Largest event, and largest single line, in characters: no more than its bytes. */
  maxFrameBytes: number;
  /** Largest whole stream in bytes. */
  maxTotalBytes: number;
}

/**
 * Reads `text/event-stream` in linear time, with strict UTF-8 and both caps kept. An event that the stream ends in the middle of is
 * dropped, as the specification says. Throws Fault. Spec: HTML, "Server-sent events".
 */
export async function* readEventStream(
  bytes: AsyncIterable<Uint8Array>,
  { maxFrameBytes, maxTotalBytes }: StreamCaps,
): AsyncGenerator<StreamItem> {
  const items: StreamItem[] = [];
  let isOverlong = false;
  const parser = createParser({
    maxBufferSize: maxFrameBytes,
    onEvent: ({ data }) => {
      // The parser counts what it has to keep, and keeps nothing of an event that comes in one piece.
      isOverlong ||= data.length > maxFrameBytes;
      if (!isOverlong) items.push({ data });
    },
    onComment: () => void items.push({ comment: true }),
    // Fields that nobody knows are passed over.
    onError: ({ type }) => {
      isOverlong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const text = new StreamText();
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > maxTotalBytes) throw tooLarge('a stream', maxTotalBytes);
    parser.feed(text.of(chunk));
    for (const item of items.splice(0)) yield item;
    if (isOverlong) throw tooLarge('an event', maxFrameBytes);
  }
}

/**
 * The text of a stream with one kind of line end: the parser (3.1) waits with an event for what follows a CR, and takes quadratic
 * time for a chunk of lines that end in CR alone.
 */
class StreamText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #endsInCr = false;

  of(chunk: Uint8Array): string {
    const text = decoded(() => this.#decoder.decode(chunk, { stream: true }));
    if (text === '') return text;
    const rest = this.#endsInCr && text.startsWith('\n') ? text.slice(1) : text;
    this.#endsInCr = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/** Reads a whole body as strict UTF-8. Throws Fault above `maxBytes`. */
export async function readText(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge('an answer', maxBytes);
    chunks.push(chunk);
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return decoded(() => decoder.decode(Buffer.concat(chunks)));
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw unavailable('utf8', 'The agent sent text that is not UTF-8.');
  }
}
