import type { JsonMend, JsonValue, MendedJson } from '#protocol/json.ts';
import { AT_ONCE_BYTES, SLICE_SIZE, type Sliced, SlicedWork } from './large-json.ts';
import { isExactNumber } from './number.ts';
import {
  type JsonLimits,
  MAX_JSON_DEPTH,
  parseStrict,
  parseStrictInSlices,
  parseStrictText,
  parseTextInSlices,
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

/** Reads JSON of clients for every surface, large texts in slices. */
export class JsonReader {
  readonly #work: SlicedWork;

  constructor(work = new SlicedWork()) {
    this.#work = work;
  }

  /**
   * The value at once for a short text, else a promise of it. Throws, or rejects with, what `parseStrict` throws; rejects with
   * `client_closed_request` when the signal is aborted before the end.
   */
  read(bytes: Uint8Array, limits: JsonLimits, signal?: AbortSignal): JsonValue | Promise<JsonValue> {
    if (bytes.length <= AT_ONCE_BYTES) return parseStrict(bytes, limits);
    return this.#work.run(parseStrictInSlices(bytes, limits, SLICE_SIZE), signal);
  }

  /** The same for a message of a peer whose half characters are forgiven; see `parsePeerText`. */
  readPeerText(text: string, maxDepth: number = MAX_JSON_DEPTH): JsonValue | Promise<JsonValue> {
    if (text.length <= AT_ONCE_BYTES) return parsePeerText(text, maxDepth);
    return this.#work.run(parsePeerTextInSlices(text, maxDepth, SLICE_SIZE));
  }
}
