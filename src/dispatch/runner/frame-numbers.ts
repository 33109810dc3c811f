import type { EventLog } from '../../eventlog/event-log.ts';
import { frameKey } from '../../store/keys.ts';

const MAX_FRAME = 99_999_999;

/** Numbers the recorded frames of a task from 1 over all its turns; a turn and a cancel may record at the same time. */
export class FrameNumbers {
  readonly #tasks = new Map<string, { next: number; recorders: number }>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Finds out how far the store is; a task that starts has no frames yet, so nothing is looked up. Every `open` needs a
   * `close`; `take` is for the time between.
   */
  async open(taskId: string, isStarting: boolean): Promise<void> {
    const known = this.#tasks.get(taskId)?.next ?? (isStarting ? 1 : undefined);
    const found = known ?? (await this.#nextInStore(taskId));
    const task = this.#tasks.get(taskId) ?? { next: found, recorders: 0 };
    task.recorders += 1;
    this.#tasks.set(taskId, task);
  }

  take(taskId: string): number {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are numbered before open`);
    task.next += 1;
    return task.next - 1;
  }

  close(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    task.recorders -= 1;
    if (task.recorders === 0) this.#tasks.delete(taskId);
  }

  async #nextInStore(taskId: string): Promise<number> {
    const range = { gte: frameKey(taskId, 0), lte: frameKey(taskId, MAX_FRAME), reverse: true, limit: 1 };
    const [last] = await this.#log.indexKeys(range);
    return last === undefined ? 1 : Number(last.slice(-8)) + 1;
  }
}
