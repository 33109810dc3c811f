/** Rows of each kind written in one transaction: little enough that no request waits behind it. */
const BATCH = 200;
/** The same for bytes of content. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** Rows by as many as one transaction writes; `bytesOf`: what a row brings along besides, by default nothing. */
export function* batched<Row>(
  rows: Iterable<Row>,
  bytesOf: (row: Row) => number = () => 0,
): Generator<Row[], undefined> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    bytes += bytesOf(row);
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
