import { afterAll, describe, expect, it } from 'vitest';
import { killChildren } from './child-processes.ts';
import { killNineCycles } from './kill-nine-cycles.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const CYCLES = 20;

afterAll(killChildren);

describe('SIGKILL of a gateway under load (D-01, D-03, D-05, D-06)', () => {
  it(`loses no acknowledged write in ${CYCLES} cycles (seed ${SEED})`, async () => {
    const { violations, counts } = await killNineCycles(SEED, CYCLES);
    process.stderr.write(`kill -9, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({ kills: CYCLES });
    expect(counts['acknowledged writes looked up']).toBeGreaterThan(1_000);
    expect(counts['tasks resumed over a restart']).toBeGreaterThan(0);
  }, 180_000);
});
