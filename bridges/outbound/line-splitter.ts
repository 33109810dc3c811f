const NEWLINE = 10;

/** Cuts bytes into lines of UTF-8 text without their ends; one that grows beyond the limit is told once, and dropped. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #size = 0;
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
      this.#add(bytes.subarray(from, at));
      this.#emit();
      from = at + 1;
    }
    if (from < bytes.length) this.#add(bytes.subarray(from));
  }

  /** Drops the line begun so far. */
  forget(): void {
    this.#pieces = [];
    this.#size = 0;
  }

  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size <= this.#maxBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.forget();
    this.#onOverflow();
  }

  #emit(): void {
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.forget();
    this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
