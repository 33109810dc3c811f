import { Audience } from './audience.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio } from './statistics.ts';

const TARGET_SHARE = 0.8;
const TARGET_IDLE_KB = 16;
const SETTLE_MS = 300;

interface Round {
  cpuUs: number;
  perSecond: number;
}

/** One side: its process, its audience, and how to publish one batch of events whose frames have these sizes. */
interface Side {
  child: Child<unknown>;
  audience: Audience;
  publish(): Promise<unknown>;
}

export const fanOut: Bench = {
  id: 'P4',
  title: 'SSE subscribers of one session',
  async run(options) {
    const rows = await withAudience(1_000, options);
    return options.effort === 'full' ? [...rows, ...(await withAudience(5_000, options))] : rows;
  },
};

async function withAudience(size: number, options: BenchOptions): Promise<Row[]> {
  const args = { config: writeConfig(scratchDirectory()), echo: true };
  const gateway = new Child<GatewayAddress>('gateway-child', { args, profileDir: options.profileDir });
  const bare = new Child<{ url: string }>('frame-server-child', {});
  const address = await gateway.ready;
  const client = new GatewayClient(address, 4);
  const session = await client.session();
  const sizes = await frameSizes(client, session, await seenOf(client, session));
  const path = `/v1/sessions/${session}/events/stream`;
  const ours: Side = {
    child: gateway,
    audience: new Audience(address.url, path, {
      ...client.headers,
      'last-event-id': await newestId(client, session),
    }),
    publish: () => client.submit(session, 'fan out'),
  };
  const theirs: Side = {
    child: bare,
    audience: new Audience((await bare.ready).url, '/events', {}),
    publish: () => bare.ask('publish', sizes),
  };
  try {
    const idle = { ours: await join(ours, size), theirs: await join(theirs, size) };
    return [...(await deliveries(ours, theirs, sizes, size, options)), idleRow(idle.ours, idle.theirs, size)];
  } finally {
    ours.audience.leave();
    theirs.audience.leave();
    await client.close();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

interface SeenEvent {
  id: string;
  event: string;
}

/** Events of the session so far, with one finished task among them. */
async function seenOf(client: GatewayClient, session: string): Promise<number> {
  await client.followToEnd(await client.submit(session, 'fan out'));
  return (await eventsOf(client, session)).length;
}

/** What one more task adds to the stream: the sizes of its frames. */
async function frameSizes(client: GatewayClient, session: string, before: number): Promise<number[]> {
  await client.followToEnd(await client.submit(session, 'fan out'));
  const events = (await eventsOf(client, session)).slice(before);
  return events.map(
    (event) => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`.length,
  );
}

async function newestId(client: GatewayClient, session: string): Promise<string> {
  return (await eventsOf(client, session)).at(-1)?.id ?? '';
}

async function eventsOf(client: GatewayClient, session: string): Promise<SeenEvent[]> {
  const text = await client.get(`/v1/sessions/${session}/events?limit=200`);
  return (JSON.parse(text) as { data: SeenEvent[] }).data;
}

/** Bytes of RSS per subscriber that only listens. */
async function join({ child, audience }: Side, size: number): Promise<number> {
  const warmUp = size / 10;
  await audience.join(warmUp);
  const before = await settledRss(child);
  await audience.join(size - warmUp);
  return ((await settledRss(child)) - before) / (size - warmUp);
}

async function settledRss(child: Child<unknown>): Promise<number> {
  for (let pass = 0; pass < 2; pass += 1) {
    await child.ask('collect');
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
  return (await child.usage()).rssBytes;
}

async function deliveries(
  ours: Side,
  theirs: Side,
  sizes: readonly number[],
  size: number,
  { effort, progress }: BenchOptions,
): Promise<Row[]> {
  const batches = amount(effort, { quick: 4, normal: 12 });
  const rounds = amount(effort, { quick: 4, normal: 9 });
  const mine: Round[] = [];
  const bare: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [theirRound, ourRound] = [
      await deliver(theirs, sizes, batches),
      await deliver(ours, sizes, batches),
    ];
    if (round === 0) continue;
    bare.push(theirRound);
    mine.push(ourRound);
    progress(`${ourRound.cpuUs.toFixed(1)} us against ${theirRound.cpuUs.toFixed(1)} us per delivery`);
  }
  return [deliveryRow(mine, bare, size)];
}

async function deliver(
  { child, audience, publish }: Side,
  sizes: readonly number[],
  batches: number,
): Promise<Round> {
  const bytes = sizes.reduce((sum, frame) => sum + frame, 0) * audience.size;
  const count = sizes.length * audience.size * batches;
  const startedAt = nowMs();
  audience.reset();
  const cpuUs = await child.cpuOf(async () => {
    for (let batch = 0; batch < batches; batch += 1) await Promise.all([audience.received(bytes), publish()]);
  });
  return { cpuUs: cpuUs / count, perSecond: (count / (nowMs() - startedAt)) * 1000 };
}

function deliveryRow(mine: readonly Round[], bare: readonly Round[], size: number): Row {
  const cpu = (rounds: readonly Round[]) => rounds.map(({ cpuUs }) => cpuUs);
  const share = medianRatio(cpu(bare), cpu(mine));
  const describe = (rounds: readonly Round[]) =>
    `${median(cpu(rounds)).toFixed(1)} us CPU, ${(median(rounds.map(({ perSecond }) => perSecond)) / 1000).toFixed(0)} k/s`;
  return {
    id: 'P4',
    what: `delivery of one event to one of ${size} SSE subscribers of a session`,
    measured: describe(mine),
    baseline: `node:http, shared frame of the same size: ${describe(bare)}`,
    ratio: share,
    target: `bare CPU / ours >= ${TARGET_SHARE}`,
    met: share >= TARGET_SHARE,
    figures: { cpuUs: median(cpu(mine)), bareCpuUs: median(cpu(bare)), share },
  };
}

function idleRow(ours: number, theirs: number, size: number): Row {
  const kb = (bytes: number) => bytes / 1024;
  return {
    id: 'P4',
    what: `RSS per idle SSE subscriber, ${size} of them`,
    measured: `${kb(ours).toFixed(1)} KB`,
    baseline: `node:http: ${kb(theirs).toFixed(1)} KB`,
    ratio: ours / theirs,
    target: `<= ${TARGET_IDLE_KB} KB`,
    met: kb(ours) <= TARGET_IDLE_KB,
    figures: { idleKb: kb(ours), bareIdleKb: kb(theirs) },
  };
}
