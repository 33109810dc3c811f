import { parseStrict } from '#json/strict-parse.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { ByteWindow } from './byte-window.ts';
import {
  BACKSLASH,
  BRACKET,
  CLOSES,
  COMMAS,
  type Group,
  type LargePart,
  notJson,
  OPENS,
  OTHER,
  PART_SIZES,
  type PartSizes,
  QUOTE,
  QUOTES,
  ROLE,
  SPACES,
  type Span,
  StructureScan,
  tooMuch,
} from './json-structure.ts';
import { atOnce, type Steps } from './paced.ts';

export type { Group, Span } from './json-structure.ts';

const BRACE = 0x7b;
const LIST_START = Buffer.from('[');
const LIST_END = Buffer.from(']');

/** Most members of an object that is too large to be parsed at once, and most bytes of their names: they are held. */
const MAX_MEMBERS = 100_000;
const MAX_NAME_BYTES = 16 * 1024 * 1024;

/** Most values in one part that is parsed at once: each takes many times its bytes. */
const MAX_VALUES = 1_000_000;

/** Most bytes of what stands outside of long lists: they are held together. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** Stands for a text that is not held. */
const CUT = '...';

/** One item of a list. */
export interface Item {
  index: number;
  value: JsonValue;
  /** About how many bytes it was. */
  bytes: number;
  /** Where it stands, of a skeleton. */
  span?: Span;
}

interface Listing {
  /** Index of the first item that is wanted. Default 0. */
  from?: number;
  /** Large items come as their skeletons. */
  isBrief?: boolean;
  /** Of an item; a larger one is refused. Default: any. */
  maxBytes?: number;
}

/**
 * JSON of any size, read from its source in parts: what it takes in memory is the places of its large parts, and the one value
 * or the few items that are looked at. Each is parsed as strictly as a request until all of it was read once. Throws
 * ProtocolError `invalid_request` for what is no JSON, and for parts with more values than can be held.
 */
export class BundleFile {
  readonly #source: ByteSource;
  readonly #sizes: PartSizes;
  readonly #window: ByteWindow;
  readonly #found = new Map<string, Span | undefined>();
  #root: Span | undefined;
  #large: ReadonlyMap<number, LargePart> = new Map();
  #places: ValuePlaces;
  /** All of it was parsed strictly. */
  #isStrict = false;

  constructor(source: ByteSource, sizes: PartSizes = PART_SIZES) {
    this.#source = source;
    this.#sizes = sizes;
    this.#window = new ByteWindow(source, sizes.window);
    this.#places = new ValuePlaces(this.#window, this.#large);
  }

  /** The whole document. */
  get root(): Span {
    this.#root ??= atOnce(this.#measured());
    return this.#root;
  }

  /** Finds the large parts; what is asked before is answered after that, and nobody gets a turn meanwhile. */
  *measure(): Steps<void> {
    this.#root ??= yield* this.#measured();
  }

  *#measured(): Steps<Span> {
    const { size } = this.#source;
    const scan = new StructureScan(this.#sizes);
    let at = 0;
    for (const block of this.blocks({ start: 0, end: size })) {
      scan.take(block, at);
      at += block.length;
      yield block.length;
    }
    this.#large = scan.large;
    this.#places = new ValuePlaces(this.#window, scan.large);
    return scan.finish(size);
  }

