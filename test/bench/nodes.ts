import { setTimeout as pause } from 'node:timers/promises';
import { NATS_SERVER } from '../harness/nats-servers.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child, withChild } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { CLIENTS, gatewaySide, SESSIONS_PER_CLIENT } from './durable-task.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { capacity, type Layout, latencyMs, type ServiceTimes } from './load-model.ts';
import type { Spent } from './log-child.ts';
import { type BenchNode, NodesStage, pin, pinning } from './nodes-stage.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, quantile } from './statistics.ts';

const NODES = 3;
const LOAD_ROLE = 6;
const TEXT = `message ${'x'.repeat(200)}`;
const LEASE_TEXT = 'lease 2 s';
const RETRY_MS = 20;
const US_PER_MS = 1_000;

/** Several nodes of one log on JetStream, against one gateway with a log of its own. */
export const nodes: Bench = {
  id: 'NODES',
  title: 'three nodes on JetStream against one embedded log',
  async run(options) {
    if (NATS_SERVER === undefined) return [skipped()];
    pin(process.pid, LOAD_ROLE);
    const stage = await NodesStage.start();
    const config = writeConfig(scratchDirectory());
    const embedded = new Child<GatewayAddress>('gateway-child', { args: { config, echo: true } });
    pin(embedded.pid, 0);
    try {
      const { nodes: all, url } = await stage.cluster('tasks', NODES);
      const [first, ...others] = all;
      if (first === undefined) throw new Error('There is no node.');
      const { rows, times } = await tasks(stage, embedded, [first, ...others], url, options);
      const streams = await streamed(embedded, [first, ...others], url, options);
      const quorum = await quorums(stage, embedded, options);
      const hop = await hops(first, others[0] ?? first, options);
      const measured = { ...times, quorumMs: quorum.quorumMs, hopMs: hop.addedMs };
      return [
        ...rows,
        streams,
        ...quorum.rows,
        hop.row,
        await takeOvers(stage, options),
        await rebuilds(stage, options),
        ...modelRows(measured),
      ];
    } finally {
      await embedded.stop();
      await stage.close();
    }
  },
};

function skipped(): Row {
  const what = 'three nodes on JetStream: skipped, no nats-server found (HARN_NATS_SERVER, or the PATH)';
  return row(what, '', '', undefined, {});
}

function row(
  what: string,
  measured: string,
  baseline: string,
  ratio: number | undefined,
  figures: Record<string, number>,
): Row {
  return { id: 'NODES', what, measured, baseline, ratio, target: '', met: undefined, figures };
}

type Side = ReturnType<typeof gatewaySide>;

