import type { Clock } from '#protocol/ports.ts';
import { FIXED_LIMITS } from './config.ts';
import { isAway } from './connection.ts';

export interface Patience {
  clock: Pick<Clock, 'monotonic'>;
  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** Longest wait in all, in milliseconds. */
  forMs: number;
  /** Whether somebody still waits for the outcome. Default: yes. */
  isWanted?(): boolean;
}

/**
 * Does a work again, with doubling waits, for as long as the server that it needs is being started. Only what did not reach
 * the server is done again; rejects with what the last attempt failed with.
 */
export async function whileAway<T>(
  work: () => Promise<T>,
  { clock, pause, forMs, isWanted = () => true }: Patience,
): Promise<T> {
  const untilMs = clock.monotonic() + forMs;
  for (let waitMs: number = FIXED_LIMITS.reopenMs; ; waitMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || clock.monotonic() + waitMs > untilMs) throw error;
      await pause(waitMs);
      if (!isWanted()) throw error;
    }
  }
}