  /** The value under these names; undefined where there is none, or something else on the way. Without a name: the document. */
  find(...names: readonly string[]): Span | undefined {
    const path = names.join('.');
    const last = names.at(-1);
    if (last === undefined) return this.root;
    if (this.#found.has(path)) return this.#found.get(path);
    const owner = this.find(...names.slice(0, -1));
    const found = owner && this.isObject(owner) ? this.members(owner).get(last) : undefined;
    this.#found.set(path, found);
    return found;
  }

  /** Whether it is parsed at once. */
  isSmall({ start, end }: Span): boolean {
    return end - start <= this.#sizes.whole;
  }

  isObject({ start }: Span): boolean {
    return this.#window.at(start) === BRACE;
  }

  isList({ start }: Span): boolean {
    return this.#window.at(start) === BRACKET;
  }

  parse(span: Span): JsonValue {
    return this.read(span).value;
  }

  /** A value and its bytes. */
  read({ start, end }: Span): { value: JsonValue; bytes: Buffer } {
    if ((this.#large.get(start)?.values ?? 0) > MAX_VALUES) throw tooMuch(start, `${MAX_VALUES} values`);
    const bytes = this.#window.read(start, end);
    return { value: this.#parsed(bytes), bytes };
  }

  /** The same for items of a list. */
  readItems({ span: { start, end } }: Group): { value: JsonValue[]; bytes: Buffer } {
    const bytes = Buffer.concat([LIST_START, this.#window.read(start, end), LIST_END]);
    return { value: this.#parsed(bytes) as JsonValue[], bytes };
  }

  #parsed(bytes: Buffer): JsonValue {
    if (this.#isStrict) return JSON.parse(bytes.toString('utf8')) as JsonValue;
    return parseStrict(bytes, { maxBytes: bytes.length });
  }

  /** The bytes of a value, in blocks. */
  *blocks({ start, end }: Span): Generator<Buffer> {
    const { block } = this.#sizes;
    for (let at = start; at < end; at += block) yield this.#source.read(at, Math.min(at + block, end));
  }

  /** From now on it is known that all of it is good JSON. */
  wasRead(): void {
    this.#isStrict = true;
  }

  /** The members of an object, with their places. */
  members(span: Span): ReadonlyMap<string, Span> {
    return new Map(this.entries(span));
  }

  /** The same, one after the other. */
  *entries(span: Span): Generator<[name: string, value: Span]> {
    const names = new Set<string>();
    let nameBytes = 0;
    for (let at = this.#places.skipSpace(span.start + 1); this.#places.role(at) !== CLOSES; ) {
      const nameEnd = this.#places.endOf(at);
      const name = String(this.parse({ start: at, end: nameEnd }));
      if (names.has(name) || name === '__proto__') throw badName(name);
      nameBytes += nameEnd - at;
      if (names.size === MAX_MEMBERS || nameBytes > MAX_NAME_BYTES)
        throw tooMuch(span.start, `${MAX_MEMBERS} members, or names of more than ${MAX_NAME_BYTES} bytes`);
      names.add(name);
      // Behind the colon.
      const start = this.#places.skipSpace(this.#places.skipSpace(nameEnd) + 1);
      const end = this.#places.endOf(start);
      yield [name, { start, end }];
      at = this.#places.afterComma(end);
    }
  }

  /** The items of a list in groups; none for anything else. */
  *groups(list: Span | undefined): Generator<Group> {
    if (list === undefined || !this.isList(list)) return;
    const large = this.#large.get(list.start);
    if (large) yield* large.groups;
    else yield { first: 0, count: Number.NaN, span: { start: list.start + 1, end: list.end - 1 } };
  }

  /** How many items a list has that is too large to be parsed at once; undefined for anything else. */
  count({ start }: Span): number | undefined {
    return this.#large.get(start)?.groups.reduce((sum, { count }) => sum + count, 0);
  }

  /** The places of the items of a list, one after the other; none for anything else. */
  *items(list: Span | undefined): Generator<Span> {
    for (const { span } of this.groups(list))
      for (let at = this.#places.skipSpace(span.start); at < span.end; ) {
        const end = this.#places.endOf(at);
        yield { start: at, end };
        at = this.#places.afterComma(end);
      }
  }

  /** The items of a list; none for anything else. */
  *values(list: Span | undefined, { from = 0, isBrief = false, maxBytes }: Listing = {}): Generator<Item> {
    for (const group of this.groups(list)) {
      const { first, count, span } = group;
      if (first + count <= from) continue;
      const bytes = span.end - span.start;
      const isLarge = !this.isSmall(span);
      if (isLarge && bytes > (maxBytes ?? bytes)) throw tooMuch(span.start, `${maxBytes} bytes of one item`);
      if (isLarge && isBrief) yield { index: first, bytes, span, value: this.skeleton(span) };
      else if (isLarge) yield { index: first, bytes, value: this.parse(span) };
      if (isLarge) continue;
      const { value: items } = this.readItems(group);
      for (const [at, value] of items.entries())
        if (first + at >= from) yield { index: first + at, value, bytes: bytes / items.length };
    }
  }

  /** The value with its long lists empty and its long texts cut, for checks of everything else. */
  skeleton(span: Span = this.root): JsonValue {
    return this.#brief(span, { bytes: 0 });
  }

  #brief(span: Span, held: { bytes: number }): JsonValue {
    if (!this.isSmall(span)) {
      if (this.isObject(span)) return this.#briefObject(span, held);
      return this.isList(span) ? [] : CUT;
    }
    held.bytes += span.end - span.start;
    if (held.bytes > MAX_HELD_BYTES)
      throw tooMuch(span.start, `${MAX_HELD_BYTES} bytes outside of long lists`);
    return this.parse(span);
  }

  #briefObject(span: Span, held: { bytes: number }): JsonObject {
    const members: [string, JsonValue][] = [];
    for (const [name, value] of this.entries(span)) members.push([name, this.#brief(value, held)]);
    return Object.fromEntries(members);
  }
}

function badName(name: string): ProtocolError {
  const why = name === '__proto__' ? 'the name __proto__' : 'a name twice';
  return new ProtocolError('invalid_request', `The JSON has ${why}.`);
}

/** Finds places in JSON whose structure is known to be good; large parts are passed over. */
class ValuePlaces {
  readonly #window: ByteWindow;
  readonly #large: ReadonlyMap<number, LargePart>;

  constructor(window: ByteWindow, large: ReadonlyMap<number, LargePart>) {
    this.#window = window;
    this.#large = large;
  }

  /** What the byte does outside of texts. */
  role(at: number): number {
    return ROLE[this.#window.at(at) ?? 0] ?? 0;
  }

  /** The next place that is no space. */
  skipSpace(from: number): number {
    let at = from;
    while (this.role(at) === SPACES) at += 1;
    return at;
  }

  /** The place of what follows a value and the comma behind it, where there is one. */
  afterComma(end: number): number {
    const at = this.skipSpace(end);
    return this.role(at) === COMMAS ? this.skipSpace(at + 1) : at;
  }

  /** The place behind the value that begins here. */
  endOf(start: number): number {
    const known = this.#large.get(start);
    if (known) return known.end;
    const role = this.role(start);
    if (role === QUOTES) return this.#endOfText(start);
    return role === OPENS ? this.#endOfTree(start) : this.#endOfWord(start);
  }

  #endOfTree(start: number): number {
    let depth = 0;
    for (let at = start; ; at += 1) {
      const role = this.role(at);
      if (role === QUOTES) at = this.#endOfText(at) - 1;
      else if (role === OPENS) depth += 1;
      else if (role === CLOSES) depth -= 1;
      if (depth === 0) return at + 1;
      if (at >= this.#window.size) throw notJson(at);
    }
  }

  #endOfText(start: number): number {
    for (let at = start + 1; at < this.#window.size; at += 1) {
      const sign = this.#window.at(at);
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) return at + 1;
    }
    throw notJson(this.#window.size);
  }

  #endOfWord(start: number): number {
    let at = start;
    while (at < this.#window.size && this.role(at) === OTHER) at += 1;
    return at;
  }
}
