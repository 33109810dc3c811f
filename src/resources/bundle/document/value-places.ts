import type { ByteWindow } from './byte-window.ts';
import {
  BACKSLASH,
  CLOSES,
  COMMAS,
  type LargePart,
  notJson,
  OPENS,
  OTHER,
  QUOTE,
  QUOTES,
  ROLE,
  SPACES,
} from './json-structure.ts';

/** Finds places in JSON whose structure is known to be good; large parts are passed over. */
export class ValuePlaces {
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
