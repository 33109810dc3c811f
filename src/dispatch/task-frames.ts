import { type FrameHead, headsInRow, MAX_ROW_FRAMES } from '../replay/frame-row.ts';
import { frameKey } from '../store/keys.ts';

/** A primary record by its key. */
export type RecordOf = (key: string) => Buffer | undefined;

export interface NumberedHead extends FrameHead {
  /** From 1 in its task. */
  n: number;
}

/** The heads of the recorded frames of a task from number `from` on, in order; each row is read when its turn comes. */
export function* headsFrom(recordOf: RecordOf, taskId: string, from: number): Generator<NumberedHead, void> {
  let row = rowWith(recordOf, taskId, from);
  while (row !== undefined) {
    const { first, heads } = row;
    for (const [at, head] of heads.entries()) if (first + at >= from) yield { n: first + at, ...head };
    row = rowAt(recordOf, taskId, first + heads.length);
  }
}

interface Row {
  first: number;
  heads: FrameHead[];
}

function rowAt(recordOf: RecordOf, taskId: string, first: number): Row | undefined {
  const record = recordOf(frameKey(taskId, first));
  return record && { first, heads: headsInRow(record) };
}

/** The row that holds a frame: the newest that begins with it or before it. */
function rowWith(recordOf: RecordOf, taskId: string, n: number): Row | undefined {
  for (let first = n; first > Math.max(0, n - MAX_ROW_FRAMES); first -= 1) {
    const row = rowAt(recordOf, taskId, first);
    if (row !== undefined) return first + row.heads.length > n ? row : undefined;
  }
  return undefined;
}
