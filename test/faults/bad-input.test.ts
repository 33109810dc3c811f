import { describe, expect, it } from 'vitest';
import { badInput } from './bad-input.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const REQUESTS = Number(process.env['FAULTS_REQUESTS'] ?? 20_000);

describe('bad requests on the HTTP face (F-01, F-02, J, H)', () => {
  it(`never meet a 5xx, a crash or a hang in ${REQUESTS} tries (seed ${SEED})`, async () => {
    const { violations, counts } = await badInput(SEED, REQUESTS);
    process.stderr.write(`bad input, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts['requests']).toBe(REQUESTS);
    expect(counts['answered 2xx']).toBeGreaterThan(REQUESTS / 20);
    expect(counts['answered 4xx']).toBeGreaterThan(REQUESTS / 4);
  }, 180_000);
});
