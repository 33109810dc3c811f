import type { Logger } from '../protocol/ports.ts';

/** Listeners that are told in order; one that throws is logged and never stops the log or the others. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(...args: Args): void {
    for (const listener of this.#listeners) runGuarded(this.#logger, () => listener(...args));
  }
}

/** Runs a reaction to something already durable: its failure is logged and cannot undo the commit. */
export function runGuarded(logger: Logger, action: () => void): void {
  try {
    action();
  } catch (error) {
    logger.error({ err: error }, 'a listener of the log failed');
  }
}
