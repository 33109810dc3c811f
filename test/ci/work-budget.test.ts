import { describe, expect, it } from 'vitest';
import { countTaskWork, type TaskWork } from '../bench/task-work.ts';

/**
 * Upper bounds of what one warm task costs, each at most a few above what was counted last: they are lowered with every saving
 * and never raised. The budget to reach is in test/bench/work-budget.ts.
 */
const BOUNDS: Readonly<Record<keyof TaskWork, number>> = {
  stringify: 24,
  parse: 5,
  sha256: 13,
  signatures: 1,
  authentications: 1,
  redactionCalls: 72,
  calls: 1_530,
  files: 98,
  rows: 18,
  bytes: 14_300,
  commits: 2,
};

describe('the work of one warm task', () => {
  it('stays within its bounds, counted without a clock', async () => {
    const work = await countTaskWork();
    const beyond = Object.entries(BOUNDS).flatMap(([name, bound]) => {
      const measured = work[name as keyof TaskWork];
      return measured <= bound ? [] : [`${name}: ${measured} is more than ${bound}`];
    });
    expect(beyond).toEqual([]);
  }, 120_000);

  it.each(['A2A', 'ACP', 'MCP'] as const)(
    'takes one authentication at most over %s',
    async (face) => {
      expect((await countTaskWork(face, 3)).authentications).toBeLessThanOrEqual(1);
    },
    120_000,
  );
});
