import type { Frame } from '#protocol-client.ts';
import type { Timers } from '../bridge.ts';

/**
 * How long a frame may wait for the next ones, so that they are made durable together. Agents send an update in several
 * messages at once; without a wait the first of them costs a commit of its own.
 */
const GATHER_MS = 2;
/** Frames that are recorded together at most. */
const MAX_TOGETHER = 32;

/** Frames on their way from an agent or a server to the one turn that reads them, in order. */
export class FrameQueue implements AsyncIterable<Frame> {
  readonly #frames: { frame: Frame; taken: () => void }[] = [];
  #isClosed = false;
  #isFresh = true;
  /** Somebody waits for what is queued: it is not gathered. */
  #isUrgent = false;
  #wake: () => void = () => undefined;
  /** Who waits for what was given out to be recorded. */
  #handedOut: (() => void)[] = [];
  /** How many frames are still to be given out of those that came together. */
  #together = 0;

  push(frame: Frame): void {
    this.#add(frame, () => undefined);
  }

  /** A frame that somebody waits for. Resolves when it is recorded, or when nobody reads any more. */
  pushUrgent(frame: Frame): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((taken) => {
      this.#isUrgent = true;
      this.#add(frame, taken);
    });
  }

  #add(frame: Frame, taken: () => void): void {
    if (this.#isClosed) return;
    this.#frames.push({ frame, taken });
    this.#wake();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing follows what is queued; that is still read. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** What is queued now. */
  drain(): Frame[] {
    this.#isUrgent = false;
    this.#together = 0;
    return this.#frames.splice(0).map(({ frame, taken }) => {
      taken();
      return frame;
    });
  }

  /** Waits for the first frame; false when none came within `ms`, or none will. */
  async comesWithin(ms: number, timers: Timers): Promise<boolean> {
    if (this.#frames.length === 0 && !this.#isClosed) await this.#change({ timers, withinMs: ms });
    return this.#frames.length > 0;
  }

  /** Each frame by itself, as it comes, to the end of the queue. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    for (;;) {
      for (const taken of this.#handedOut.splice(0)) taken();
      if (this.#frames.length === 0 && !this.#isClosed) await this.#change({});
      this.#together = 1;
      const frame = this.#give();
      if (frame !== undefined) yield frame;
      else if (this.#isClosed) return;
    }
  }

  /**
   * The next frame, gathered with those that come shortly after it; undefined when the queue is closed and empty. Whoever asks for
   * it has recorded the one before, or holds it for those that came together with it (`more`). `late` is called when nothing came
   * within `withinMs`; it closes the queue. Rejects with the reason of the signal.
   */
  async next(
    signal: AbortSignal,
    timers: Timers,
    withinMs: number | undefined,
    late: () => void,
  ): Promise<Frame | undefined> {
    if (this.#together > 0) return this.#give();
    for (const taken of this.#handedOut.splice(0)) taken();
    const isEmpty = this.#frames.length === 0;
    if (isEmpty && !this.#isClosed && !signal.aborted) await this.#change({ signal, timers, withinMs, late });
    // What begins a turn is queued before anybody reads, and waits for the first words of the agent.
    if (isEmpty || this.#isFresh) await this.#gather(signal, timers);
    this.#isFresh = false;
    if (signal.aborted) throw signal.reason;
    this.#together = Math.min(this.#frames.length, MAX_TOGETHER);
    return this.#give();
  }

  #give(): Frame | undefined {
    const first = this.#frames.shift();
    if (first === undefined) {
      this.#together = 0;
      return undefined;
    }
    const { frame, taken } = first;
    this.#handedOut.push(taken);
    this.#together -= 1;
    if (this.#frames.length === 0) this.#isUrgent = false;
    return this.#together > 0 && frame.kind === 'message' ? { ...frame, more: true } : frame;
  }

  async #gather(signal: AbortSignal, timers: Timers): Promise<void> {
    let isOver = false;
    const timer = timers.setTimeout(() => {
      isOver = true;
      this.#wake();
    }, GATHER_MS);
    while (!isOver && !this.#isUrgent && !this.#isClosed && !signal.aborted) await this.#change({ signal });
    timers.clearTimeout(timer);
  }

  /** Resolves when a frame comes, the queue is closed, the signal aborts, or `withinMs` have passed. */
  #change({ signal, timers, withinMs, late }: Wait): Promise<void> {
    return new Promise<void>((resolve) => {
      const done = () => {
        timers?.clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#wake = () => undefined;
      };
      const wake = () => {
        done();
        resolve();
      };
      const timer =
        withinMs === undefined
          ? undefined
          : timers?.setTimeout(() => {
              late?.();
              wake();
            }, withinMs);
      this.#wake = wake;
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}

interface Wait {
  signal?: AbortSignal;
  timers?: Timers;
  withinMs?: number | undefined;
  late?(): void;
}
