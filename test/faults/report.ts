/** What a scenario did and what it found wrong; the quick tier asserts on it, the torture run adds it up. */
export class Report {
  readonly counts: Record<string, number> = {};
  /** What was measured, such as a latency; of several runs the greatest. */
  readonly figures: Record<string, number> = {};
  /** What was measured many times, each of them kept. */
  readonly samples: Record<string, number[]> = {};
  readonly violations: string[] = [];

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  measure(what: string, value: number): void {
    this.figures[what] = Math.max(this.figures[what] ?? value, value);
  }

  sample(what: string, value: number): void {
    const known = this.samples[what] ?? [];
    known.push(value);
    this.samples[what] = known;
  }

  /** Of each that was measured many times: how often, the median, the 99th percentile and the greatest. */
  get spreads(): Record<string, number> {
    return Object.fromEntries(
      Object.entries(this.samples).flatMap(([what, values]) => {
        const sorted = values.toSorted((one, other) => one - other);
        const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        return [
          [`${what}: times`, sorted.length],
          [`${what}: p50`, at(0.5)],
          [`${what}: p99`, at(0.99)],
          [`${what}: max`, at(1)],
        ];
      }),
    );
  }

  /** Records a violation unless the condition holds. */
  check(holds: boolean, otherwise: () => string): void {
    if (!holds) this.violations.push(otherwise());
  }

  add(other: Report): void {
    for (const [what, by] of Object.entries(other.counts)) this.count(what, by);
    for (const [what, value] of Object.entries(other.figures)) this.measure(what, value);
    for (const [what, values] of Object.entries(other.samples))
      for (const value of values) this.sample(what, value);
    this.violations.push(...other.violations);
  }
}
