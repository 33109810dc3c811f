import type { EventLog } from '../../eventlog/event-log.ts';
import { extendFrameList, type FrameList, type ListedFrame, NO_FRAMES } from '../../replay/frame-list.ts';
import { listOfFrames, readFrame } from '../../replay/recorded-frame.ts';
import { frameKey } from '../../store/keys.ts';

const MAX_FRAME = 99_999_999;
const NOTHING_RECORDED = { next: 1, list: NO_FRAMES };

/** Numbers and lists the recorded frames of a task from 1 over all its turns; a turn and a cancel may record at the same time. */
export class FrameNumbers {
  readonly #tasks = new Map<string, { next: number; list: FrameList; recorders: number }>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Finds out how far the store is; a task that starts has no frames yet, so nothing is looked up. Every `open` needs a
   * `close`; `take` is for the time between.
   */
  async open(taskId: string, isStarting: boolean): Promise<void> {
    const known = this.#tasks.get(taskId) ?? (isStarting ? NOTHING_RECORDED : undefined);
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

  /** The list of all frames with this one, which is the newest. */
  extend(taskId: string, frame: ListedFrame): FrameList {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are listed before open`);
    task.list = extendFrameList(task.list, frame);
    return task.list;
  }

  close(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    task.recorders -= 1;
    if (task.recorders === 0) this.#tasks.delete(taskId);
  }

  async #newestInStore(taskId: string): Promise<typeof NOTHING_RECORDED> {
    const range = { gte: frameKey(taskId, 0), lte: frameKey(taskId, MAX_FRAME), reverse: true, limit: 1 };
    const [last] = await this.#log.indexKeys(range);
    const record = last === undefined ? undefined : this.#log.record(last);
    if (last === undefined || record === undefined) return NOTHING_RECORDED;
    const newest = Number(last.slice(-8));
    const recordOf = (n: number) => this.#log.record(frameKey(taskId, n));
    return { next: newest + 1, list: readFrame(record).list ?? listOfFrames(newest, recordOf) };
  }
}
