import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendResult, RESULTS_FILE, type Result, readResults, summaryTable } from './results.ts';
import { RESULTS_PAGE, summaryOnPage } from './results-page.ts';
import { SCENARIOS } from './scenarios.ts';

const results = readResults(RESULTS_FILE);

const run = (changes: Partial<Result>): Result => ({
  at: '2026-11-23T19:00:00.000Z',
  commit: '0123456789ab',
  scenario: 'kill-nine',
  seed: 1,
  size: 20,
  count: 1_500,
  findings: 0,
  failed: [],
  seconds: 60,
  node: 'v20.20.2',
  machine: '2 x some processor, linux 6',
  ...changes,
});

describe('the file of results', () => {
  it('says of every run what it takes to repeat it, and names scenarios that there are', () => {
    for (const result of results)
      expect(result).toMatchObject({
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        commit: expect.stringMatching(/^[0-9a-f]{12}\+?$/),
        scenario: expect.toSatisfy((name: string) => name in SCENARIOS),
        seed: expect.any(Number),
        size: expect.toSatisfy((size: number) => size > 0),
        count: expect.toSatisfy((count: number) => count >= 0),
        findings: expect.any(Number),
        node: expect.stringMatching(/^v\d+\.\d+\.\d+$/),
        machine: expect.any(String),
      });
  });

  it('is summed up on the page', () => {
    const page = readFileSync(RESULTS_PAGE, 'utf8');
    expect(summaryOnPage(page), 'write it with: npm run torture -- --table').toBe(summaryTable(results));
  });

  it('is read as it is written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'harn-results-'));
    try {
      const file = join(folder, 'results.jsonl');
      const runs = [run({}), run({ seed: 2, figures: { 'p99 ms': 12.5 } })];
      for (const one of runs) appendResult(file, one);
      expect(readResults(file)).toEqual(runs);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the summary', () => {
  it('adds up the runs of a claim, by version of Node, names the newest seed, and shows a claim that nobody tried', () => {
    const rows = summaryTable([
      run({}),
      run({ count: 500, findings: 2, node: 'v24.1.0', seed: 77 }),
      run({ scenario: 'drain', count: 7 }),
      run({ scenario: 'replays', count: 30, nodes: { 20: 10, 24: 20 } }),
    ])
      .replace(/ +/g, ' ')
      .split('\n');
    const claims = Object.values(SCENARIOS).flatMap(({ claim }) => claim ?? []);
    expect(rows).toHaveLength(2 + claims.length);
    expect(rows.find((row) => row.includes('`kill-nine`'))).toMatch(
      /\| 2,000 \| 10,000 \| 2 \| 20: 1,500, 24: 500 \| 2 \| `--size 20 --seed 77` \|$/,
    );
    expect(rows.find((row) => row.includes('`replays`'))).toMatch(
      /\| 30 \| 3,000 \| 0 \| 20: 10, 24: 20 \| 1 \| `--size 20 --seed 1` \|$/,
    );
    expect(rows.find((row) => row.includes('`disk-faults`'))).toMatch(/\| 0 \| 1,000 \| 0 \| \| 0 \| \|$/);
  });
});
