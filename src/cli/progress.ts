/** Where progress is drawn. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR_CELLS = 24;
/** Redrawing more often only costs time. */
const REDRAW_MS = 100;
const CLEAR = '\r\x1b[K';

/**
 * A line on the terminal that shows how far a long work came; nothing at all when the stream is no terminal, so that logs
 * and pipes stay clean. `end` takes the line away.
 */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #label: string;
  readonly #nowMs: () => number;
  #drawnAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs`: a clock that only goes forward. */
  constructor(
    label: string,
    stream: ProgressStream = process.stderr,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#label = label;
    this.#stream = stream;
    this.#nowMs = nowMs;
  }

  /** `done` of `total` things; without a total only their number is shown. */
  update(done: number, unit: string, total?: number): void {
    if (this.#stream.isTTY !== true) return;
    const now = this.#nowMs();
    if (now - this.#drawnAtMs < REDRAW_MS && done !== total) return;
    this.#drawnAtMs = now;
    const text = `${this.#label} ${bar(done, total)}${done}${total === undefined ? '' : `/${total}`} ${unit}`;
    this.#stream.write(CLEAR + text.slice(0, Math.max(1, (this.#stream.columns ?? 80) - 1)));
  }

  end(): void {
    if (this.#drawnAtMs !== Number.NEGATIVE_INFINITY) this.#stream.write(CLEAR);
    this.#drawnAtMs = Number.NEGATIVE_INFINITY;
  }
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return '';
  const part = Math.min(1, done / total);
  const cells = Math.floor(part * BAR_CELLS);
  return `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}] ${Math.floor(part * 100)}% `;
}
