import type { Logger } from '#protocol/ports.ts';
import type { Store } from '#store/store.ts';
import type { LogHead } from './event-log.ts';
import type { Timers } from './timers.ts';
import { type TailVerdict, verifyTail } from './verify-tail.ts';

const FIRST_DELAY_MS = 100;
/** Long enough to be no load, short enough that a freed disk is noticed soon. */
const MAX_DELAY_MS = 5_000;

export interface ReopenerParts {
  store: Store;
  timers: Timers;
  logger: Logger;
  /** Heads the store has to contain, the one to verify from first. */
  trusted(): readonly [LogHead, ...LogHead[]];
  onReopened(verdict: TailVerdict): Promise<void>;
}

/** Reopens a fenced store in the background until it works, and verifies it before anything is written again. */
export class Reopener {
  readonly #parts: ReopenerParts;
  #delayMs = FIRST_DELAY_MS;
  #stopTimer: (() => void) | undefined;
  #attempt: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: ReopenerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#delayMs = FIRST_DELAY_MS;
    this.#schedule(0);
  }

  /** Resolves when no attempt runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimer?.();
    await this.#attempt;
  }

  #schedule(delayMs: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#parts.timers.after(delayMs, () => {
      this.#attempt = this.#try();
    });
  }

  async #try(): Promise<void> {
    const { store, logger, onReopened } = this.#parts;
    try {
      if (store.health === 'fenced') await store.reopen();
      const verdict = await this.#verify();
      if (!this.#stopped) await onReopened(verdict);
    } catch (error) {
      if (this.#stopped) return;
      logger.warn({ err: error, retryInMs: this.#delayMs }, 'store not reopened yet');
      this.#schedule(this.#delayMs);
      this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
    }
  }

  async #verify(): Promise<TailVerdict> {
    const [first, ...others] = this.#parts.trusted();
    let verdict = await verifyTail(this.#parts.store, first);
    for (const head of others)
      if (verdict.integrity.status === 'ok') verdict = await verifyTail(this.#parts.store, head);
    return verdict;
  }
}
