import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { type Child, withChild } from './child.ts';
import { writeConfig } from './data-directory.ts';
import type { Spent } from './log-child.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { type ServedRun, timeServe } from './served-process.ts';
import { median } from './statistics.ts';

const TARGET_RSS_MB = 250;
const TARGET_READY_MS = 1_000;
const WINDOWS = 5;

/** Sizes in events: the cost at each is measured just before it is reached. */
interface Sizes {
  small: number;
  large: number;
  window: number;
  target: number;
}

const SIZES = {
  quick: { small: 20_000, large: 100_000, window: 2_000, target: 1.1 },
  normal: { small: 100_000, large: 1_000_000, window: 10_000, target: 1.1 },
  full: { small: 100_000, large: 10_000_000, window: 10_000, target: 1.2 },
};

export const growth: Bench = {
  id: 'P8',
  title: 'cost per event as the log grows',
  async run(options) {
    const sizes = amount<Sizes>(options.effort, SIZES);
    const data = scratchDirectory();
    const filled = await withChild('log-child', { args: { data }, profileDir: options.profileDir }, (child) =>
      fill(child, sizes, options),
    );
    const config = writeConfig(data);
    const served = await timeServe(config, data);
    return [costRow(filled, sizes), readyRow(served, sizes), rssRow(served, filled, sizes)];
  },
};

interface Filled {
  atSmall: Spent[];
  atLarge: Spent[];
  rssBytes: number;
}

async function fill(child: Child<unknown>, sizes: Sizes, { progress }: BenchOptions): Promise<Filled> {
  const { small, large, window } = sizes;
  const measured = window * WINDOWS;
  await child.ask('fill', small - measured);
  const atSmall = await windows(child, window);
  progress(`at ${small}: ${describe(atSmall)}`);
  await child.ask('fill', large - small - measured);
  const atLarge = await windows(child, window);
  progress(`at ${large}: ${describe(atLarge)}`);
  // What is held, not what the collector has not looked at yet.
  await child.ask('collect');
  return { atSmall, atLarge, rssBytes: (await child.usage()).rssBytes };
}

async function windows(child: Child<unknown>, window: number): Promise<Spent[]> {
  const found: Spent[] = [];
  for (let at = 0; at < WINDOWS; at += 1) found.push(await child.ask<Spent>('append', window));
  return found;
}

const cpuEach = (runs: readonly Spent[]) => median(runs.map(({ cpuUs, events }) => cpuUs / events));
const perSecond = (runs: readonly Spent[]) =>
  median(runs.map(({ wallUs, events }) => (events / wallUs) * 1e6));

function describe(runs: readonly Spent[]): string {
  return `${cpuEach(runs).toFixed(1)} us CPU, ${(perSecond(runs) / 1000).toFixed(1)} k/s`;
}

function costRow({ atSmall, atLarge }: Filled, { small, large, target }: Sizes): Row {
  const ratio = cpuEach(atLarge) / cpuEach(atSmall);
  return {
    id: 'P8',
    what: `append of one event at ${count(large)} events, 64 writers, compaction included`,
    measured: describe(atLarge),
    baseline: `at ${count(small)} events: ${describe(atSmall)}`,
    ratio,
    target: `CPU ratio <= ${target}`,
    met: ratio <= target,
    figures: { smallCpuUs: cpuEach(atSmall), largeCpuUs: cpuEach(atLarge), ratio },
  };
}

function readyRow({ readyMs }: ServedRun, { large }: Sizes): Row {
  return {
    id: 'P8',
    what: `start to the ready line after a clean stop at ${count(large)} events`,
    measured: `${readyMs.toFixed(0)} ms`,
    baseline: '',
    ratio: undefined,
    target: `< ${TARGET_READY_MS} ms`,
    ...against(readyMs, { most: TARGET_READY_MS }, 'json'),
    figures: { readyMs },
  };
}

function rssRow({ rssBytes }: ServedRun, filled: Filled, { large }: Sizes): Row {
  const megabytes = (bytes: number) => bytes / 1024 / 1024;
  const worst = megabytes(Math.max(rssBytes, filled.rssBytes));
  return {
    id: 'P8',
    what: `RSS at ${count(large)} events`,
    measured: `${megabytes(filled.rssBytes).toFixed(0)} MB after writing them, ${megabytes(rssBytes).toFixed(0)} MB after a start`,
    baseline: '',
    ratio: undefined,
    target: `< ${TARGET_RSS_MB} MB`,
    met: worst < TARGET_RSS_MB,
    figures: { writtenMb: megabytes(filled.rssBytes), startedMb: megabytes(rssBytes) },
  };
}

function count(events: number): string {
  return events >= 1e6 ? `${events / 1e6} M` : `${events / 1e3} k`;
}
