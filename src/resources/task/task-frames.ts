import type { EventLog } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import type { ListedFrame } from '#resources/replay/record/frame-list.ts';
import { type FrameHead, headsInRow, MAX_ROW_FRAMES } from '#resources/replay/record/frame-row.ts';
import type { FrameBlock } from '#resources/replay/record/recorded-frame.ts';
import { frameKey } from '#store/keys.ts';
import { BLOCK_FRAMES, blockOf } from './frame-tree.ts';

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

const MAX_FRAME = 99_999_999;

/** Numbers the recorded frames of a task from 1 over all its turns; a turn and a cancel may record at the same time. */
export class FrameNumbers {
  readonly #tasks = new Map<string, Recorded & { recorders: number }>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Finds out how far the store is; a task that starts has no frames yet, so nothing is looked up. Every `open` needs a
   * `close`; `take` is for the time between.
   */
  async open(taskId: string, isStarting: boolean): Promise<void> {
    const known = this.#tasks.get(taskId) ?? (isStarting ? nothingRecorded() : undefined);
    const found = known ?? (await this.#newestInStore(taskId));
    const task = this.#tasks.get(taskId) ?? { recorders: 0, ...found };
    task.recorders += 1;
    this.#tasks.set(taskId, task);
  }

  take(taskId: string): number {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are numbered before open`);
    task.next += 1;
    return task.next - 1;
  }

  /** Takes the newest frame into its block; returns the block when it is full. */
  extend(taskId: string, frame: ListedFrame): Clean<FrameBlock> | undefined {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are listed before open`);
    task.block.push(frame);
    if (task.block.length < BLOCK_FRAMES) return undefined;
    const block = blockOf(task.block);
    task.block = [];
    return block;
  }

  close(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    task.recorders -= 1;
    if (task.recorders === 0) this.#tasks.delete(taskId);
  }

  async #newestInStore(taskId: string): Promise<Recorded> {
    const range = { gte: frameKey(taskId, 0), lte: frameKey(taskId, MAX_FRAME), reverse: true, limit: 1 };
    const [last] = await this.#log.indexKeys(range);
    if (last === undefined) return nothingRecorded();
    const recordOf = (key: string) => this.#log.record(key);
    const first = Number(last.slice(-8));
    const row = recordOf(last);
    const newest = first - 1 + (row === undefined ? 1 : headsInRow(row).length);
    const block: ListedFrame[] = [];
    for (const { listed } of headsFrom(recordOf, taskId, newest - (newest % BLOCK_FRAMES) + 1))
      block.push(listed);
    return { next: newest + 1, block };
  }
}

/** How far a task is: the number of its next frame, and the frames of the block that is not full yet. */
interface Recorded {
  next: number;
  block: ListedFrame[];
}

const nothingRecorded = (): Recorded => ({ next: 1, block: [] });
