import type { ReadStream, WriteStream } from 'node:tty';
import { hasColours, lineOf, type Piece } from './terminal.ts';

/** Of xterm: another screen, no cursor, no wrapping; and all of it undone. */
const OPEN = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const CLOSE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
/** What stands between them is shown at once, where the terminal can. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const SMALLEST = { columns: 80, rows: 24 };

/** A terminal that is drawn over again and again. Lines are written over, never cleared first, so that nothing flickers. */
export class Screen {
  readonly #out: WriteStream;
  readonly #in: ReadStream;
  #shown: readonly (readonly Piece[])[] = [];
  #isOpen = false;
  #onKey: (keys: Buffer) => void = () => undefined;

  constructor(out: WriteStream, input: ReadStream) {
    this.#out = out;
    this.#in = input;
  }

  /** `end` is called for Ctrl-C and for `q`. However the process ends, the terminal is as it was. */
  open(end: () => void): void {
    this.#isOpen = true;
    this.#out.write(OPEN);
    this.#out.on('resize', this.#draw);
    process.once('exit', this.#restore);
    if (!this.#in.isTTY) return;
    this.#onKey = (keys) => {
      if (['q', CTRL_C, CTRL_D].some((key) => keys.includes(key))) end();
    };
    this.#in.setRawMode(true);
    this.#in.on('data', this.#onKey);
    this.#in.resume();
  }

  /** Shows these lines, as many and as much of each as fit. */
  show(lines: readonly (readonly Piece[])[]): void {
    this.#shown = lines;
    this.#draw();
  }

  close(): void {
    this.#out.off('resize', this.#draw);
    process.off('exit', this.#restore);
    this.#restore();
    this.#in.off('data', this.#onKey);
    this.#in.pause();
  }

  readonly #restore = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#in.isTTY) this.#in.setRawMode(false);
    this.#out.write(CLOSE);
  };

  readonly #draw = (): void => {
    const { columns, rows } = this.#size();
    const look = { colours: hasColours(this.#out), width: columns };
    const lines = this.#shown.slice(0, rows).map((line) => lineOf(line, look) + CLEAR_LINE);
    this.#out.write(BEGIN + HOME + lines.join('\r\n') + CLEAR_BELOW + END);
  };

  /** A terminal that says no size has at least this one. */
  #size(): { columns: number; rows: number } {
    return { columns: this.#out.columns || SMALLEST.columns, rows: this.#out.rows || SMALLEST.rows };
  }
}
