import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlipVerdict } from './bit-flip-child.ts';
import { Child, PACKAGE_ROOT } from './child-processes.ts';
import { Report } from './report.ts';
import { StockedData } from './stocked-data.ts';

const SESSIONS = 6;

/** So many single bits flipped in the files of the store, one at a time: whatever is served is what was written. */
export async function bitFlips(seed: number, flips: number): Promise<Report> {
  const report = new Report();
  const stocked = await new StockedData().make(SESSIONS);
  const truth = join(stocked.folder, 'truth.json');
  writeFileSync(truth, JSON.stringify(stocked.truth));
  try {
    let next = 0;
    while (next < flips) {
      const args = [stocked.data, truth, stocked.folder, seed, next, flips - 1].map(String);
      const child = new Child([`${PACKAGE_ROOT}dist/test/faults/bit-flip-child.js`, ...args]);
      const { stdout, stderr, code, signal } = await child.ended;
      const verdicts = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as FlipVerdict);
      for (const verdict of verdicts.filter(({ done }) => done)) take(verdict, seed, report);
      const last = verdicts.at(-1);
      if (last === undefined) throw new Error(`The flipping process ended with ${code ?? signal}: ${stderr}`);
      if (!last.done) report.count('LevelDB aborted');
      next = last.flip + 1;
    }
  } finally {
    stocked.remove();
  }
  return report;
}

function take(
  { flip, where, refused, served, locked, missing, wrong }: FlipVerdict,
  seed: number,
  report: Report,
): void {
  report.count('flips');
  report.count('answers as written', served);
  report.count('answers 423 integrity', locked);
  report.count('answers 404', missing.length);
  if (refused !== undefined) report.count(`stores refused as ${refused}`);
  else if (locked > 0) report.count('flips seen');
  for (const fault of wrong) report.violations.push(`seed ${seed} flip ${flip} (${where}): ${fault}`);
}
