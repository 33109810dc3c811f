import type { ServerTimers } from '#protocol-server.ts';
import type { Timers } from '../bridge.ts';

/** Waits; rejects when the signal aborts first, with its reason or with `why`. */
export function pause(ms: number, timers: Timers, signal?: AbortSignal, why?: unknown): Promise<void> {
  let timer: unknown;
  const over = new Promise<void>((resolve) => {
    timer = timers.setTimeout(resolve, ms);
  });
  if (signal === undefined) return over;
  return unlessAborted(over, signal, why).finally(() => timers.clearTimeout(timer));
}

/** Whether work is done within so long. It goes on when it is not; when it fails it is not done. */
export function isDoneWithin(work: Promise<unknown>, ms: number, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => resolve(false), ms);
    const settle = (isDone: boolean) => {
      timers.clearTimeout(timer);
      resolve(isDone);
    };
    work.then(
      () => settle(true),
      () => settle(false),
    );
  });
}

/**
 * Work that is shared, as one of its callers sees it: rejects when that caller leaves, with the reason of the signal or with `why`,
 * while the work goes on for the others.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, why?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(why ?? signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** The timers of a server in the form that clients take. */
export function timersOf({ after }: Pick<ServerTimers, 'after'>): Timers {
  return {
    setTimeout: (run, ms) => after(ms, run),
    clearTimeout: (stop) => (stop as (() => void) | undefined)?.(),
  };
}

/** Doubling waits between two bounds. */
export class Backoff {
  #next: number;
  readonly #first: number;
  readonly #longest: number;

  constructor(firstMs: number, longestMs: number) {
    this.#first = firstMs;
    this.#next = firstMs;
    this.#longest = longestMs;
  }

  next(): number {
    const ms = this.#next;
    this.#next = Math.min(ms * 2, this.#longest);
    return ms;
  }

  reset(): void {
    this.#next = this.#first;
  }
}
