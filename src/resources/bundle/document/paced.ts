/** Lets other work have its turn. */
export type Turn = () => Promise<void>;

/** Work in small pieces; after each it says how many bytes it went through. */
export type Steps<Result> = Generator<number, Result>;

/** Bytes gone through before others have their turn: a few milliseconds. */
const BYTES_AT_ONCE = 256 * 1024;

/** Does the work without a pause, where nobody waits. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the work and lets others have their turn in between. */
export async function inTurns<Result>(steps: Steps<Result>, turn: Turn): Promise<Result> {
  for (let bytes = 0; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    bytes += value;
    if (bytes < BYTES_AT_ONCE) continue;
    bytes = 0;
    await turn();
  }
}

/** Rows looked at before others have their turn: a few milliseconds. */
const ROWS_AT_ONCE = 100;

/** The same rows; a long bundle keeps nobody waiting while they are gone through. */
export async function* paced<Row>(rows: Iterable<Row>, turn: Turn): AsyncGenerator<Row> {
  let left = ROWS_AT_ONCE;
  for (const row of rows) {
    yield row;
    left -= 1;
    if (left > 0) continue;
    left = ROWS_AT_ONCE;
    await turn();
  }
}
