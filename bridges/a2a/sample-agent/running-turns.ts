import { setImmediate, setTimeout } from 'node:timers/promises';
import type { OpenStep, PublishedStep, Step } from './steps.ts';

/** The turns that are being played, one per task. Canceling one stops it and clears its timers. */
export class RunningTurns {
  readonly #turns = new Map<string, AbortController>();

  isRunning(taskId: string): boolean {
    return this.#turns.has(taskId);
  }

  /** Plays the steps in order. Returns when they are done or the turn was canceled; after that nothing is published. */
  async play(
    taskId: string,
    steps: Iterable<OpenStep | Step>,
    publish: (step: PublishedStep) => void,
  ): Promise<void> {
    const turn = new AbortController();
    this.#turns.set(taskId, turn);
    try {
      for (const step of steps) await playStep(step, publish, turn.signal);
    } catch (error) {
      if (!turn.signal.aborted) throw error;
    } finally {
      this.#turns.delete(taskId);
    }
  }

  cancel(taskId: string): void {
    this.#turns.get(taskId)?.abort();
  }

  cancelAll(): void {
    for (const turn of this.#turns.values()) turn.abort();
  }
}

async function playStep(
  step: OpenStep | Step,
  publish: (step: PublishedStep) => void,
  signal: AbortSignal,
): Promise<void> {
  if (step.do === 'pause') return setTimeout(step.ms, undefined, { signal });
  // One turn of the event loop per step, so that a cancel can come in between.
  await setImmediate(undefined, { signal });
  signal.throwIfAborted();
  publish(step);
}
