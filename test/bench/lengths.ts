import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import type { ChunkCost } from './chunk-client.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio } from './statistics.ts';

/** What noise adds to a cost that does not grow. */
const MOST_RATIO = 1.25;
const CHUNK_ROUTE = 'bench:chunks';
const SHORT_LIST = 20;
const LONG_LIST = 200;

/** Costs of one unit, microseconds of CPU of the gateway, of rounds that ran next to each other. */
interface Costs {
  beginning: number[];
  end: number[];
}

/** What is long must not cost more for each of its units: both ends are measured in turn, so that a slow minute hits both. */
export const lengths: Bench = {
  id: 'P17',
  title: 'cost per unit as a task, a session and a list get longer',
  async run(options) {
    const gateway = new Child<GatewayAddress>('gateway-child', {
      args: { config: writeConfig(scratchDirectory()), echo: true },
      profileDir: options.profileDir,
    });
    const client = new GatewayClient(await gateway.ready, 1);
    const measured = { gateway, client, ...options };
    try {
      return [await chunks(measured), await turns(measured), ...(await lists(measured))];
    } finally {
      await client.close();
      await gateway.stop();
    }
  },
};

interface Measured extends BenchOptions {
  gateway: Child<unknown>;
  client: GatewayClient;
}

/** A task that a client follows while it is streamed. */
async function chunks({ gateway, client, effort, progress }: Measured): Promise<Row> {
  const count = amount(effort, { quick: 500, normal: 1_000 });
  const tasks = amount(effort, { quick: 5, normal: 9 });
  const session = await client.session({ route: CHUNK_ROUTE });
  for (let task = 0; task <= tasks; task += 1) {
    await client.followToEnd(await client.submit(session, `chunks ${count}`));
    // The first one warms up.
    if (task === 0) await gateway.ask('chunkCosts');
  }
  const costs = await gateway.ask<ChunkCost[]>('chunkCosts');
  const found = {
    beginning: costs.map(({ firstUs, chunks }) => firstUs / chunks),
    end: costs.map(({ lastUs, chunks }) => lastUs / chunks),
  };
  return rowOf(`a chunk of a task with ${count}, followed by one client`, found, progress);
}

/** The turns of a long session against those of a fresh one. */
async function turns({ gateway, client, effort, progress }: Measured): Promise<Row> {
  const length = amount(effort, { quick: 600, normal: 3_000, full: 10_000 });
  const rounds = amount(effort, { quick: 5, normal: 9 });
  const window = 100;
  const long = await client.session();
  const run = async (session: string, count: number) => {
    const cpuUs = await gateway.cpuOf(async () => {
      for (let turn = 0; turn < count; turn += 1) await client.submit(session, 'hello');
      await gateway.ask('ended', count);
    });
    return cpuUs / count;
  };
  await gateway.ask('forget');
  for (let done = 0; done < length - rounds * window; done += window) await run(long, window);
  const costs: Costs = { beginning: [], end: [] };
  for (let round = 0; round < rounds; round += 1) {
    costs.beginning.push(await run(await client.session(), window));
    costs.end.push(await run(long, window));
  }
  return rowOf(`a turn of a session with ${length}, against the first ${window} of another`, costs, progress);
}

/** Lists of the tasks of a session, over REST and A2A. */
async function lists({ client, gateway, effort, progress }: Measured): Promise<Row[]> {
  const rounds = amount(effort, { quick: 5, normal: 9 });
  const sessions: Record<number, string> = {};
  for (const length of [SHORT_LIST, LONG_LIST]) {
    const session = await client.session();
    sessions[length] = session;
    for (let task = 0; task < length; task += 1) await client.submit(session, 'hello');
    await gateway.ask('ended', length);
  }
  const rows: Row[] = [];
  for (const [face, list] of Object.entries(LISTED)) {
    const run = async (length: number) => {
      // As many tasks in all, so that both sides are measured as long.
      const times = (10 * LONG_LIST) / length;
      const cpuUs = await gateway.cpuOf(async () => {
        for (let at = 0; at < times; at += 1) {
          const found = await list(client, sessions[length] ?? '');
          if (found !== length) throw new Error(`${face} listed ${found} tasks of ${length}.`);
        }
      });
      return cpuUs / (times * length);
    };
    const costs: Costs = { beginning: [], end: [] };
    for (let round = 0; round <= rounds; round += 1) {
      const [short, long] = [await run(SHORT_LIST), await run(LONG_LIST)];
      if (round === 0) continue;
      costs.beginning.push(short);
      costs.end.push(long);
    }
    rows.push(
      rowOf(`a task of a list of ${LONG_LIST} over ${face}, against one of ${SHORT_LIST}`, costs, progress),
    );
  }
  return rows;
}

type Lister = (client: GatewayClient, session: string) => Promise<number>;

/** How all tasks of a session are listed, page by page; answers how many there were. */
const LISTED: Readonly<Record<string, Lister>> = {
  REST: async (client, session) => {
    let count = 0;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const text = await client.get(`/v1/sessions/${session}/tasks?limit=100${query}`);
      const page = JSON.parse(text) as { data: object[]; next_cursor: string | null };
      count += page.data.length;
      cursor = page.next_cursor;
    }
    return count;
  },
  A2A: async (client, session) => {
    let count = 0;
    for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
      const params = { contextId: session, pageSize: 100, pageToken };
      const request = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params };
      const text = await client.post('/a2a', JSON.stringify(request), { 'a2a-version': '1.0' });
      const { result } = JSON.parse(text) as { result?: { tasks: object[]; nextPageToken?: string } };
      if (result === undefined) throw new Error(`ListTasks was answered with ${text}`);
      count += result.tasks.length;
      pageToken = result.nextPageToken === '' ? undefined : result.nextPageToken;
    }
    return count;
  },
};

function rowOf(what: string, costs: Costs, progress: (text: string) => void): Row {
  const ratio = medianRatio(costs.end, costs.beginning);
  const [beginningUs, endUs] = [median(costs.beginning), median(costs.end)];
  progress(`${what}: ${endUs.toFixed(1)} us, at the beginning ${beginningUs.toFixed(1)} us`);
  return {
    id: 'P17',
    what: `CPU of ${what}`,
    measured: `${endUs.toFixed(1)} us`,
    baseline: `${beginningUs.toFixed(1)} us`,
    ratio,
    target: `ratio <= ${MOST_RATIO}`,
    met: ratio <= MOST_RATIO,
    figures: { endUs, beginningUs, ratio },
  };
}
