import { MAX_JSON_DEPTH, parseStrict } from '../json/strict-parse.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Steps } from './paced.ts';

/** Values of at most this size are parsed at once; larger ones are gone through member by member. */
export const WHOLE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

const LIST_START = Buffer.from('[');
const LIST_END = Buffer.from(']');

/** What a byte outside of texts does, by its code: one look per byte, because there are many. */
const [OPENS, CLOSES, SPACES, QUOTES] = [1, 2, 3, 4];
const ROLE = new Uint8Array(256);
for (const [role, signs] of [
  [OPENS, '[{'],
  [CLOSES, ']}'],
  [SPACES, ' \t\r\n'],
  [QUOTES, '"'],
] as const)
  for (const sign of signs) ROLE[sign.charCodeAt(0)] = role ?? 0;

/** Most members of an object that is too large to be parsed at once: their places are held. */
const MAX_MEMBERS = 100_000;

/** Where a value stands in the bytes: start inclusive, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Places of items are kept for lists whose items are longer than this on average: they take a quarter of their bytes at most. */
const KEPT_ITEM_BYTES = 64;

/**
 * JSON of any size, read from its bytes without making all of it objects: members and items are found by their places and
 * parsed one by one, each as strictly as a request until all of it was read once. Throws ProtocolError `invalid_request` for what is no JSON.
 */
export class BundleFile {
  readonly bytes: Buffer;
  #root: Span | undefined;
  readonly #members = new Map<number, Map<string, Span>>();
  /** Starts and ends of the items of long lists, by the place of the list. */
  readonly #items = new Map<number, readonly number[]>();
  /** Ends of large objects and lists, by their starts. */
  readonly #ends = new Map<number, number>();
  /** All of it was parsed strictly. */
  #isStrict = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The whole document. */
  get root(): Span {
    this.#root ??= this.#whole();
    return this.#root;
  }

