/**
 * Texts that an RE2 expression matches, made from the expression itself: the same ones in every run. Knows the syntax that the
 * rules use, and throws at anything else.
 */
export function sampleOf(expression: string, seed: number): string {
  return new Sampler(expression, seed).sample();
}

const WORDS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const POSIX: Record<string, string> = { '[:alnum:]': WORDS };
const ESCAPED: Record<string, string> = { d: '0123456789', w: WORDS, s: ' ', S: WORDS };

class Sampler {
  readonly #source: string;
  #at = 0;
  #random: number;

  constructor(source: string, seed: number) {
    this.#source = source;
    this.#random = seed * 2_654_435_761 + 1;
  }

  sample(): string {
    const text = this.#alternatives();
    if (this.#at < this.#source.length) throw new Error(`Unread: ${this.#source.slice(this.#at)}`);
    return text;
  }

  /** Every alternative is made, so that its end is found; one is taken. */
  #alternatives(): string {
    const made = [this.#sequence()];
    while (this.#takes('|')) made.push(this.#sequence());
    return made[this.#below(made.length)] ?? '';
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) text += this.#repeated();
    return text;
  }

  #repeated(): string {
    const from = this.#at;
    const first = this.#one();
    const times = this.#times();
    if (times === undefined) return first;
    const behind = this.#at;
    let text = '';
    for (let count = 0; count < times; count += 1) {
      this.#at = from;
      text += this.#one();
    }
    this.#at = behind;
    return text;
  }

  #times(): number | undefined {
    const found = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) return sign === '+' ? 12 : 0;
    const few = Number(least);
    if (comma === '') return few;
    return Math.min(most === '' ? few + 1 : Number(most), few + this.#below(2));
  }

  #one(): string {
    const char = this.#source.charAt(this.#at);
    if (this.#takes('(')) return this.#group();
    if (this.#takes('[')) return this.#of(this.#class());
    if (this.#takes('\\')) return this.#escape();
    this.#at += 1;
    if (char === '$' || char === '^') return '';
    return char;
  }

  #group(): string {
    const flags = /^\?(?:P<\w+>|[is-]*([:)]))/.exec(this.#source.slice(this.#at));
    if (flags !== null) this.#at += flags[0].length;
    if (flags?.[1] === ')') return '';
    const text = this.#alternatives();
    if (!this.#takes(')')) throw new Error(`A group has no end: ${this.#source}`);
    return text;
  }

  #escape(): string {
    const char = this.#source.charAt(this.#at);
    this.#at += 1;
    if (char === 'b' || char === 'z') return '';
    if (char === 'x') return this.#hex();
    if (char === 'n') return '\n';
    if (char === 'r') return '\r';
    if (char === 't') return '\t';
    const members = ESCAPED[char];
    if (members !== undefined) return this.#of(members);
    if (/[A-Za-z0-9]/.test(char)) throw new Error(`Unknown escape: \\${char}`);
    return char;
  }

  #hex(): string {
    const code = Number.parseInt(this.#source.slice(this.#at, this.#at + 2), 16);
    this.#at += 2;
    return String.fromCharCode(code);
  }

  /** The members of a class; of one that excludes some, letters and digits that it leaves. */
  #class(): string {
    const isNot = this.#takes('^');
    let members = '';
    do members += this.#members();
    while (!this.#takes(']'));
    return isNot ? [...WORDS].filter((char) => !members.includes(char)).join('') || ' ' : members;
  }

  #members(): string {
    const posix = /^\[:\w+:\]/.exec(this.#source.slice(this.#at))?.[0];
    if (posix !== undefined) {
      this.#at += posix.length;
      return POSIX[posix] ?? '';
    }
    const isEscaped = this.#takes('\\');
    const char = this.#source.charAt(this.#at);
    if (isEscaped)
      return char in ESCAPED || /[xnrt]/.test(char) ? this.#escape() + this.#rest(char) : this.#next();
    const range = /^(.)-([^\]])/s.exec(this.#source.slice(this.#at));
    if (range === null) return this.#next();
    this.#at += range[0].length;
    const [from, to] = [range[1]?.charCodeAt(0) ?? 0, range[2]?.charCodeAt(0) ?? 0];
    return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index));
  }

  #rest(char: string): string {
    return ESCAPED[char] ?? '';
  }

  #next(): string {
    const char = this.#source.charAt(this.#at);
    this.#at += 1;
    return char;
  }

  #of(members: string): string {
    return members.charAt(this.#below(members.length));
  }

  #below(count: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * count);
  }

  #sees(char: string): boolean {
    return this.#source.charAt(this.#at) === char;
  }

  #takes(char: string): boolean {
    if (!this.#sees(char)) return false;
    this.#at += 1;
    return true;
  }
}
