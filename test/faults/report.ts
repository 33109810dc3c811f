/** What a scenario did and what it found wrong; the quick tier asserts on it, the torture run adds it up. */
export class Report {
  readonly counts: Record<string, number> = {};
  /** What was measured, such as a latency; of several runs the greatest. */
  readonly figures: Record<string, number> = {};
  readonly violations: string[] = [];

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  measure(what: string, value: number): void {
    this.figures[what] = Math.max(this.figures[what] ?? value, value);
  }

  /** Records a violation unless the condition holds. */
  check(holds: boolean, otherwise: () => string): void {
    if (!holds) this.violations.push(otherwise());
  }

  add(other: Report): void {
    for (const [what, by] of Object.entries(other.counts)) this.count(what, by);
    for (const [what, value] of Object.entries(other.figures)) this.measure(what, value);
    this.violations.push(...other.violations);
  }
}
