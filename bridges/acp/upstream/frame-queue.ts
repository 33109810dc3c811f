import type { Frame } from '../../../src/upstream.ts';
import type { Timers } from '../../bridge.ts';

/** Frames on their way from an agent to the one turn that reads them, in order. */
export class FrameQueue {
  readonly #frames: Frame[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  push(frame: Frame): void {
    if (this.#isClosed) return;
    this.#frames.push(frame);
    this.#wake();
  }

  /** Nothing follows what is queued. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** What is queued now. */
  drain(): Frame[] {
    return this.#frames.splice(0);
  }

  /**
   * The next frame; undefined when the queue is closed and empty. Rejects with the reason of the signal, or with what `late`
   * makes when nothing came within `withinMs`.
   */
  async next(
    signal: AbortSignal,
    timers: Timers,
    withinMs: number | undefined,
    late: () => unknown,
  ): Promise<Frame | undefined> {
    if (this.#frames.length === 0 && !this.#isClosed && !signal.aborted) {
      await this.#more(signal, timers, withinMs, late);
    }
    if (signal.aborted) throw signal.reason;
    return this.#frames.shift();
  }

  #more(
    signal: AbortSignal,
    timers: Timers,
    withinMs: number | undefined,
    late: () => unknown,
  ): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const done = () => {
        if (timer !== undefined) timers.clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#wake = () => undefined;
      };
      const wake = () => {
        done();
        resolve();
      };
      const timer =
        withinMs === undefined
          ? undefined
          : timers.setTimeout(() => {
              done();
              reject(late());
            }, withinMs);
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
