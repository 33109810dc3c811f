import { MAX_JSON_DEPTH } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';

/** Bytes that are handled at a time. */
export interface PartSizes {
  /** Values of at most this size are parsed at once; larger ones are gone through member by member. */
  whole: number;
  /** Items of a list that are read together, less than `whole`: a look at each alone would take longer than that at what is in it. */
  group: number;
  /** Read at a time where all of it is gone through. */
  block: number;
  /** Held for looks at single bytes. */
  window: number;
}

const KB = 1024;
export const PART_SIZES: PartSizes = { whole: 256 * KB, group: 64 * KB, block: 256 * KB, window: 64 * KB };

/** Where a value stands in the bytes: start inclusive, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Items of a list that follow each other, with all that stands between them. One that is larger than a group is alone. */
export interface Group {
  /** Place of the first item in the list. */
  first: number;
  /** How many there are. */
  count: number;
  span: Span;
}

/** A value that is too large to be parsed at once. */
export interface LargePart {
  end: number;
  /** Values and member names in it: what they take in memory has little to do with their bytes. */
  values: number;
  /** Of a list: its items. */
  groups: readonly Group[];
}

/** What a byte outside of texts does, by its code: one look per byte, because there are many. */
export const [OTHER, OPENS, CLOSES, SPACES, QUOTES, COMMAS, COLONS] = [0, 1, 2, 3, 4, 5, 6] as const;
export const ROLE = new Uint8Array(256);
for (const [role, signs] of [
  [OPENS, '[{'],
  [CLOSES, ']}'],
  [SPACES, ' \t\r\n'],
  [QUOTES, '"'],
  [COMMAS, ','],
  [COLONS, ':'],
] as const)
  for (const sign of signs) ROLE[sign.charCodeAt(0)] = role;

export const BACKSLASH = 0x5c;
export const QUOTE = 0x22;
export const BRACKET = 0x5b;
/** In ASCII a bracket or brace and the one that closes it are two apart. */
const CLOSING = 2;

/** No number that is exact, and no name of a value, is as long. */
const MAX_WORD_BYTES = 256 * KB;

/** A text is held several times while it is read. The content of the largest Artifact, in base64, is not as long. */
const MAX_TEXT_BYTES = 96 * KB * KB;

/** What may come next. */
const [VALUE, ITEM_OR_END, NAME, NAME_OR_END, COLON, ENDED, WORD] = [0, 1, 2, 3, 4, 5, 6] as const;

/** An object or list whose end was not seen yet. */
interface Open {
  start: number;
  sign: number;
  /** Values before it. */
  before: number;
  groups: Group[];
  /** Items gathered for the next group. */
  group: Group | undefined;
  itemStart: number;
  items: number;
}

/**
 * Goes through JSON once, in blocks, and finds its large parts. Everything outside of texts and words is judged here: what
 * stands in those is judged when they are parsed. Throws ProtocolError `invalid_request` naming the byte.
 */
export class StructureScan {
  readonly large = new Map<number, LargePart>();
  readonly #sizes: PartSizes;
  readonly #open: Open[] = [];
  #next: number = VALUE;
  #isInText = false;
  #isName = false;
  #isEscaped = false;
  #values = 0;
  /** Where the newest text or word began, and where the newest value ended. */
  #began = 0;
  #ended = 0;
  #rootStart = 0;

  constructor(sizes: PartSizes) {
    this.#sizes = sizes;
  }

  /** `offset`: of the block in the document. */
  take(block: Uint8Array, offset: number): void {
    for (let at = 0; at < block.length; at += 1) {
      if (this.#isInText) {
        at = this.#throughText(block, at, offset);
        continue;
      }
      const sign = block[at] ?? 0;
      const role = ROLE[sign];
      if (this.#next === WORD) {
        if (role === OTHER) continue;
        this.#endValue(offset + at);
      }
      if (role === OTHER) this.#beginWord(offset + at);
      else if (role !== SPACES) this.#take(role, sign, offset + at);
    }
  }