/** P1 at the embedded gateway and through a proxy before three nodes, and what each process spends on a task. */
async function tasks(
  stage: NodesStage,
  embedded: Child<GatewayAddress>,
  [first, ...others]: readonly BenchNode[],
  url: string,
  { effort, progress }: BenchOptions,
): Promise<{ rows: Row[]; times: Omit<ServiceTimes, 'quorumMs' | 'hopMs'> }> {
  if (first === undefined) throw new Error('There is no node.');
  const count = amount(effort, { quick: 1_000, normal: 3_000 });
  const rounds = amount(effort, { quick: 3, normal: 7 });
  const { key } = await first.child.ready;
  const clients = {
    embedded: new GatewayClient(await embedded.ready, CLIENTS),
    direct: new GatewayClient({ url: `http://127.0.0.1:${first.port}`, key }, CLIENTS),
    proxied: new GatewayClient({ url, key }, CLIENTS),
  };
  const sideOf = async (child: Child<GatewayAddress>, client: GatewayClient) =>
    gatewaySide(child, client, await client.sessions(CLIENTS * SESSIONS_PER_CLIENT));
  const alone = await sideOf(embedded, clients.embedded);
  const direct = await sideOf(first.child, clients.direct);
  const proxied = await sideOf(first.child, clients.proxied);
  const othersUs = async () =>
    (await Promise.all(others.map(({ child }) => child.usage()))).reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  /** One round, with what nodes and servers spent, and the commits it made. */
  const round = async (side: Side) => {
    const before = {
      others: await othersUs(),
      servers: stage.serversCpuUs,
      commits: await first.child.ask<number>('commits'),
    };
    const done = await side(count, TEXT);
    const commits = (await first.child.ask<number>('commits')) - before.commits;
    return {
      ...done,
      othersUs: ((await othersUs()) - before.others) / count,
      serversUs: (stage.serversCpuUs - before.servers) / count,
      commits: commits / count,
    };
  };
  const results = {
    alone: [await alone(count, TEXT)],
    direct: [await round(direct)],
    proxied: [await round(proxied)],
  };
  for (const each of Object.values(results)) each.length = 0;
  for (let at = 0; at < rounds; at += 1) {
    results.alone.push(await alone(count, TEXT));
    results.direct.push(await round(direct));
    results.proxied.push(await round(proxied));
    progress(
      `embedded ${perSecondOf(results.alone.slice(-1))}/s, nodes ${perSecondOf(results.proxied.slice(-1))}/s`,
    );
  }
  for (const client of Object.values(clients)) await client.close();
  const of = <T>(all: readonly T[], figure: (one: T) => number) => median(all.map(figure));
  const ownerUs = of(results.direct, ({ cpuUs }) => cpuUs);
  const proxiedUs = of(results.proxied, ({ cpuUs }) => cpuUs);
  const aloneUs = of(results.alone, ({ cpuUs }) => cpuUs);
  const followUs = of(results.direct, ({ othersUs }) => othersUs) / others.length;
  const commits = of(results.direct, (each) => each.commits);
  const serversUs = of(results.direct, (each) => each.serversUs);
  // Two of three requests go through another node than the one that decides.
  const hopUs = of(results.proxied, (each) => each.othersUs) - followUs * others.length;
  const rates = { alone: perSecondOf(results.alone), proxied: perSecondOf(results.proxied) };
  const spread = (all: readonly { latenciesMs: number[] }[]) => {
    const latencies = all.flatMap(({ latenciesMs }) => latenciesMs);
    return `p50 ${quantile(latencies, 0.5).toFixed(0)} p99 ${quantile(latencies, 0.99).toFixed(0)} ms`;
  };
  const all = proxiedUs + of(results.proxied, (each) => each.othersUs + each.serversUs);
  return {
    rows: [
      row(
        `P1 through a round-robin proxy before three nodes, ${CLIENTS} clients (${pinning()})`,
        `${rates.proxied}/s, ${spread(results.proxied)}`,
        `one gateway, embedded log: ${rates.alone}/s, ${spread(results.alone)}`,
        rates.proxied / rates.alone,
        rates,
      ),
      row(
        'the same: CPU per task of the gateway that decides',
        `${proxiedUs.toFixed(0)} us; asked directly ${ownerUs.toFixed(0)}`,
        `embedded: ${aloneUs.toFixed(0)} us`,
        proxiedUs / aloneUs,
        { proxiedUs, ownerUs, aloneUs },
      ),
      row(
        `the same: CPU per task of everything; ${commits.toFixed(2)} commits a task`,
        `${all.toFixed(0)} us: following ${followUs.toFixed(0)} a node, handing on ${hopUs.toFixed(0)}, servers ${serversUs.toFixed(0)}`,
        `embedded: ${aloneUs.toFixed(0)} us`,
        all / aloneUs,
        { all, followUs, hopUs, serversUs, commits },
      ),
    ],
    times: {
      ownerUs,
      ownerMainUs: ownerUs * MAIN_SHARE,
      commitsPerTask: commits,
      followerUs: followUs / commits,
      hopUs: Math.max(0, (hopUs * NODES) / (NODES - 1)),
      requestsPerTask: 1,
      serversUs: serversUs / commits,
    },
  };
}

/** Of the CPU of a gateway, what its main thread has; the rest is LevelDB and the collector (README, "What stands between"). */
const MAIN_SHARE = 0.75;

const perSecondOf = (rounds: readonly { perSecond: number }[]): number =>
  Math.round(median(rounds.map(({ perSecond }) => perSecond)));

/** Submit and follow to the end by SSE, one client. */
async function streamed(
  embedded: Child<GatewayAddress>,
  [first]: readonly BenchNode[],
  url: string,
  { effort }: BenchOptions,
): Promise<Row> {
  const calls = amount(effort, { quick: 150, normal: 600 });
  const { key } = (await first?.child.ready) ?? { key: '' };
  const alone = new GatewayClient(await embedded.ready, 2);
  // Connections for all nodes.
  const through = new GatewayClient({ url, key }, NODES);
  const [mine, plain]: [number[], number[]] = [[], []];
  const one = async (client: GatewayClient, session: string) => {
    const startedAt = nowMs();
    return (await client.followToEnd(await client.submit(session, TEXT))) - startedAt;
  };
  const sessions = { alone: await alone.session(), through: await through.session() };
  for (let at = 0; at < calls; at += 1) {
    plain.push(await one(alone, sessions.alone));
    mine.push(await one(through, sessions.through));
  }
  await Promise.all([alone.close(), through.close()]);
  const spread = (all: readonly number[]) =>
    `p50 ${quantile(all, 0.5).toFixed(2)} p99 ${quantile(all, 0.99).toFixed(2)} ms`;
  return row(
    'submit and follow to the end by SSE through the proxy, 1 client',
    spread(mine),
    `embedded: ${spread(plain)}`,
    median(mine) / median(plain),
    { nodesMs: median(mine), embeddedMs: median(plain) },
  );
}

