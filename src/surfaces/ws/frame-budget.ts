/** A token bucket: `burst` frames at once, `perSecond` in the long run. */
export class FrameBudget {
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #filledMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#filledMs = nowMs;
  }

  /** Takes one; false when none is left. */
  take(nowMs: number): boolean {
    const earned = ((nowMs - this.#filledMs) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#burst, this.#left + earned);
    this.#filledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
