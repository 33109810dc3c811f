/** Lets other work have its turn. */
export type Turn = () => Promise<void>;

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
