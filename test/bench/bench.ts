/** How much is measured: `quick` fits into CI, `full` adds 10 M events and 5,000 subscribers. */
export type Effort = 'quick' | 'normal' | 'full';

export interface BenchOptions {
  effort: Effort;
  /** Directory for CPU profiles of the server processes; undefined: none are taken. */
  profileDir: string | undefined;
  /** Tells people what is going on, on stderr. */
  progress(text: string): void;
}

/** One line of the table. Rows without a target are context for the ones that have one. */
export interface Row {
  id: string;
  what: string;
  measured: string;
  baseline: string;
  /** Measured against baseline in the unit of the target; undefined when there is no baseline to divide by. */
  ratio: number | undefined;
  target: string;
  met: boolean | undefined;
  /** Of absolute targets: whether it would be met on the machine that they were set on (machine.ts). */
  metAtReference?: boolean | undefined;
  /** The raw numbers, for --json. Names carry their units. */
  figures: Readonly<Record<string, number>>;
}

export interface Bench {
  id: string;
  title: string;
  run(options: BenchOptions): Promise<Row[]>;
}

/** Picks the amount for the effort; `full` defaults to `normal`. */
export function amount<T>(effort: Effort, amounts: { quick: T; normal: T; full?: T }): T {
  if (effort === 'quick') return amounts.quick;
  return effort === 'full' ? (amounts.full ?? amounts.normal) : amounts.normal;
}
