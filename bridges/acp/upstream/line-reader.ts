const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
const CSI = `${ESC}\\[[0-9;?]{0,32}[ -/]?[@-~]`;
const OSC = `${ESC}\\][^${BEL}${ESC}]{0,1024}(?:${BEL}|${ESC}\\\\)`;

/** What terminals and shells put in front of a line; linear, bounded. */
const ESCAPES = new RegExp(`${CSI}|${OSC}`, 'g');

const NEWLINE = 0x0a;

/** Cuts bytes into lines; `overlong` is called once when a line grows beyond `maxBytes`, and nothing is read after it. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #line: (text: string) => void;
  readonly #overlong: () => void;
  #held: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(maxBytes: number, line: (text: string) => void, overlong: () => void) {
    this.#maxBytes = maxBytes;
    this.#line = line;
    this.#overlong = overlong;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && !this.#isOver; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      from = at + 1;
      if (!this.#isOver) this.#flush();
    }
    if (!this.#isOver) this.#hold(chunk.subarray(from));
  }

  #hold(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#maxBytes) {
      this.#isOver = true;
      this.#held = [];
      this.#overlong();
      return;
    }
    if (part.length > 0) this.#held.push(part);
  }

  #flush(): void {
    const text = Buffer.concat(this.#held).toString('utf8').trim();
    this.#held = [];
    this.#size = 0;
    if (text !== '') this.#line(text);
  }
}

/** The JSON object in a line that begins with escape sequences or a banner; undefined when there is none. */
export function withoutNoise(line: string): string | undefined {
  const clean = line.replace(ESCAPES, '');
  const at = clean.indexOf('{"');
  return at < 0 ? undefined : clean.slice(at);
}