  #whole(): Span {
    const start = this.#skipSpace(0);
    const end = this.#endOf(start);
    const rest = this.#skipSpace(end);
    if (rest < this.bytes.length) throw notJson(rest);
    return { start, end };
  }

  /** Finds where large parts end, in one pass: without it each of them is gone through again for every level above it. */
  *measure(): Steps<void> {
    const { bytes } = this;
    const open: number[] = [];
    let told = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const role = ROLE[bytes[at] ?? 0];
      if (role === QUOTES) at = this.#endOfText(at) - 1;
      else if (role === OPENS && open.push(at) > MAX_JSON_DEPTH) throw tooDeep(at);
      else if (role === CLOSES) {
        const start = open.pop() ?? at;
        if (at - start > WHOLE_BYTES) this.#ends.set(start, at + 1);
        if (at - told < WHOLE_BYTES) continue;
        yield at - told;
        told = at;
      }
    }
  }

  /** The value under these names; undefined where there is none, or something else on the way. */
  find(...names: readonly string[]): Span | undefined {
    let span: Span | undefined = this.root;
    for (const name of names) span = span && this.isObject(span) ? this.members(span).get(name) : undefined;
    return span;
  }

  isObject({ start }: Span): boolean {
    return this.bytes[start] === BRACE;
  }

  isList({ start }: Span): boolean {
    return this.bytes[start] === BRACKET;
  }

  parse({ start, end }: Span): JsonValue {
    return this.#parsed(this.bytes.subarray(start, end));
  }

  /** Items of a list, from the start of the first to the end of the last. */
  parseItems({ start, end }: Span): JsonValue[] {
    return this.#parsed(
      Buffer.concat([LIST_START, this.bytes.subarray(start, end), LIST_END]),
    ) as JsonValue[];
  }

  #parsed(bytes: Buffer): JsonValue {
    if (this.#isStrict) return JSON.parse(bytes.toString('utf8')) as JsonValue;
    return parseStrict(bytes, { maxBytes: bytes.length });
  }

  /** The JSON text of a value, in which only the ASCII characters are what they were. */
  ascii({ start, end }: Span): string {
    return this.bytes.toString('latin1', start, end);
  }

  /** From now on it is known that all of it is good JSON. */
  wasRead(): void {
    this.#isStrict = true;
  }

  /** The members of an object, with their places. */
  members(span: Span): ReadonlyMap<string, Span> {
    const known = this.#members.get(span.start);
    if (known) return known;
    const found = new Map<string, Span>();
    for (const { name, value } of this.#entriesOf(span)) {
      if (found.has(name)) throw new ProtocolError('invalid_request', 'The JSON has a name twice.');
      if (found.size === MAX_MEMBERS) throw tooMany(span.start);
      found.set(name, value);
    }
    this.#members.set(span.start, found);
    return found;
  }

  /** The items of a list, one after the other; none for anything else. */
  *items(span: Span | undefined): Generator<Span> {
    if (span === undefined || !this.isList(span)) return;
    const known = this.#items.get(span.start);
    if (known) yield* spans(known);
    else yield* this.#itemsOf(span);
  }

  *#itemsOf(span: Span): Generator<Span> {
    let places: number[] | undefined = span.end - span.start > WHOLE_BYTES ? [] : undefined;
    let at = this.#skipSpace(span.start + 1);
    if (this.#role(at) === CLOSES) return;
    for (;;) {
      const end = this.#endOf(at);
      yield { start: at, end };
      if (places && (places.length / 2) * KEPT_ITEM_BYTES > end - span.start) places = undefined;
      places?.push(at, end);
      at = this.#skipSpace(end);
      if (this.bytes[at] !== COMMA) break;
      at = this.#skipSpace(at + 1);
    }
    this.#expectEnd(span, at, CLOSE_BRACKET);
    if (places) this.#items.set(span.start, places);
  }

  /** The document with its long lists empty, for checks of everything but their items. */
  skeleton(span: Span = this.root): JsonValue {
    if (span.end - span.start <= WHOLE_BYTES) return this.parse(span);
    if (this.isList(span)) return this.#shortList(span);
    if (!this.isObject(span)) return this.parse(span);
    const members = [...this.members(span)].map(([name, value]) => [name, this.skeleton(value)] as const);
    return Object.fromEntries(members) as JsonObject;
  }

  /** A long list of few large items keeps them. */
  #shortList(span: Span): JsonValue[] {
    const kept: JsonValue[] = [];
    for (const item of this.items(span)) {
      if (item.end - item.start <= WHOLE_BYTES) return [];
      kept.push(this.skeleton(item));
    }
    return kept;
  }

  *#entriesOf(span: Span): Generator<{ name: string; value: Span }> {
    let at = this.#skipSpace(span.start + 1);
    if (this.#role(at) === CLOSES) return;
    for (;;) {
      const nameEnd = this.#endOf(at);
      const name = this.parse({ start: at, end: nameEnd });
      if (typeof name !== 'string') throw notJson(at);
      at = this.#skipSpace(nameEnd);
      if (this.bytes[at] !== COLON) throw notJson(at);
      const start = this.#skipSpace(at + 1);
      const end = this.#endOf(start);
      yield { name, value: { start, end } };
      at = this.#skipSpace(end);
      if (this.bytes[at] !== COMMA) break;
      at = this.#skipSpace(at + 1);
    }
    this.#expectEnd(span, at, CLOSE_BRACE);
  }

  #expectEnd({ end }: Span, at: number, sign: number): void {
    if (at !== end - 1 || this.bytes[at] !== sign) throw notJson(at);
  }

  #role(at: number): number {
    return ROLE[this.bytes[at] ?? 0] ?? 0;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (this.#role(at) === SPACES) at += 1;
    return at;
  }

  /** The place behind the value that begins here. What stands inside of it is judged when it is parsed. */
  #endOf(start: number): number {
    const first = this.bytes[start];
    if (first === undefined) throw notJson(start);
    if (first === QUOTE) return this.#endOfText(start);
    return this.#role(start) === OPENS ? this.#endOfTree(start) : this.#endOfWord(start);
  }

  #endOfTree(start: number): number {
    const known = this.#ends.get(start);
    if (known !== undefined) return known;
    const { bytes } = this;
    let depth = 0;
    for (let at = start; at < bytes.length; at += 1) {
      const role = ROLE[bytes[at] ?? 0];
      if (role === QUOTES) at = this.#endOfText(at) - 1;
      else if (role === OPENS) depth += 1;
      else if (role === CLOSES) depth -= 1;
      else continue;
      if (depth > MAX_JSON_DEPTH) throw tooDeep(at);
      if (depth === 0) return at + 1;
    }
    throw notJson(bytes.length);
  }

  #endOfText(start: number): number {
    const { bytes } = this;
    for (let at = start + 1; at < bytes.length; at += 1) {
      const sign = bytes[at];
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) return at + 1;
    }
    throw notJson(bytes.length);
  }

  #endOfWord(start: number): number {
    let at = start;
    for (let sign = this.bytes[at]; sign !== undefined && !ends(sign); sign = this.bytes[at]) at += 1;
    if (at === start) throw notJson(start);
    return at;
  }
}

function* spans(places: readonly number[]): Generator<Span> {
  for (let at = 0; at < places.length; at += 2) yield { start: places[at] ?? 0, end: places[at + 1] ?? 0 };
}

function ends(sign: number): boolean {
  return sign === COMMA || ROLE[sign] === CLOSES || ROLE[sign] === SPACES;
}

function notJson(offset: number): ProtocolError {
  const message = `The text is no JSON, or was cut: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}

function tooMany(offset: number): ProtocolError {
  const message = `An object of the JSON has more than ${MAX_MEMBERS} members: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}

function tooDeep(offset: number): ProtocolError {
  const message = `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}
