import { describe, expect, it } from 'vitest';
import { cancelRaces } from './cancel-races.ts';
import { idempotencyRaces } from './idempotency-races.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const RACES = 20;
const INTERLEAVINGS = 1_000;

describe('100 callers with one Idempotency-Key (I-01 to I-03, I-08)', () => {
  it(`make one task, over a restart and to the end of the window, in ${RACES} races (seed ${SEED})`, async () => {
    const { violations, counts } = await idempotencyRaces(SEED, RACES);
    process.stderr.write(`idempotency, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts['races']).toBe(RACES);
  }, 60_000);
});

describe('cancel against completion (L-02, L-03)', () => {
  it(`ends every task exactly once in ${INTERLEAVINGS} interleavings (seed ${SEED})`, async () => {
    const { violations, counts } = await cancelRaces(SEED, INTERLEAVINGS);
    process.stderr.write(`cancel races, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts['races']).toBe(INTERLEAVINGS);
    expect(counts['ended CANCELED']).toBeGreaterThan(INTERLEAVINGS / 20);
    expect(counts['ended COMPLETED']).toBeGreaterThan(INTERLEAVINGS / 20);
  }, 120_000);
});
