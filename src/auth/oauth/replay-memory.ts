import type { Clock } from '#protocol/ports.ts';

/**
 * Most proofs remembered at a time. More than a gateway verifies within the time one is remembered, so that nobody fills it
 * who does not keep the processor busy first; a full memory refuses, it does not forget.
 */
const MAX_REMEMBERED = 500_000;

/** The proofs that were used, each until it would be refused for its age anyway. Spec: RFC 9449, section 11.1. */
export class ReplayMemory {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #max: number;
  /** End of each, in the order of arrival. */
  readonly #used = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>, max: number = MAX_REMEMBERED) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Takes a proof on until a wall-clock time; `again` when it was used before, `full` when it cannot be remembered. */
  use(id: string, untilMs: number): 'first' | 'again' | 'full' {
    const nowMs = this.#clock.now();
    const known = this.#used.get(id);
    if (known !== undefined && nowMs <= known) return 'again';
    this.#forgetEnded(nowMs);
    if (this.#used.size >= this.#max) return 'full';
    this.#used.delete(id);
    this.#used.set(id, untilMs);
    return 'first';
  }

  /** Ends differ from the order of arrival by no more than clocks may, so what is left over at the front is soon gone. */
  #forgetEnded(nowMs: number): void {
    for (const [id, untilMs] of this.#used) {
      if (nowMs <= untilMs) return;
      this.#used.delete(id);
    }
  }
}
