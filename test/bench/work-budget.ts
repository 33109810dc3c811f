import type { Bench, Row } from './bench.ts';
import { countTaskWork, type TaskWork } from './task-work.ts';

/** What one warm task may cost, and what is aimed at. Source: README.md of this folder, "Work budget". */
const BUDGET: Readonly<
  Record<Exclude<keyof TaskWork, 'parse'>, { what: string; budget: number; aim: number }>
> = {
  stringify: { what: 'JSON texts written', budget: 24, aim: 18 },
  sha256: { what: 'SHA-256 hashes', budget: 18, aim: 14 },
  signatures: { what: 'signatures', budget: 1, aim: 1 },
  authentications: { what: 'authentications', budget: 1, aim: 1 },
  redactionCalls: { what: 'calls in redaction', budget: 300, aim: 150 },
  calls: { what: 'calls of named product functions', budget: 1_700, aim: 1_200 },
  files: { what: 'product files entered', budget: 150, aim: 100 },
  rows: { what: 'rows left in the store', budget: 18, aim: 14 },
  bytes: { what: 'bytes left in the store, keys and values', budget: 15_000, aim: 12_000 },
  commits: { what: 'commits', budget: 2, aim: 2 },
};

/** Exact counts of one task, which no noise touches; the ratios of the other benches depend on the machine. */
export const workBudget: Bench = {
  id: 'BUDGET',
  title: 'what one warm REST task without a follower does',
  async run() {
    const work = await countTaskWork();
    return Object.entries(BUDGET).map(([name, { what, budget, aim }]): Row => {
      const measured = work[name as keyof TaskWork];
      return {
        id: 'BUDGET',
        what,
        measured: String(Math.round(measured * 10) / 10),
        baseline: '',
        ratio: undefined,
        target: `<= ${budget} (aim ${aim})`,
        met: measured <= budget,
        figures: { [name]: measured },
      };
    });
  },
};