/** Median of a write of one client, asked directly. */
async function writeMs({ url, key }: GatewayAddress, calls: number): Promise<number> {
  const client = new GatewayClient({ url, key }, 1);
  const took: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const startedAt = nowMs();
    await client.session();
    took.push(nowMs() - startedAt);
  }
  await client.close();
  return median(took);
}

/** What the servers add to a write, for each way to keep it. */
async function quorums(
  stage: NodesStage,
  embedded: Child<GatewayAddress>,
  { effort }: BenchOptions,
): Promise<{ rows: Row[]; quorumMs: number }> {
  const calls = amount(effort, { quick: 200, normal: 1_000 });
  const alone = await embedded.ready;
  const strict = await NodesStage.start(true);
  try {
    const ways = [
      { what: 'one replica', node: await stage.node({ name: 'one', replicas: 1 }, 0) },
      { what: 'three replicas', node: await stage.node({ name: 'three', replicas: 3 }, 0) },
      {
        what: 'three replicas, sync_interval: always',
        node: await strict.node({ name: 'strict', replicas: 3 }, 0),
      },
    ];
    const rows: Row[] = [];
    let quorumMs = 0;
    for (const { what, node } of ways) {
      const address = { ...(await node.child.ready), url: `http://127.0.0.1:${node.port}` };
      await writeMs(alone, calls / 4);
      await writeMs(address, calls / 4);
      const [plain, mine] = [await writeMs(alone, calls), await writeMs(address, calls)];
      if (what === 'three replicas') quorumMs = Math.max(0, mine - plain);
      rows.push(
        row(
          `one write, 1 client, asked directly: ${what}`,
          `p50 ${mine.toFixed(2)} ms (added ${(mine - plain).toFixed(2)})`,
          `embedded: ${plain.toFixed(2)} ms`,
          mine / plain,
          { writeMs: mine, embeddedMs: plain },
        ),
      );
      await node.child.stop();
    }
    return { rows, quorumMs };
  } finally {
    await strict.close();
  }
}

/** What a node that hands on adds to a write. */
async function hops(
  first: BenchNode,
  other: BenchNode,
  { effort }: BenchOptions,
): Promise<{ row: Row; addedMs: number }> {
  const calls = amount(effort, { quick: 200, normal: 1_000 });
  const { key } = await first.child.ready;
  const at = (port: number) => ({ url: `http://127.0.0.1:${port}`, key });
  await writeMs(at(other.port), calls / 4);
  const [plain, mine] = [await writeMs(at(first.port), calls), await writeMs(at(other.port), calls)];
  const addedMs = Math.max(0, mine - plain);
  return {
    addedMs,
    row: row(
      'one write, 1 client, through a node that hands it on',
      `p50 ${mine.toFixed(2)} ms (added ${addedMs.toFixed(2)})`,
      `asked directly: ${plain.toFixed(2)} ms`,
      mine / plain,
      { writeMs: mine, directMs: plain },
    ),
  };
}

/** From kill -9 of the gateway that decides until another one has acknowledged a write. */
async function takeOvers(stage: NodesStage, { effort, progress }: BenchOptions): Promise<Row> {
  const kills = amount(effort, { quick: 3, normal: 12 });
  const of = { name: 'kills', replicas: 3 } as const;
  let here = await stage.node(of, 0);
  const took: number[] = [];
  for (let at = 0; at < kills; at += 1) {
    const there = await stage.node(of, 1, here.data);
    const { key } = await there.child.ready;
    const client = new GatewayClient({ url: `http://127.0.0.1:${there.port}`, key }, 1);
    await client.session();
    // Anywhere between two renewals of the lease.
    await pause((at * 130) % 500);
    const killedAt = nowMs();
    await here.child.kill();
    await untilWritten(client);
    took.push(nowMs() - killedAt);
    progress(`took over in ${took.at(-1)?.toFixed(0)} ms`);
    await client.close();
    here = there;
  }
  await here.child.stop();
  return row(
    `from kill -9 of the gateway that decides to a write acknowledged by another, ${kills} times, ${LEASE_TEXT}`,
    `p50 ${median(took).toFixed(0)}, most ${Math.max(...took).toFixed(0)} ms`,
    '',
    undefined,
    { p50Ms: median(took), mostMs: Math.max(...took) },
  );
}

