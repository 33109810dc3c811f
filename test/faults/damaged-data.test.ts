import { afterAll, describe, expect, it } from 'vitest';
import { bitFlips } from './bit-flips.ts';
import { killChildren } from './child-processes.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const FLIPS = Number(process.env['FAULTS_FLIPS'] ?? 50);

afterAll(killChildren);

describe('a bit that flipped in the store (D-11)', () => {
  it(`never makes the gateway serve a wrong value, ${FLIPS} times (seed ${SEED})`, async () => {
    const { violations, counts } = await bitFlips(SEED, FLIPS);
    process.stderr.write(`bit flips, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect((counts['flips'] ?? 0) + (counts['LevelDB aborted'] ?? 0)).toBe(FLIPS);
  }, 120_000);
});
