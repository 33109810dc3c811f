import type { Timers } from '../../bridge.ts';
import { type TimeoutName, timedOut } from './faults.ts';

/**
 * Ends what it guards: `signal` aborts with a Fault when a window passes, and with the caller's own reason when the
 * caller gives up. One window runs at a time; `close` must be called once.
 */
export class Watchdog {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timers: Timers;
  readonly #outer: AbortSignal;
  #window: unknown;
  readonly #onAbort = () => this.#controller.abort(this.#outer.reason);

  constructor(outer: AbortSignal, timers: Timers) {
    this.#outer = outer;
    this.#timers = timers;
    this.signal = this.#controller.signal;
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Starts a window and ends the one before it. */
  watch(name: TimeoutName, ms: number): void {
    this.rest();
    this.#window = this.#timers.setTimeout(() => this.#controller.abort(timedOut(name, ms)), ms);
  }

  /** Ends the window; nothing is timed until the next one. */
  rest(): void {
    if (this.#window !== undefined) this.#timers.clearTimeout(this.#window);
    this.#window = undefined;
  }

  close(): void {
    this.rest();
    this.#outer.removeEventListener('abort', this.#onAbort);
  }
}

/** Waits; rejects with the reason of the signal when it aborts first. */
export function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      timers.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = timers.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
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
