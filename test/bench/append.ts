import { amount, type Bench, type Row } from './bench.ts';
import { withChild } from './child.ts';
import type { Spent } from './log-child.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio } from './statistics.ts';

const TARGET = 0.8;
/** Events until the compiler has settled: rounds before them cost half as much again. */
const WARM_UP = 40_000;

interface Shape {
  batches: number;
  ops: number;
  bytes: number;
}

interface Runs {
  log: Spent[];
  bare: Spent[];
  single: Spent[];
}

export const append: Bench = {
  id: 'P3',
  title: 'event append by 64 writers',
  async run({ effort, profileDir, progress }) {
    const events = amount(effort, { quick: 10_000, normal: 20_000 });
    const rounds = amount(effort, { quick: 4, normal: 9 });
    return withChild('log-child', { args: { data: scratchDirectory() }, profileDir }, async (child) => {
      const runs: Runs = { log: [], bare: [], single: [] };
      await child.ask('append', WARM_UP);
      for (let round = 0; round < rounds; round += 1) {
        runs.log.push(await child.ask<Spent>('recorded', events));
        runs.bare.push(await child.ask<Spent>('bare', events));
        runs.single.push(await child.ask<Spent>('single', events));
        progress(`${describe(runs.log.slice(-1))} against ${describe(runs.bare.slice(-1))}`);
      }
      return rowsOf(runs, await child.ask<Shape>('shape'), events);
    });
  },
};

const perSecond = ({ events, wallUs }: Spent) => (events / wallUs) * 1e6;
const cpuEach = ({ events, cpuUs }: Spent) => cpuUs / events;

function describe(runs: readonly Spent[]): string {
  return `${(median(runs.map(perSecond)) / 1000).toFixed(1)} k/s, ${median(runs.map(cpuEach)).toFixed(1)} us CPU`;
}

function rowsOf({ log, bare, single }: Runs, shape: Shape, events: number): Row[] {
  const each = `${(shape.ops / events).toFixed(1)} operations, ${(shape.bytes / events).toFixed(0)} B per event`;
  const groups = `${(events / shape.batches).toFixed(0)} events a group`;
  const ratio = medianRatio(log.map(perSecond), bare.map(perSecond));
  const toSingle = medianRatio(log.map(perSecond), single.map(perSecond));
  const figures = { logPerSecond: median(log.map(perSecond)), logCpuUs: median(log.map(cpuEach)) };
  return [
    {
      id: 'P3',
      what: `event append through the log (hashes, folds, indexes, commit chain), ${groups}, fsynced`,
      measured: describe(log),
      baseline: `same keys, bytes and groups by chained batch (${each}): ${describe(bare)}`,
      ratio,
      target: `>= ${TARGET} of bare events/s`,
      met: ratio >= TARGET,
      figures: {
        ...figures,
        barePerSecond: median(bare.map(perSecond)),
        bareCpuUs: median(bare.map(cpuEach)),
        ratio,
      },
    },
    {
      id: 'P3',
      what: 'the same against the plainest figure',
      measured: describe(log),
      baseline: `one put of the event bytes each, groups of 64: ${describe(single)}`,
      ratio: toSingle,
      target: '',
      met: undefined,
      figures: { ...figures, singlePerSecond: median(single.map(perSecond)), ratio: toSingle },
    },
  ];
}
