import { describe, expect, it } from 'vitest';
import { Report } from './report.ts';
import { storyWithFault } from './store-faults-story.ts';

describe('the n-th write of a story fails, for every n (D-08, D-09, D-12)', () => {
  it.each(['lost', 'ghost'] as const)(
    'loses nothing and doubles nothing when the write is %s',
    async (write) => {
      const report = new Report();
      let n = 1;
      while (await storyWithFault({ call: 'write', nth: n, write }, report)) n += 1;
      process.stderr.write(`failed write ${write}: ${n - 1} places, ${JSON.stringify(report.counts)}\n`);
      expect(report.violations).toEqual([]);
      expect(n).toBeGreaterThan(10);
    },
    120_000,
  );

  // Found by `torture --only disk-faults --size 25 --seed 1639265166`.
  it('reads back what was said once the last task has ended, which may be late', async () => {
    const report = new Report();
    // Each task is accepted by then, and has its first commits.
    for (const nth of [8, 9]) await storyWithFault({ call: 'write', nth, write: 'lost' }, report, 'late');
    expect(report.violations).toEqual([]);
  }, 60_000);
});
