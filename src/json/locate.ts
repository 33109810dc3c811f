/** Names that may appear in a public path. Others become `*`: the input is not echoed. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![A-Za-z0-9.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expect = 'value' | 'value_or_close' | 'name' | 'name_or_close' | 'colon' | 'comma_or_close' | 'nothing';

interface Frame {
  isArray: boolean;
  index: number;
  name: string;
}

/** Where something is: a JSON path like `parts[0].text` (empty at the root), and an index of the text. */
export interface Location {
  path: string;
  offset: number;
  /** True when the grammar forbids what stands there. */
  violation: boolean;
}

/**
 * Walks the grammar to `offset`, or to the first violation when that comes first.
 * Returns undefined when the text is well-formed up to there and no token starts at or after `offset`.
 * For error messages only: slower than JSON.parse.
 */
export function locate(text: string, offset: number): Location | undefined {
  return new Walk(text).to(offset);
}

class Walk {
  private readonly text: string;
  private readonly stack: Frame[] = [];
  private expect: Expect = 'value';
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  to(offset: number): Location | undefined {
    for (;;) {
      this.at = this.matchEnd(SPACE) ?? this.at;
      if (this.at >= this.text.length && this.expect === 'nothing') return undefined;
      const depth = this.stack.length;
      if (!this.token()) return { path: this.path(depth), offset: this.at, violation: true };
      if (this.at > offset) return { path: this.path(depth), offset, violation: false };
    }
  }

  /** Consumes one token; false when the grammar forbids it, with `at` on the violation. */
  private token(): boolean {
    const char = this.text[this.at];
    if (char === '"') return this.string();
    if (char === ':') return this.punctuation(this.expect === 'colon', 'value');
    if (char === ',') return this.comma();
    if (char === '{' || char === '[') return this.open(char === '[');
    if (char === '}' || char === ']') return this.close(char === ']');
    const end = this.matchEnd(SCALAR);
    if (end === undefined || !this.expectsValue()) return false;
    this.at = end;
    this.afterValue();
    return true;
  }

  private punctuation(allowed: boolean, next: Expect): boolean {
    if (!allowed) return false;
    this.at += 1;
    this.expect = next;
    return true;
  }

  private comma(): boolean {
    const frame = this.stack.at(-1);
    if (frame === undefined) return false;
    if (!this.punctuation(this.expect === 'comma_or_close', frame.isArray ? 'value' : 'name')) return false;
    frame.index += 1;
    frame.name = '';
    return true;
  }

  private open(isArray: boolean): boolean {
    if (!this.punctuation(this.expectsValue(), isArray ? 'value_or_close' : 'name_or_close')) return false;
    this.stack.push({ isArray, index: 0, name: '' });
    return true;
  }

  private close(isArray: boolean): boolean {
    const empty: Expect = isArray ? 'value_or_close' : 'name_or_close';
    const allowed = this.expect === 'comma_or_close' || this.expect === empty;
    if (this.stack.at(-1)?.isArray !== isArray || !this.punctuation(allowed, 'nothing')) return false;
    this.stack.pop();
    this.afterValue();
    return true;
  }

  private string(): boolean {
    const isName = this.expect === 'name' || this.expect === 'name_or_close';
    if (!isName && !this.expectsValue()) return false;
    const start = this.at + 1;
    if (!this.stringBody()) return false;
    const frame = this.stack.at(-1);
    if (isName && frame !== undefined) frame.name = this.text.slice(start, this.at - 1);
    if (isName) this.expect = 'colon';
    else this.afterValue();
    return true;
  }

  private stringBody(): boolean {
    this.at += 1;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x5c) {
        const end = this.matchEnd(ESCAPE);
        if (end === undefined) return false;
        this.at = end;
        continue;
      }
      if (Number.isNaN(code) || code < 0x20) return false;
      this.at += 1;
      if (code === 0x22) return true;
    }
  }

  private afterValue(): void {
    this.expect = this.stack.length === 0 ? 'nothing' : 'comma_or_close';
  }

  private expectsValue(): boolean {
    return this.expect === 'value' || this.expect === 'value_or_close';
  }

  private matchEnd(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }

  private path(depth: number): string {
    let path = '';
    for (const frame of this.stack.slice(0, depth)) {
      if (frame.isArray) path += `[${frame.index}]`;
      else if (frame.name !== '')
        path += `${path === '' ? '' : '.'}${PLAIN_NAME.test(frame.name) ? frame.name : '*'}`;
    }
    return path;
  }
}
