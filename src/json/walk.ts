import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Names that may appear in a public path. Others become `*`: the input is not echoed. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
const SPACE = /[ \t\n\r]*/y;
const SPACE_CHAR = 0x20;
const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![A-Za-z0-9.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expect = 'value' | 'value_or_close' | 'name' | 'name_or_close' | 'colon' | 'comma_or_close' | 'nothing';

interface Frame {
  value: JsonValue[] | JsonObject;
  isArray: boolean;
  index: number;
  /** As it is spelled, for paths. */
  name: string;
  /** What the spelling stands for. */
  key: string;
}

/** A longer piece of a text keeps the whole text in memory; what JSON.parse makes does not. */
const MAX_PIECE = 12;

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
 * For error messages: slower than JSON.parse.
 */
export function locate(text: string, offset: number): Location | undefined {
  const walk = new JsonWalk(text, offset);
  walk.run(Number.POSITIVE_INFINITY);
  return walk.stop;
}

/** Reads a text token by token, as far at a time as its caller likes, and makes what JSON.parse makes. */
export class JsonWalk {
  /** Where it stopped before the end: at the offset, or at a violation that came first. */
  stop: Location | undefined;
  /** What the text holds, once it is read to its end. */
  value: JsonValue = null;
  private readonly text: string;
  private readonly offset: number;
  private readonly stack: Frame[] = [];
  private expect: Expect = 'value';
  private at = 0;

  constructor(text: string, offset: number = Number.POSITIVE_INFINITY) {
    this.text = text;
    this.offset = offset;
  }

  /** Reads the tokens that begin before `until`; true when there is nothing more to read. */
  run(until: number): boolean {
    const { text } = this;
    for (;;) {
      if (text.charCodeAt(this.at) <= SPACE_CHAR) this.at = this.matchEnd(SPACE) ?? this.at;
      if (this.at >= text.length && this.expect === 'nothing') return true;
      if (this.at >= until) return false;
      const depth = this.stack.length;
      if (!this.token()) this.stop = { path: this.path(depth), offset: this.at, violation: true };
      else if (this.at > this.offset)
        this.stop = { path: this.path(depth), offset: this.offset, violation: false };
      if (this.stop !== undefined) return true;
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
    this.put(scalarOf(this.text.slice(this.at, end)));
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
    const value = isArray ? [] : {};
    this.put(value);
    this.stack.push({ value, isArray, index: 0, name: '', key: '' });
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
    const start = this.at;
    const spelled = this.stringBody();
    if (spelled === undefined) return false;
    const raw = this.text.slice(start + 1, this.at - 1);
    const isPlain = spelled === 'plain' && (isName || raw.length <= MAX_PIECE);
    const value = isPlain ? raw : (JSON.parse(this.text.slice(start, this.at)) as string);
    const frame = this.stack.at(-1);
    if (isName && frame !== undefined) {
      frame.name = raw;
      frame.key = value;
      this.expect = 'colon';
    } else {
      this.put(value);
      this.afterValue();
    }
    return true;
  }

  /** Goes behind the closing quote; undefined, with `at` on the violation, when there is none. */
  private stringBody(): 'plain' | 'escaped' | undefined {
    const { text } = this;
    let spelled: 'plain' | 'escaped' = 'plain';
    let at = this.at + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      this.at = at;
      if (code === 0x5c) {
        spelled = 'escaped';
        const end = this.matchEnd(ESCAPE);
        if (end === undefined) return undefined;
        at = end;
      } else if (Number.isNaN(code) || code < 0x20) return undefined;
      else at += 1;
    }
    this.at = at + 1;
    return spelled;
  }

  /** Where a value belongs: the open array or object, or the whole. */
  private put(value: JsonValue): void {
    const frame = this.stack.at(-1);
    if (frame === undefined) this.value = value;
    else if (Array.isArray(frame.value)) frame.value.push(value);
    // A text with this name is refused; until that is known it must not reach the prototype.
    else if (frame.key !== '__proto__') frame.value[frame.key] = value;
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

function scalarOf(token: string): JsonValue {
  if (token === 'null') return null;
  return token === 'true' || (token === 'false' ? false : Number(token));
}
