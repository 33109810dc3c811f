import type { Bench, Row } from './bench.ts';
import type { FaceName } from './face-tasks.ts';
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

/** Tasks counted over another face than REST, where the figures are reported and not held. */
const REPORTED = 5;
const AUTHENTICATIONS = 1;

/** Exact counts of one task, which no noise touches; the ratios of the other benches depend on the machine. */
export const workBudget: Bench = {
  id: 'BUDGET',
  title: 'what one warm task without a follower does',
  async run({ progress }) {
    const rows = budgetRows(await countTaskWork());
    for (const face of ['A2A', 'ACP', 'MCP'] as const) {
      progress(`the same over ${face}`);
      rows.push(reportedRow(face, await countTaskWork(face, REPORTED)));
    }
    return rows;
  },
};

function budgetRows(work: TaskWork): Row[] {
  return Object.entries(BUDGET).map(([name, { what, budget, aim }]): Row => {
    const measured = work[name as keyof TaskWork];
    return {
      id: 'BUDGET',
      what,
      measured: rounded(measured),
      baseline: '',
      ratio: undefined,
      target: `<= ${budget} (aim ${aim})`,
      met: measured <= budget,
      figures: { [name]: measured },
    };
  });
}

/** In the order of the budget. */
function reportedRow(face: FaceName, work: TaskWork): Row {
  const counts = Object.keys(BUDGET).map((name) => rounded(work[name as keyof TaskWork]));
  return {
    id: 'BUDGET',
    what: `the same task over ${face}: texts, hashes, signatures, authentications, redaction, calls, files, rows, bytes, commits`,
    measured: counts.join(' / '),
    baseline: '',
    ratio: undefined,
    target: `authentications <= ${AUTHENTICATIONS}`,
    met: work.authentications <= AUTHENTICATIONS,
    figures: { ...work },
  };
}

const rounded = (value: number) => String(Math.round(value * 10) / 10);
