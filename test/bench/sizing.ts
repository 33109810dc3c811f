import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataPaths } from '#operation/data-directory.ts';
import { Audience } from './audience.ts';
import { amount, type Bench } from './bench.ts';
import { closedLoop } from './closed-loop.ts';
import { GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { rssOf, type Served, startServe } from './served-process.ts';
import { type SizingLoad, sizingRows } from './sizing-rows.ts';

const CLIENTS = 32;
/** What the sample agent streams so that a task has 50 events. */
const LONG = 'stream 40';
const LONG_EVENTS = 50;
const POLL_MS = 50;
const QUIET_MS = 3_000;
const MIB = 1024 * 1024;
/** Of the times in /proc, on every Linux that Node runs on. */
const TICK_MS = 10;

/** Kept for the next opening of the store, and no part of what is stored. */
const RESERVE = 'reserve';

export const sizing: Bench = {
  id: 'SIZING',
  title: 'what a gateway takes of its machine, as operators are told',
  async run({ effort, progress }) {
    const load: SizingLoad = {
      short: amount(effort, { quick: 1_000, normal: 10_000 }),
      long: amount(effort, { quick: 100, normal: 1_000 }),
      events: LONG_EVENTS,
      followers: amount(effort, { quick: 200, normal: 2_000 }),
      clients: CLIENTS,
    };
    const data = scratchDirectory();
    const first = await served(data, async (gateway, key) => {
      // The first task starts the bundled agent.
      await runTasks(gateway, key, { count: 1, text: 'hi' });
      const idleMb = await memoryOf(gateway);
      const before = cpuOf(gateway.pid);
      await runTasks(gateway, key, { count: load.short, text: 'hi' });
      const after = cpuOf(gateway.pid);
      const mainMs = (after.mainMs - before.mainMs) / load.short;
      const helperMs = (after.allMs - before.allMs) / load.short - mainMs;
      return { idleMb, shortMb: await memoryOf(gateway), mainMs, helperMs };
    });
    progress(`${load.short} short tasks: ${first.shortMb.toFixed(0)} MiB`);
    const second = await served(data, async (gateway, key) => {
      const shortBytes = storeBytes(data);
      await checkLength(gateway, key);
      await runTasks(gateway, key, { count: load.long, text: LONG });
      const longMb = await memoryOf(gateway);
      progress(`${load.long} long tasks: ${longMb.toFixed(0)} MiB`);
      return { shortBytes, longMb };
    });
    const third = await served(data, async (gateway, key) => {
      const allBytes = storeBytes(data);
      await runTasks(gateway, key, { count: CLIENTS, text: 'hi' });
      await gateway.kill();
      return { allBytes, cleanStartMs: gateway.readyMs };
    });
    // In a process that has nothing to reuse yet of what earlier work took.
    const fourth = await served(data, async (gateway, key) => ({
      killedStartMs: gateway.readyMs,
      followerKb: await memoryOfFollowers(gateway, key, load.followers),
    }));
    return sizingRows(load, {
      ...first,
      ...second,
      ...fourth,
      shortBytes: second.shortBytes / load.short,
      longBytes: (third.allBytes - second.shortBytes) / load.long,
      logMb: third.allBytes / 1e6,
      cleanStartMs: third.cleanStartMs,
    });
  },
};

/** Serves a data directory while `work` is done, and stops whatever happens. */
async function served<T>(data: string, work: (gateway: Served, key: string) => Promise<T>): Promise<T> {
  const gateway = await startServe(undefined, data);
  try {
    return await work(gateway, readFileSync(dataPaths(data).devKey, 'utf8').trim());
  } finally {
    await gateway.stop();
  }
}

/** Each client has a session, and asks for its task until that has ended. */
async function runTasks(
  { url }: Served,
  key: string,
  { count, text }: { count: number; text: string },
): Promise<void> {
  const client = new GatewayClient({ url, key }, CLIENTS);
  try {
    const sessions = await client.sessions(CLIENTS);
    await closedLoop(CLIENTS, count, async (number) => {
      await untilCompleted(client, await client.submit(sessions[number] ?? '', text));
    });
  } finally {
    await client.close();
  }
}

async function untilCompleted(client: GatewayClient, id: string): Promise<void> {
  for (;;) {
    const task = JSON.parse(await client.get(`/v1/tasks/${id}`)) as { status: string; outcome_id: string };
    if (task.status === 'COMPLETED') return;
    if (task.status === 'FAILED' || task.status === 'CANCELED')
      throw new Error(`A task did not complete: ${await client.get(`/v1/outcomes/${task.outcome_id}`)}`);
    await sleep(POLL_MS);
  }
}

/** What the rows say of a long task is true. */
async function checkLength({ url }: Served, key: string): Promise<void> {
  const client = new GatewayClient({ url, key }, 1);
  try {
    const session = await client.session();
    const before = await eventsOf(client, session);
    await untilCompleted(client, await client.submit(session, LONG));
    const count = (await eventsOf(client, session)) - before;
    if (count !== LONG_EVENTS) throw new Error(`"${LONG}" has ${count} events and not ${LONG_EVENTS}.`);
  } finally {
    await client.close();
  }
}

async function eventsOf(client: GatewayClient, session: string): Promise<number> {
  const page = await client.get(`/v1/sessions/${session}/events?limit=200`);
  return (JSON.parse(page) as { data: object[] }).data.length;
}

/** Of the gateway alone, once nothing is left to do. */
async function memoryOf({ pid }: Served): Promise<number> {
  await sleep(QUIET_MS);
  return rssOf(pid) / MIB;
}

async function memoryOfFollowers(gateway: Served, key: string, count: number): Promise<number> {
  const client = new GatewayClient({ url: gateway.url, key }, 1);
  const path = `/v1/sessions/${await client.session()}/events/stream`;
  const audience = new Audience(gateway.url, path, 200, client.headers);
  try {
    const before = await memoryOf(gateway);
    await audience.join(count);
    return (((await memoryOf(gateway)) - before) * 1024) / count;
  } finally {
    audience.leave();
    await client.close();
  }
}

/** CPU time of the thread that serves, and of all threads. */
function cpuOf(pid: number): { mainMs: number; allMs: number } {
  const ticks = (file: string) => {
    // The name of the program, in brackets, may have spaces.
    const fields = readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  };
  return { mainMs: ticks(`/proc/${pid}/task/${pid}/stat`), allMs: ticks(`/proc/${pid}/stat`) };
}

function storeBytes(data: string): number {
  const { store } = dataPaths(data);
  const files = readdirSync(store).filter((name) => name !== RESERVE);
  return files.reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
}
