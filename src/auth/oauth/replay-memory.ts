import type { Clock } from '#protocol/ports.ts';

/**
 * Most proofs remembered at a time: more than a gateway can verify while one is remembered. When it is full, new proofs are
 * refused; none is forgotten early.
 */
const MAX_REMEMBERED = 500_000;

/** The proofs that were used, each until it would be refused for its age anyway. Spec: RFC 9449, section 11.1. */
export class ReplayMemory {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #max: number;
  /** When each of them expires, in the order of arrival. */
  readonly #used = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>, max: number = MAX_REMEMBERED) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Remembers a proof until a wall-clock time. `again`: it was used before. `full`: it cannot be remembered. */
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

  /** Proofs expire nearly in the order of arrival: clocks differ by a few seconds only. So it is enough to look at the front. */
  #forgetEnded(nowMs: number): void {
    for (const [id, untilMs] of this.#used) {
      if (nowMs <= untilMs) return;
      this.#used.delete(id);
    }
  }
}