async function untilWritten(client: GatewayClient): Promise<void> {
  for (;;) {
    const isDone = await client.session().then(
      () => true,
      () => false,
    );
    if (isDone) return;
    await pause(RETRY_MS);
  }
}

/** A node whose directory is empty reads a log from the servers. */
async function rebuilds(stage: NodesStage, { effort, progress }: BenchOptions): Promise<Row> {
  const events = amount(effort, { quick: 20_000, normal: 200_000, full: 1_000_000 });
  const of = { name: 'rebuild', replicas: 3 } as const;
  const data = scratchDirectory();
  const stream = { ...of, servers: [...stage.servers.urls] };
  const filled = await withChild('log-child', { args: { data, stream } }, async (child) => {
    pin(child.pid, 0);
    return child.ask<Spent>('fill', events);
  });
  const perSecond = (filled.events / filled.wallUs) * US_PER_MS * US_PER_MS;
  progress(`${events} events written, ${perSecond.toFixed(0)}/s`);
  const timed = async (start: () => Promise<BenchNode>) => {
    const startedAt = nowMs();
    const node = await start();
    await node.child.ask('commits');
    const took = nowMs() - startedAt;
    await node.child.stop();
    return { took, node };
  };
  const { took, node } = await timed(() => stage.node(of, 0, data));
  const { took: warmMs } = await timed(() =>
    stage.start({ ...of, data: node.data, port: node.port, role: 0 }),
  );
  return row(
    `start of a node with an empty directory on a log of ${events.toLocaleString('en-US')} events, until it decides`,
    `${(took / US_PER_MS).toFixed(1)} s, ${((events / (took - warmMs)) * US_PER_MS).toFixed(0)} events/s`,
    `with what it had read: ${(warmMs / US_PER_MS).toFixed(1)} s`,
    took / warmMs,
    { events, rebuildMs: took, warmMs },
  );
}

const MODELLED: readonly Omit<Layout, 'partitions' | 'tenants' | 'coresPerNode'>[] = [3, 10, 100].flatMap(
  (count) =>
    [
      { standbys: 1, skew: 0 },
      { standbys: count - 1, skew: 0 },
      { standbys: 1, skew: 0.8 },
      { standbys: 1, skew: 1.2 },
    ].map((rest) => ({ nodes: count, ...rest })),
);
const MODEL_CORES = 4;
const TENANTS_PER_NODE = 100;
/** As many as a node has cores: more make no difference, fewer leave cores without work. */
const PARTITIONS_PER_NODE = 4;
/** Of what the model says is the most, where latencies are still those of a calm queue. */
const CALM = 0.7;

/** What the model says of the service times that were just measured. */
export function modelRows(times: ServiceTimes): Row[] {
  const one = { nodes: 1, coresPerNode: MODEL_CORES, partitions: 1, standbys: 0, tenants: 1, skew: 0 };
  const alone = capacity(times, one).tasksPerSecond;
  return MODELLED.map((partial) => {
    const { nodes: count, standbys, skew } = partial;
    const layout: Layout = {
      ...partial,
      coresPerNode: MODEL_CORES,
      partitions: count * PARTITIONS_PER_NODE,
      tenants: count * TENANTS_PER_NODE,
    };
    const { tasksPerSecond, limit, largestShare, followingShare } = capacity(times, layout);
    const calm = tasksPerSecond * CALM;
    const followers = standbys === count - 1 ? 'all others follow' : `${standbys} follows`;
    return row(
      `model: ${count} nodes of ${MODEL_CORES} cores, ${layout.partitions} partitions, ${followers}, ${layout.tenants} tenants, Zipf ${skew}`,
      `${Math.round(tasksPerSecond)} tasks/s, then ${limit} is full; following is ${(followingShare * 100).toFixed(0)} % of the work; ${latencyMs(times, layout, calm).toFixed(1)} ms at ${CALM * 100} %`,
      `one partition: ${Math.round(alone)} tasks/s`,
      tasksPerSecond / alone,
      { tasksPerSecond, largestShare, followingShare },
    );
  });
}
