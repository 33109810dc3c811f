/** White space of RE2, which native expressions spell `\s` with more. */
const SPACE = String.raw`\t\n\f\r `;
const POSIX: Readonly<Record<string, string>> = { '[:alnum:]': 'A-Za-z0-9' };

/**
 * The native expression that finds what an RE2 expression finds, at the place where its search begins (sticky). Native ones have
 * no flags inside, so letters of either case are spelled out. Named groups, which only label what they hold, are none. Throws on
 * syntax that it does not know.
 */
export function nativeExpression(expression: string): RegExp {
  return new RegExp(new Translation(expression).all(), 'dy');
}

class Translation {
  readonly #source: string;
  #at = 0;
  #anyCase = false;

  constructor(source: string) {
    this.#source = source;
  }

  all(): string {
    const native = this.#sequence();
    if (this.#at < this.#source.length) throw this.#unknown();
    return native;
  }

  /** Up to the end of the group; what sets a flag holds until there. */
  #sequence(): string {
    const outside = this.#anyCase;
    let native = '';
    while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== ')') native += this.#one();
    this.#anyCase = outside;
    return native;
  }

  #one(): string {
    const char = this.#source.charAt(this.#at);
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if (char === '{') return this.#taken(/\{\d+(?:,\d*)?\}/y);
    this.#at += 1;
    if (char === '.') return String.raw`[^\n]`;
    return this.#anyCase && /[A-Za-z]/.test(char) ? `[${bothCases(char)}]` : char;
  }

  #group(): string {
    const [opening = '', flags, name] = this.#match(/\((?:\?(?:([is-]*)[:)]|P<(\w+)>)|(?!\?))/y);
    const hasFlags = flags !== undefined && flags !== '';
    const anyCase = hasFlags ? flagOf(flags) : this.#anyCase;
    if (hasFlags && anyCase === undefined) throw this.#unknown();
    this.#at += opening.length;
    // Flags alone, `(?i)`, are no group.
    if (opening.endsWith(')')) {
      this.#anyCase = anyCase ?? false;
      return '';
    }
    const outside = this.#anyCase;
    this.#anyCase = anyCase ?? false;
    const inner = this.#sequence();
    this.#anyCase = outside;
    this.#taken(/\)/y);
    return flags === undefined && name === undefined ? `(${inner})` : `(?:${inner})`;
  }

  #class(): string {
    let native = this.#taken(/\[\^?/y);
    while (this.#source.charAt(this.#at) !== ']') native += this.#classMember();
    this.#at += 1;
    return `${native}]`;
  }

  #classMember(): string {
    if (this.#source.startsWith('[:', this.#at)) {
      const name = this.#taken(/\[:\w+:\]/y);
      const members = POSIX[name];
      if (members === undefined) throw this.#unknown();
      return members;
    }
    if (this.#source.charAt(this.#at) === '[') return `\\${this.#taken(/\[/y)}`;
    if (this.#source.charAt(this.#at) === '\\') return this.#escape(true);
    const member = this.#taken(/[A-Za-z0-9]-[A-Za-z0-9]|[\s\S]/y);
    if (!this.#anyCase || !/[A-Za-z]/.test(member)) return member;
    if (member.length === 1) return bothCases(member);
    // A range that is not of letters of one case alone has no other case.
    if (!/^(?:[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(member)) throw this.#unknown();
    return member.toLowerCase() + member.toUpperCase();
  }

  #escape(inClass = false): string {
    const escaped = this.#taken(/\\(?:x[0-9A-Fa-f]{2}|[bBdDwWsz]|[tnfrv]|[^A-Za-z0-9])/y);
    if (escaped === '\\s') return inClass ? SPACE : `[${SPACE}]`;
    if (escaped === '\\z') return '(?![^])';
    return escaped;
  }

  #taken(expression: RegExp): string {
    const [text = ''] = this.#match(expression);
    this.#at += text.length;
    return text;
  }

  #match(expression: RegExp): RegExpExecArray {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found === null) throw this.#unknown();
    return found;
  }

  #unknown(): Error {
    return new Error(`Cannot read ${this.#source} from character ${this.#at} on.`);
  }
}

/** Whether letters mean both cases from here on; undefined for flags that are none of this. */
function flagOf(flags: string): boolean | undefined {
  return { i: true, '-i': false }[flags];
}

function bothCases(letter: string): string {
  return letter.toLowerCase() + letter.toUpperCase();
}
