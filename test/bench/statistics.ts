/** Nearest-rank quantile; throws for an empty list, because a figure of nothing is a broken bench. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('A quantile of no values.');
  return value;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The median of the quotients of rounds that ran next to each other, so that a slow minute hits both sides. */
export function medianRatio(measured: readonly number[], baseline: readonly number[]): number {
  return median(measured.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}
