import { MAX_JSON_DEPTH, parseStrict } from '../json/strict-parse.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { atIndex, atMember } from './json-path.ts';

/** Values of at most this size are parsed at once; larger ones are gone through member by member. */
export const WHOLE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** What a byte outside of texts does, by its code: one look per byte, because there are many. */
const [OPENS, CLOSES, SPACES] = [1, 2, 3];
const ROLE = new Uint8Array(256);
for (const [role, signs] of [
  [OPENS, '[{'],
  [CLOSES, ']}'],
  [SPACES, ' \t\r\n'],
] as const)
  for (const sign of signs) ROLE[sign.charCodeAt(0)] = role ?? 0;

/** Where a value stands in the bytes: start inclusive, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A piece small enough to be parsed, and its path. */
export interface Piece {
  path: string;
  value: JsonValue;
}

/**
 * JSON of any size, read from its bytes without making all of it objects: members and items are found by their places and
 * parsed one by one, each as strictly as a request. Throws ProtocolError `invalid_request` for what is no JSON.
 */
export class BundleFile {
  readonly bytes: Buffer;
  #root: Span | undefined;
  readonly #members = new Map<number, Map<string, Span>>();

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
    return parseStrict(this.bytes.subarray(start, end), { maxBytes: end - start });
  }

  /** The members of an object, with their places. */
  members(span: Span): ReadonlyMap<string, Span> {
    const known = this.#members.get(span.start);
    if (known) return known;
    const found = new Map<string, Span>();
    for (const { name, value } of this.#entriesOf(span)) {
      if (found.has(name)) throw new ProtocolError('invalid_request', `The name ${name} is there twice.`);
      found.set(name, value);
    }
    this.#members.set(span.start, found);
    return found;
  }

  /** The items of a list, one after the other; none for anything else. */
  *items(span: Span | undefined): Generator<Span> {
    if (span === undefined || !this.isList(span)) return;
    let at = this.#skipSpace(span.start + 1);
    if (this.#role(at) === CLOSES) return;
    for (;;) {
      const end = this.#endOf(at);
      yield { start: at, end };
      at = this.#skipSpace(end);
      if (this.bytes[at] !== COMMA) break;
      at = this.#skipSpace(at + 1);
    }
    if (at !== span.end - 1) throw notJson(at);
  }

  /** Every part of the document as pieces that fit into memory; the names of larger objects are pieces too. */
  *pieces(span: Span = this.root, path = '$'): Generator<Piece> {
    if (span.end - span.start <= WHOLE_BYTES) {
      yield { path, value: this.parse(span) };
    } else if (this.isObject(span)) {
      for (const [name, value] of this.members(span)) {
        yield { path, value: name };
        yield* this.pieces(value, atMember(path, name));
      }
    } else if (this.isList(span)) {
      let index = 0;
      for (const item of this.items(span)) {
        yield* this.pieces(item, atIndex(path, index));
        index += 1;
      }
    } else yield { path, value: this.parse(span) };
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
    if (at !== span.end - 1) throw notJson(at);
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
    let depth = 0;
    for (let at = start; at < this.bytes.length; at += 1) {
      const sign = this.bytes[at] ?? 0;
      const role = ROLE[sign];
      if (sign === QUOTE) at = this.#endOfText(at) - 1;
      else if (role === OPENS) depth += 1;
      else if (role === CLOSES) depth -= 1;
      if (depth > MAX_JSON_DEPTH) throw tooDeep(at);
      if (depth === 0) return at + 1;
    }
    throw notJson(this.bytes.length);
  }

  #endOfText(start: number): number {
    for (let at = start + 1; at < this.bytes.length; at += 1) {
      const sign = this.bytes[at];
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) return at + 1;
    }
    throw notJson(this.bytes.length);
  }

  #endOfWord(start: number): number {
    let at = start;
    for (let sign = this.bytes[at]; sign !== undefined && !ends(sign); sign = this.bytes[at]) at += 1;
    if (at === start) throw notJson(start);
    return at;
  }
}

function ends(sign: number): boolean {
  return sign === COMMA || ROLE[sign] === CLOSES || ROLE[sign] === SPACES;
}

function notJson(offset: number): ProtocolError {
  const message = `The text is no JSON, or was cut: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}

function tooDeep(offset: number): ProtocolError {
  const message = `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}
