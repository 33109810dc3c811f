import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { parsePeerText, parsePeerTextInSlices } from './peer-text.ts';
import {
  type JsonLimits,
  MAX_JSON_DEPTH,
  parseStrict,
  parseStrictInSlices,
  type Sliced,
} from './strict-parse.ts';

/** Shorter texts are read where they come: that takes less than a few turns of the event loop would. */
export const AT_ONCE_BYTES = 64 * 1024;
/** Text of one slice: a few thousand members, which take some milliseconds. */
export const SLICE_CHARS = 32 * 1024;

interface Reading {
  work: Sliced<JsonValue>;
  signal: AbortSignal | undefined;
  resolve(value: JsonValue): void;
  reject(error: unknown): void;
}

/**
 * Reads JSON of clients for every face. Large texts are read in slices: in one turn of the event loop one slice of one text, and
 * the texts take turns, so that many large ones hold up neither each other nor anything else.
 */
export class JsonReader {
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting: Reading[] = [];

  /** `nextTurn` runs something in the next turn of the event loop. */
  constructor(nextTurn: (run: () => void) => void = (run) => setImmediate(run)) {
    this.#nextTurn = nextTurn;
  }

  /**
   * The value at once for a short text, else a promise of it. Throws, or rejects with, what `parseStrict` throws; rejects with
   * `client_closed_request` when the signal is aborted before the end.
   */
  read(bytes: Uint8Array, limits: JsonLimits, signal?: AbortSignal): JsonValue | Promise<JsonValue> {
    if (bytes.length <= AT_ONCE_BYTES) return parseStrict(bytes, limits);
    return this.#inTurns(parseStrictInSlices(bytes, limits, SLICE_CHARS), signal);
  }

  /** The same for a message of a peer whose half characters are forgiven; see `parsePeerText`. */
  readPeerText(text: string, maxDepth: number = MAX_JSON_DEPTH): JsonValue | Promise<JsonValue> {
    if (text.length <= AT_ONCE_BYTES) return parsePeerText(text, maxDepth);
    return this.#inTurns(parsePeerTextInSlices(text, maxDepth, SLICE_CHARS), undefined);
  }

  #inTurns(work: Sliced<JsonValue>, signal: AbortSignal | undefined): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, signal, resolve, reject });
      if (this.#waiting.length === 1) this.#nextTurn(() => this.#turn());
    });
  }

  /** The first one stands in the list while its slice is read, so that nobody else asks for a turn. */
  #turn(): void {
    const [reading] = this.#waiting;
    if (reading === undefined) return;
    const isOver = readSlice(reading);
    this.#waiting.shift();
    if (!isOver) this.#waiting.push(reading);
    if (this.#waiting.length > 0) this.#nextTurn(() => this.#turn());
  }
}

/** True when nothing more is to be read of it. */
function readSlice({ work, signal, resolve, reject }: Reading): boolean {
  if (signal?.aborted) {
    reject(new ProtocolError('client_closed_request', 'The client left before its request was read.'));
    return true;
  }
  try {
    const { done, value } = work.next();
    if (done) resolve(value);
    return done === true;
  } catch (error) {
    reject(error);
    return true;
  }
}
