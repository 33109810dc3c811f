import { tooLarge, unavailable } from '../../wire/faults.ts';

/** One thing of an event stream: an event's data, or a sign of life. */
export type StreamItem = { data: string } | { comment: true };

export interface StreamCaps {
  /** Largest event, and largest single line, in bytes. */
  maxFrameBytes: number;
  /** Largest whole stream in bytes. */
  maxTotalBytes: number;
}

const LF = 10;
const CR = 13;

/**
 * Reads `text/event-stream` in linear time: LF, CR or CRLF, strict UTF-8, both caps kept. An event that the stream ends
 * in the middle of is dropped, as the specification says. Throws Fault. Spec: HTML, "Server-sent events".
 */
export async function* readEventStream(
  bytes: AsyncIterable<Uint8Array>,
  caps: StreamCaps,
): AsyncGenerator<StreamItem> {
  const event = new EventBuilder(caps.maxFrameBytes);
  // Line ends are ASCII, so that no line is cut inside a character.
  const decoder = new LineDecoder(caps.maxFrameBytes);
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > caps.maxTotalBytes) throw tooLarge('a stream', caps.maxTotalBytes);
    for (const line of decoder.lines(chunk)) {
      const item = event.take(line);
      if (item !== undefined) yield item;
    }
  }
}

class EventBuilder {
  #lines: string[] = [];
  #size = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  take(line: string): StreamItem | undefined {
    if (line === '') return this.#dispatch();
    if (line.startsWith(':')) return { comment: true };
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== 'data') return undefined;
    const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : line.slice(start);
    this.#size += value.length;
    if (this.#size > this.#maxBytes) throw tooLarge('an event', this.#maxBytes);
    this.#lines.push(value);
    return undefined;
  }

  #dispatch(): StreamItem | undefined {
    const lines = this.#lines;
    this.#lines = [];
    this.#size = 0;
    return lines.length === 0 ? undefined : { data: lines.join('\n') };
  }
}

/** Lines without their ends. */
class LineDecoder {
  /** Pieces of the line that is still open. */
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #skipLf = false;
  #isFirst = true;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *lines(chunk: Uint8Array): Generator<string> {
    let from = this.#skipLf && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.#skipLf = false;
    let lf = chunk.indexOf(LF, from);
    let cr = chunk.indexOf(CR, from);
    while (lf >= 0 || cr >= 0) {
      const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf;
      yield this.#close(chunk.subarray(from, end));
      from = end === cr && chunk[cr + 1] === LF ? end + 2 : end + 1;
      this.#skipLf = end === cr && end === chunk.length - 1;
      // Each search starts where the last one ended, so that the chunk is read once per kind of line end.
      if (lf >= 0 && lf < from) lf = chunk.indexOf(LF, from);
      if (cr >= 0 && cr < from) cr = chunk.indexOf(CR, from);
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#openBytes += piece.length;
    if (this.#openBytes > this.#maxBytes) throw tooLarge('a line', this.#maxBytes);
    this.#open.push(piece);
  }

  #close(last: Uint8Array): string {
    this.#keep(last);
    const line = this.#open.length === 1 ? (this.#open[0] ?? last) : Buffer.concat(this.#open);
    this.#open = [];
    this.#openBytes = 0;
    const text = decode(line);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    throw unavailable('utf8', 'The agent sent text that is not UTF-8.');
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
  return decode(Buffer.concat(chunks));
}