  /** The place of the whole document. */
  finish(size: number): Span {
    if (this.#next === WORD) this.#endValue(size);
    if (this.#next !== ENDED || this.#isInText || this.#open.length > 0) throw notJson(size);
    return { start: this.#rootStart, end: this.#ended };
  }

  #take(role: number | undefined, sign: number, place: number): void {
    if (role === QUOTES) this.#beginText(place);
    else if (role === COMMAS) this.#separate(place);
    else if (role === OPENS) this.#enter(sign, place);
    else if (role === CLOSES) this.#leave(sign, place);
    else if (this.#next === COLON) this.#next = VALUE;
    else throw notJson(place);
  }

  /** Returns the place of the quote that ends the text, or that of the end of the block. */
  #throughText(block: Uint8Array, from: number, offset: number): number {
    let isEscaped = this.#isEscaped;
    for (let at = from; at < block.length; at += 1) {
      const sign = block[at];
      if (isEscaped) isEscaped = false;
      else if (sign === BACKSLASH) isEscaped = true;
      else if (sign === QUOTE) {
        this.#isEscaped = false;
        this.#endText(offset + at + 1);
        return at;
      }
    }
    this.#isEscaped = isEscaped;
    return block.length;
  }

  #beginText(place: number): void {
    this.#isName = this.#next === NAME || this.#next === NAME_OR_END;
    if (this.#isName) this.#values += 1;
    else this.#begin(place);
    this.#began = place;
    this.#isInText = true;
  }

  #endText(end: number): void {
    this.#isInText = false;
    if (end - this.#began > MAX_TEXT_BYTES) throw tooMuch(this.#began, `a text of ${MAX_TEXT_BYTES} bytes`);
    if (end - this.#began > this.#sizes.whole) this.large.set(this.#began, { end, values: 1, groups: [] });
    if (this.#isName) this.#next = COLON;
    else this.#endValue(end);
  }

  #beginWord(place: number): void {
    this.#begin(place);
    this.#began = place;
    this.#next = WORD;
  }

  #begin(place: number): void {
    if (this.#next !== VALUE && this.#next !== ITEM_OR_END) throw notJson(place);
    const top = this.#open.at(-1);
    if (top === undefined) this.#rootStart = place;
    else top.itemStart = place;
    this.#values += 1;
  }

  #endValue(end: number): void {
    if (this.#next === WORD && end - this.#began > MAX_WORD_BYTES) throw notJson(this.#began);
    this.#next = ENDED;
    this.#ended = end;
  }

  #enter(sign: number, place: number): void {
    this.#begin(place);
    const [before, itemStart] = [this.#values, place];
    const opened = { start: place, sign, before, groups: [], group: undefined, itemStart, items: 0 };
    if (this.#open.push(opened) > MAX_JSON_DEPTH) throw tooDeep(place);
    this.#next = sign === BRACKET ? ITEM_OR_END : NAME_OR_END;
  }

  #leave(sign: number, place: number): void {
    const top = this.#open.pop();
    const isEmpty = this.#next === ITEM_OR_END || this.#next === NAME_OR_END;
    if (top === undefined || sign !== top.sign + CLOSING || !(isEmpty || this.#next === ENDED))
      throw notJson(place);
    const { start, before, groups } = top;
    const end = place + 1;
    if (end - start > this.#sizes.whole) {
      if (!isEmpty) this.#endItem(top);
      if (top.group) groups.push(top.group);
      this.large.set(start, { end, values: this.#values - before, groups });
    }
    this.#endValue(end);
  }

  #separate(place: number): void {
    const top = this.#open.at(-1);
    if (top === undefined || this.#next !== ENDED) throw notJson(place);
    const isList = top.sign === BRACKET;
    if (isList) this.#endItem(top);
    this.#next = isList ? VALUE : NAME;
  }

  #endItem(top: Open): void {
    if (top.sign !== BRACKET) return;
    const { group, itemStart: start, items } = top;
    const end = this.#ended;
    const isFull = group !== undefined && end - group.span.start > this.#sizes.group;
    if (isFull) top.groups.push(group);
    if (isFull || group === undefined) top.group = { first: items, count: 1, span: { start, end } };
    else {
      group.count += 1;
      group.span.end = end;
    }
    top.items += 1;
  }
}

export function notJson(offset: number): ProtocolError {
  const message = `The text is no JSON, or was cut: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}

/** `most`: what may be there. */
export function tooMuch(offset: number, most: string): ProtocolError {
  const message = `A part of the JSON has more than ${most}: byte ${offset}. Hand on a shorter run.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}

function tooDeep(offset: number): ProtocolError {
  const message = `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels: byte ${offset}.`;
  return new ProtocolError('invalid_request', message, { details: { byte_offset: offset } });
}
