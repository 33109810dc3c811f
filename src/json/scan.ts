import type { JsonFault, JsonFaultKind } from './fault.ts';
import { isExactNumber } from './number.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_U = 0x75;

/** Shorter digit strings are always exact, so most numbers need no second look. */
const ALWAYS_EXACT_DIGITS = 15;
/** Names of an object up to which a list of them is compared. */
const LIST_LIMIT = 8;
const NUMBER_TAIL = /[-+.0-9eE]*/y;

/**
 * Finds what JSON.parse lets through: depth, duplicate names, `__proto__`, inexact numbers, half surrogate pairs.
 * One pass without recursion; it does not check the grammar, JSON.parse does that afterwards.
 */
export function scanJson(text: string, maxDepth: number): JsonFault | undefined {
  const scan = new JsonScan(text, maxDepth);
  scan.run(text.length);
  return scan.fault;
}

/** The same, as far at a time as its caller likes. */
export class JsonScan {
  /** The first fault found. */
  fault: JsonFault | undefined;
  private readonly text: string;
  private readonly maxDepth: number;
  /** The member names of the objects that are open, by depth: a set from where comparing a list is no longer cheaper. */
  private readonly names: (string[] | Set<string>)[] = [];
  private readonly inObject: Uint8Array;
  private depth = 0;
  private nameNext = false;
  private at = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.inObject = new Uint8Array(maxDepth + 1);
  }

  /** Looks at the tokens that begin before `until`; true when there is nothing more to look at. */
  run(until: number): boolean {
    const { text } = this;
    const end = Math.min(until, text.length);
    let { at } = this;
    while (at < end && this.fault === undefined) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.string(at);
      else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) at = this.number(at);
      else {
        if (code === COMMA) this.nameNext = this.inObject[this.depth] === 1;
        else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
          if (this.depth >= this.maxDepth) {
            this.refuse('depth', at);
            break;
          }
          this.nameNext = code === OPEN_OBJECT;
          this.depth += 1;
          this.inObject[this.depth] = this.nameNext ? 1 : 0;
          if (this.nameNext) this.names[this.depth] = [];
        } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
          if (this.depth > 0) this.depth -= 1;
          this.nameNext = false;
        }
        at += 1;
      }
    }
    this.at = at;
    return at >= text.length || this.fault !== undefined;
  }

  /** Reads a text, which is noted where it is the name of a member. Returns the index after the closing quote. */
  private string(start: number): number {
    const { text } = this;
    let at = start + 1;
    let escaped = false;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) continue;
      escaped = true;
      at = this.escape(at);
    }
    if (!this.nameNext) return at + 1;
    this.nameNext = false;
    const name = escaped ? unescapeName(text.slice(start, at + 1)) : text.slice(start + 1, at);
    const names = this.names[this.depth] ?? [];
    const isKnown = name !== undefined && (Array.isArray(names) ? names.includes(name) : names.has(name));
    if (name === undefined) this.refuse('syntax', start);
    else if (name === '__proto__') this.refuse('forbidden_name', start);
    else if (isKnown) this.refuse('duplicate_name', start);
    else if (!Array.isArray(names)) names.add(name);
    else if (names.push(name) > LIST_LIMIT) this.names[this.depth] = new Set(names);
    return at + 1;
  }

  /** Returns the index of the last code unit of the escape at `start`. */
  private escape(start: number): number {
    if (this.text.charCodeAt(start + 1) !== LETTER_U) return start + 1;
    const unit = this.escapedUnit(start);
    if (unit < 0xd800 || unit > 0xdfff) return start + 1;
    const low = this.escapedUnit(start + 6);
    const isPair = unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
    if (!isPair) this.refuse('surrogate', start);
    return start + 11;
  }

  /** The code unit of a `\uXXXX` escape, or -1 when there is none at `start`. */
  private escapedUnit(start: number): number {
    const { text } = this;
    if (text.charCodeAt(start) !== BACKSLASH || text.charCodeAt(start + 1) !== LETTER_U) return -1;
    const digits = text.slice(start + 2, start + 6);
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
  }

  /** Returns the index after the number. */
  private number(start: number): number {
    const { text } = this;
    let at = start + 1;
    let code = text.charCodeAt(at);
    while (code >= DIGIT_0 && code <= DIGIT_9) code = text.charCodeAt(++at);
    NUMBER_TAIL.lastIndex = at;
    const isPlain = code !== 0x2e && code !== 0x45 && code !== 0x65;
    if (isPlain && at - start <= ALWAYS_EXACT_DIGITS) return at;
    const end = at + (NUMBER_TAIL.exec(text)?.[0].length ?? 0);
    if (!isExactNumber(text.slice(start, end))) this.refuse('number', start);
    return end;
  }

  private refuse(kind: JsonFaultKind, offset: number): void {
    this.fault ??= { kind, offset };
  }
}

/** The name a quoted token stands for, or undefined when the token is malformed. */
function unescapeName(token: string): string | undefined {
  try {
    const name: unknown = JSON.parse(token);
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
