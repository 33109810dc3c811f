const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts bytes into lines of UTF-8 text without their ends; one that grows beyond the limit is reported once, and dropped to its end,
 * so that no rest of it is a line.
 */
export class LineSplitter {
  /** Holds the line begun so far in its first bytes. Pieces are copied: kept ones cost far more than their bytes when they are tiny. */
  #begun = NOTHING;
  #size = 0;
  #isDropping = false;
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onOverflow: () => void;

  constructor(maxBytes: number, onLine: (line: string) => void, onOverflow: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onOverflow = onOverflow;
  }

  take(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      this.#end(bytes.subarray(from, at));
      from = at + 1;
    }
    if (from < bytes.length && this.#admits(bytes.length - from)) this.#keep(bytes.subarray(from));
  }

  /** Nothing more comes: what was begun is a line too. */
  end(): void {
    if (this.#size > 0) this.#end(NOTHING);
  }

  #end(rest: Buffer): void {
    if (this.#admits(rest.length)) this.#onLine(this.#lineWith(rest));
    this.#begun = NOTHING;
    this.#size = 0;
    this.#isDropping = false;
  }

  #lineWith(rest: Buffer): string {
    if (this.#size > 0) this.#keep(rest);
    const line = this.#size > 0 ? this.#begun.toString('utf8', 0, this.#size) : rest.toString('utf8');
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #admits(bytes: number): boolean {
    if (!this.#isDropping && this.#size + bytes > this.#maxBytes) {
      this.#isDropping = true;
      this.#begun = NOTHING;
      this.#size = 0;
      this.#onOverflow();
    }
    return !this.#isDropping;
  }

  #keep(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (size > this.#begun.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(size, 2 * this.#begun.length)));
      this.#begun.copy(grown, 0, 0, this.#size);
      this.#begun = grown;
    }
    piece.copy(this.#begun, this.#size);
    this.#size = size;
  }
}

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
const CSI = `${ESC}\\[[0-9;?]{0,32}[ -/]?[@-~]`;
const OSC = `${ESC}\\][^${BEL}${ESC}]{0,1024}(?:${BEL}|${ESC}\\\\)`;

/** What terminals and shells put in front of a line; linear, bounded. */
const ESCAPES = new RegExp(`${CSI}|${OSC}`, 'g');

/** The JSON object in a line that begins with escape sequences or a banner; undefined when there is none. */
export function withoutNoise(line: string): string | undefined {
  const clean = line.replace(ESCAPES, '');
  const at = clean.indexOf('{"');
  return at < 0 ? undefined : clean.slice(at);
}

/** What `read` makes of a line, or of the object behind the noise that it begins with; undefined where it throws for both. */
export function messageIn<T>(line: string, read: (text: string) => T): T | undefined {
  const tried = (text: string) => {
    try {
      return text === '' ? undefined : read(text);
    } catch {
      return undefined;
    }
  };
  return tried(line) ?? tried(withoutNoise(line) ?? '');
}
