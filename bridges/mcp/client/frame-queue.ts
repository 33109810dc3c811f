import type { Frame } from '#protocol-client.ts';
import type { Timers } from '../../bridge.ts';

/** Frames from callbacks to one reader, in order. */
export class FrameQueue implements AsyncIterable<Frame> {
  readonly #frames: Frame[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  push(frame: Frame): void {
    if (this.#isOver) return;
    this.#frames.push(frame);
    this.#wake();
  }

  /** Nothing is taken any more; what was pushed is still read. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Waits for the first frame; false when none came within `ms`, or none will. */
  async comesWithin(ms: number, timers: Timers): Promise<boolean> {
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = timers.setTimeout(resolve, ms);
    });
    if (this.#frames.length === 0 && !this.#isOver) await Promise.race([this.#next(), late]);
    timers.clearTimeout(timer);
    return this.#frames.length > 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) yield frame;
      else if (this.#isOver) return;
      else await this.#next();
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
