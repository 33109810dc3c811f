import { ProtocolError } from '#protocol/errors.ts';
import type { JsonMend, JsonValue, MendedJson } from '#protocol/json.ts';
import { isExactNumber } from './number.ts';
import {
  type JsonLimits,
  MAX_JSON_DEPTH,
  parseStrict,
  parseStrictInSlices,
  parseStrictText,
  parseTextInSlices,
  type Sliced,
  scanJson,
} from './strict-parse.ts';

/** A backslash and what it escapes: both halves of a pair, one half alone, or anything else. */
const ESCAPES =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gs;
const HALF = '\\uD800'.length;
/** What begins or ends a string, what stands escaped in one, and numbers. */
const TOKENS = /\\.|"|-?[0-9][-+.0-9eE]*/gs;

/**
 * Reads a message of a peer as strictly as every other one, except that half of a surrogate pair becomes U+FFFD: peers cut
 * texts between the halves, in the middle of a word to show or of a file, and a message for that alone is not lost. Throws
 * what `parseStrictText` throws.
 */
export function parsePeerText(text: string, maxDepth: number = MAX_JSON_DEPTH): JsonValue {
  try {
    return parseStrictText(text, maxDepth);
  } catch (error) {
    const whole = wholeCharacters(text);
    if (whole === text) throw error;
    return parseStrictText(whole, maxDepth);
  }
}

/** The same, `sliceChars` of the text at a time. */
function* parsePeerTextInSlices(text: string, maxDepth: number, sliceChars: number): Sliced<JsonValue> {
  try {
    return yield* parseTextInSlices(text, maxDepth, sliceChars);
  } catch (error) {
    const whole = wholeCharacters(text);
    if (whole === text) throw error;
    return yield* parseTextInSlices(whole, maxDepth, sliceChars);
  }
}

type Mend = (text: string) => string;

/** In this order: a name that comes twice is found where nothing else is in the way. */
const MENDS: readonly (readonly [JsonMend, Mend])[] = [
  ['half_characters', wholeCharacters],
  ['numbers', numbersAsText],
  ['members', lastOfEachName],
];

/**
 * Reads what cannot be refused, because nobody waits for an answer to it, and says what was mended: half characters become
 * U+FFFD, numbers that cannot be kept exactly become their text, of members with one name the last one stays, and a member
 * `__proto__` goes. What comes out is JSON that the log keeps as it is. Throws what `parseStrictText` throws for what is no
 * JSON, and for what is nested too deeply.
 */
export function parseMended(text: string, maxDepth: number = MAX_JSON_DEPTH): MendedJson {
  const mended: JsonMend[] = [];
  let current = text;
  for (const [name, mend] of isJson(text) ? MENDS : []) {
    const next = mend(current);
    if (next !== current) mended.push(name);
    current = next;
  }
  return { value: parseStrictText(current, maxDepth), mended };
}

function wholeCharacters(text: string): string {
  return text.replace(ESCAPES, (found) => (found.length === HALF ? '\\ufffd' : found));
}

function numbersAsText(text: string): string {
  let isInString = false;
  return text.replace(TOKENS, (token) => {
    if (token === '"') isInString = !isInString;
    else if (!isInString && !isExactNumber(token)) return `"${token}"`;
    return token;
  });
}

/** The last one, as JSON.parse has it. */
function lastOfEachName(text: string): string {
  const fault = scanJson(text, MAX_JSON_DEPTH)?.kind;
  if (fault !== 'duplicate_name' && fault !== 'forbidden_name') return text;
  try {
    return JSON.stringify(JSON.parse(text), (name, value) => (name === '__proto__' ? undefined : value));
  } catch {
    // Nested more deeply than the stack goes: refused for its depth as it is.
    return text;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Shorter texts are read where they come: that takes less than a few turns of the event loop would. */
export const AT_ONCE_BYTES = 64 * 1024;
/** Text of one slice: a few thousand members, which take some milliseconds. */
const SLICE_CHARS = 32 * 1024;

interface Reading {
  work: Sliced<JsonValue>;
  signal: AbortSignal | undefined;
  resolve(value: JsonValue): void;
  reject(error: unknown): void;
}

/**
 * Reads JSON of clients for every surface. Large texts are read in slices: in one turn of the event loop one slice of one text, and
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
