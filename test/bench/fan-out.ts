import { Audience } from './audience.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio } from './statistics.ts';

const TARGET_SHARE = 0.8;
const SETTLE_MS = 300;

/** One way to follow a session, and the bare server that does nothing else. */
interface Face {
  name: string;
  /** Status line of an open stream. */
  status: 101 | 200;
  headers: Readonly<Record<string, string>>;
  bare: string;
  baseline: string;
  targetIdleKb: number;
  /** Sent by every subscriber now and then, where silent ones are cut. */
  signOfLife: Buffer;
  /** Bytes of one event of this session on the wire. */
  bytesOf(event: SeenEvent, session: string): number;
}

const SSE: Face = {
  name: 'SSE',
  status: 200,
  headers: {},
  bare: 'frame-server-child',
  baseline: 'node:http',
  targetIdleKb: 16,
  signOfLife: Buffer.alloc(0),
  bytesOf: (event) => `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`.length,
};

const WEB_SOCKET: Face = {
  name: 'WebSocket',
  status: 101,
  headers: {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  },
  bare: 'ws-server-child',
  baseline: 'ws',
  targetIdleKb: 12,
  // An empty pong, masked with zeros.
  signOfLife: Buffer.from('8a8000000000', 'hex'),
  bytesOf: (event, session) => {
    const frame = { type: 'event', subscription: `session:${session}`, replayed: false, event };
    return webSocketBytes(JSON.stringify(frame).length);
  },
};

/** Head and payload of an unmasked frame below 64 KiB. */
function webSocketBytes(payload: number): number {
  return payload + (payload < 126 ? 2 : 4);
}

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
  title: 'SSE and WebSocket subscribers of one session',
  async run(options) {
    const rows: Row[] = [];
    for (const face of [SSE, WEB_SOCKET])
      for (const size of options.effort === 'full' ? [1_000, 5_000] : [1_000])
        rows.push(...(await withAudience(face, size, options)));
    return rows;
  },
};

async function withAudience(face: Face, size: number, options: BenchOptions): Promise<Row[]> {
  const args = { config: writeConfig(scratchDirectory()), echo: true };
  const gateway = new Child<GatewayAddress>('gateway-child', { args, profileDir: options.profileDir });
  const bare = new Child<{ url: string }>(face.bare, {});
  const address = await gateway.ready;
  const client = new GatewayClient(address, 4);
  const session = await client.session();
  const sizes = await frameSizes(face, client, session, await seenOf(client, session));
  const path = `/v1/sessions/${session}/events/stream`;
  const ours: Side = {
    child: gateway,
    audience: new Audience(address.url, path, face.status, {
      ...face.headers,
      ...client.headers,
      'last-event-id': await newestId(client, session),
    }),
    publish: () => client.submit(session, 'fan out'),
  };
  const theirs: Side = {
    child: bare,
    audience: new Audience((await bare.ready).url, '/events', face.status, face.headers),
    publish: () => bare.ask('publish', sizes),
  };
  try {
    const idle = { ours: await join(ours, size), theirs: await join(theirs, size) };
    return [
      ...(await deliveries(face, ours, theirs, sizes, size, options)),
      idleRow(face, idle.ours, idle.theirs, size),
    ];
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
async function frameSizes(
  face: Face,
  client: GatewayClient,
  session: string,
  before: number,
): Promise<number[]> {
  await client.followToEnd(await client.submit(session, 'fan out'));
  const events = (await eventsOf(client, session)).slice(before);
  return events.map((event) => face.bytesOf(event, session));
}

async function newestId(client: GatewayClient, session: string): Promise<string> {
  return (await eventsOf(client, session)).at(-1)?.id ?? '';
}

async function eventsOf(client: GatewayClient, session: string): Promise<SeenEvent[]> {
  const text = await client.get(`/v1/sessions/${session}/events?limit=200`);
  return (JSON.parse(text) as { data: SeenEvent[] }).data;
}

/** Bytes of RSS per subscriber that only listens, once a whole audience has come and gone and the heap has its size. */
async function join({ child, audience }: Side, size: number): Promise<number> {
  await audience.join(size);
  audience.leave();
  const before = await settledRss(child);
  await audience.join(size);
  return ((await settledRss(child)) - before) / size;
}

async function settledRss(child: Child<unknown>): Promise<number> {
  for (let pass = 0; pass < 2; pass += 1) {
    await child.ask('collect');
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
  return (await child.usage()).rssBytes;
}

async function deliveries(
  face: Face,
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
    for (const { audience } of [ours, theirs]) audience.say(face.signOfLife);
    const [theirRound, ourRound] = [
      await deliver(theirs, sizes, batches),
      await deliver(ours, sizes, batches),
    ];
    if (round === 0) continue;
    bare.push(theirRound);
    mine.push(ourRound);
    progress(`${ourRound.cpuUs.toFixed(1)} us against ${theirRound.cpuUs.toFixed(1)} us per delivery`);
  }
  return [deliveryRow(face, mine, bare, size)];
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

function deliveryRow(face: Face, mine: readonly Round[], bare: readonly Round[], size: number): Row {
  const cpu = (rounds: readonly Round[]) => rounds.map(({ cpuUs }) => cpuUs);
  const share = medianRatio(cpu(bare), cpu(mine));
  const describe = (rounds: readonly Round[]) =>
    `${median(cpu(rounds)).toFixed(1)} us CPU, ${(median(rounds.map(({ perSecond }) => perSecond)) / 1000).toFixed(0)} k/s`;
  return {
    id: 'P4',
    what: `delivery of one event to one of ${size} ${face.name} subscribers of a session`,
    measured: describe(mine),
    baseline: `${face.baseline}, shared frame of the same size: ${describe(bare)}`,
    ratio: share,
    target: `bare CPU / ours >= ${TARGET_SHARE}`,
    met: share >= TARGET_SHARE,
    figures: { cpuUs: median(cpu(mine)), bareCpuUs: median(cpu(bare)), share },
  };
}

function idleRow(face: Face, ours: number, theirs: number, size: number): Row {
  const kb = (bytes: number) => bytes / 1024;
  return {
    id: 'P4',
    what: `RSS per idle ${face.name} subscriber, ${size} of them`,
    measured: `${kb(ours).toFixed(1)} KB`,
    baseline: `${face.baseline}: ${kb(theirs).toFixed(1)} KB`,
    ratio: ours / theirs,
    target: `<= ${face.targetIdleKb} KB`,
    met: kb(ours) <= face.targetIdleKb,
    figures: { idleKb: kb(ours), bareIdleKb: kb(theirs) },
  };
}
