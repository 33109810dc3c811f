import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sizingRows } from '../../bench/sizing-rows.ts';

const LOAD = { short: 10_000, long: 1_000, events: 50, followers: 2_000, clients: 32 };
const FIGURES = {
  idleMb: 107.4,
  shortMb: 344,
  longMb: 471,
  followerKb: 27.3,
  shortBytes: 6_812,
  longBytes: 45_200,
  mainMs: 1.24,
  helperMs: 0.5,
  logMb: 135,
  cleanStartMs: 3_210,
  killedStartMs: 3_960,
};

it('says each figure in the unit that operators read it in', () => {
  expect(sizingRows(LOAD, FIGURES).map(({ what, measured }) => [what, measured])).toEqual([
    ['Memory of the process, idle', '107 MiB'],
    ['after 10,000 tasks of one word, 32 at a time', '344 MiB'],
    ['after 1,000 more of 50 events each', '471 MiB; the collector lets it grow while there is room'],
    ['Memory of a follower of events (SSE), 2,000 of them', '27 KiB each'],
    ['Disk of a task of one word', '6.8 KB'],
    ['Disk of a task of 50 events', '45 KB, which is 0.9 KB an event'],
    [
      'Processor of a task of one word, polled until it ends',
      '1.2 ms on the main thread, and 0.5 ms besides',
    ],
    ['Start on 135 MB of log, after a clean stop / a kill', '3.2 s / 4.0 s'],
  ]);
});

it('has the rows of the page for operators, as the bench prints them', () => {
  const page = readFileSync(new URL('../../../src/operation/README.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n## Sizing\n[\s\S]*?(\|[\s\S]*?)\n\n/.exec(page) ?? [];
  const [, , ...rows] = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const logMb = Number(/Start on (\d+) MB/.exec(table)?.[1]);
  const printed = sizingRows(LOAD, { ...FIGURES, logMb });
  expect(rows.map(([, what]) => what)).toEqual(printed.map(({ what }) => what));
  const shape = (said: string | undefined) => said?.replace(/[\d.]+/g, '0');
  expect(rows.map(([, , said]) => shape(said))).toEqual(printed.map(({ measured }) => shape(measured)));
});
