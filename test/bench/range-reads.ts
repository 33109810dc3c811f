import { Pool } from 'undici';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child, withChild } from './child.ts';
import { closedLoop } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import type { Spent } from './log-child.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio } from './statistics.ts';

const TARGET_PER_SECOND = 150_000;
const PAGE = 200;
const CLIENTS = 8;

export const rangeReads: Bench = {
  id: 'P5',
  title: 'range reads',
  async run(options) {
    const data = scratchDirectory();
    const fromLog = await withChild(
      'log-child',
      { args: { data }, profileDir: options.profileDir },
      (child) => logRows(child, options),
    );
    return [...fromLog, await httpRow(data, options)];
  },
};

const perSecond = ({ events, wallUs }: Spent) => (events / wallUs) * 1e6;
const cpuEach = ({ events, cpuUs }: Spent) => cpuUs / events;

async function logRows(child: Child<unknown>, { effort, progress }: BenchOptions): Promise<Row[]> {
  await child.ask('fill', amount(effort, { quick: 30_000, normal: 100_000 }));
  const rounds = amount(effort, { quick: 4, normal: 9 });
  const all: Spent[] = [];
  const sessions: Spent[] = [];
  const bare: Spent[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const took = [await child.ask<Spent>('readBare'), await child.ask<Spent>('readAll')] as const;
    const indexed = await child.ask<Spent>('readSessions');
    if (round === 0) continue;
    bare.push(took[0]);
    all.push(took[1]);
    sessions.push(indexed);
    progress(`${describe([took[1]])} against ${describe([took[0]])}`);
  }
  return [
    logRow('the whole log, pages of 1,000, hashes checked', all, bare),
    logRow('single sessions through their index, hashes checked', sessions, bare),
  ];
}

function describe(runs: readonly Spent[]): string {
  return `${(median(runs.map(perSecond)) / 1000).toFixed(0)} k/s, ${median(runs.map(cpuEach)).toFixed(2)} us CPU`;
}

function logRow(what: string, mine: readonly Spent[], bare: readonly Spent[]): Row {
  // One core's worth: other work on the machine takes wall time, not CPU time.
  const rate = 1e6 / median(mine.map(cpuEach));
  return {
    id: 'P5',
    what: `events read from the log: ${what}`,
    measured: describe(mine),
    baseline: `LevelDB iterator, nextv(1000): ${describe(bare)}`,
    ratio: medianRatio(mine.map(perSecond), bare.map(perSecond)),
    target: `>= ${TARGET_PER_SECOND / 1000} k/s per core`,
    ...against(rate, { least: TARGET_PER_SECOND }, 'json'),
    figures: {
      perSecond: median(mine.map(perSecond)),
      perCoreSecond: rate,
      cpuUs: median(mine.map(cpuEach)),
    },
  };
}

async function httpRow(data: string, options: BenchOptions): Promise<Row> {
  const args = { config: writeConfig(data), echo: true };
  const gateway = new Child<GatewayAddress>('gateway-child', { args, profileDir: options.profileDir });
  const bare = new Child<{ url: string }>('frame-server-child', {});
  const client = new GatewayClient(await gateway.ready, CLIENTS);
  const pool = new Pool((await bare.ready).url, { connections: CLIENTS });
  try {
    return await pages({ gateway, bare, client, pool }, options);
  } finally {
    await Promise.all([client.close(), pool.destroy()]);
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

interface Sides {
  gateway: Child<GatewayAddress>;
  bare: Child<unknown>;
  client: GatewayClient;
  pool: Pool;
}

async function pages(
  { gateway, bare, client, pool }: Sides,
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const requests = amount(effort, { quick: 200, normal: 500 });
  const rounds = amount(effort, { quick: 4, normal: 9 });
  const path = (at: number) =>
    `/v1/events?limit=${PAGE}&after_event_id=${String((at % 100) * PAGE + 1).padStart(20, '0')}`;
  const bytes = (await client.get(path(0))).length;
  await bare.ask('page', bytes);
  const mine: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const plain = await bare.cpuOf(() => closedLoop(CLIENTS, requests, async () => readPage(pool)));
    const ours = await gateway.cpuOf(() =>
      closedLoop(CLIENTS, requests, async (_, at) => void (await client.get(path(at)))),
    );
    if (round === 0) continue;
    theirs.push(plain / requests / PAGE);
    mine.push(ours / requests / PAGE);
    progress(`${mine.at(-1)?.toFixed(2)} us against ${theirs.at(-1)?.toFixed(2)} us`);
  }
  return {
    id: 'P5',
    what: `events read over HTTP, pages of ${PAGE} (${(bytes / 1024).toFixed(0)} KB)`,
    measured: `${median(mine).toFixed(2)} us CPU per event, ${(1000 / median(mine)).toFixed(0)} k/s per core`,
    baseline: `node:http sending ready bytes: ${median(theirs).toFixed(2)} us CPU per event`,
    ratio: medianRatio(mine, theirs),
    target: `>= ${TARGET_PER_SECOND / 1000} k/s per core`,
    ...against(1e6 / median(mine), { least: TARGET_PER_SECOND }, 'json'),
    figures: { cpuUsPerEvent: median(mine), bareCpuUsPerEvent: median(theirs) },
  };
}

async function readPage(pool: Pool): Promise<void> {
  const answer = await pool.request({ method: 'GET', path: '/page' });
  await answer.body.arrayBuffer();
}
