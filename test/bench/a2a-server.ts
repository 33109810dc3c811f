import { Pool } from 'undici';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { closedLoop, nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const CLIENTS = 16;
const FILLER = 'x'.repeat(200);
const TARGET_RATIO = { blocking: 2.2, streaming: 2.6 } as const;
const METHODS = { blocking: 'SendMessage', streaming: 'SendStreamingMessage' } as const;

const VERSION = { 'a2a-version': '1.0' };
type Way = keyof typeof METHODS;

export const a2aFace: Bench = {
  id: 'P1A',
  title: 'the A2A face, durable, against the SDK in memory',
  run: (options) =>
    measured(options, {}, async (gateway, sdk) => {
      const { url, key } = await gateway.ready;
      const pools = { ours: poolOf(url), theirs: poolOf((await sdk.ready).url) };
      const binding = { id: 'P1A', name: 'A2A', baseline: 'SDK express in memory', target: TARGET_RATIO };
      const ours = { server: gateway, send: overJsonRpc(pools.ours, '/a2a', key) };
      const theirs = { server: sdk, send: overJsonRpc(pools.theirs, '/rpc') };
      try {
        return [
          await compare('blocking', binding, ours, theirs, options),
          await compare('streaming', binding, ours, theirs, options),
        ];
      } finally {
        await Promise.all([pools.ours.destroy(), pools.theirs.destroy()]);
      }
    }),
};

export const grpcFace: Bench = {
  id: 'P1G',
  title: 'the same over gRPC, against the gRPC server of the SDK in memory',
  run: (options) =>
    measured(options, { server: { port: 0, grpc: { port: 0 } } }, async (gateway, sdk) => {
      const { url, key } = await gateway.ready;
      const clients = {
        ours: new GrpcTestClient(await grpcAddress(url), key),
        theirs: new GrpcTestClient((await sdk.ready).grpc),
      };
      const binding = { id: 'P1G', name: 'gRPC', baseline: 'gRPC server of the SDK in memory' };
      const ours = { server: gateway, send: overGrpc(clients.ours) };
      const theirs = { server: sdk, send: overGrpc(clients.theirs) };
      try {
        return [
          await compare('blocking', binding, ours, theirs, options),
          await compare('streaming', binding, ours, theirs, options),
        ];
      } finally {
        for (const client of Object.values(clients)) client.close();
      }
    }),
};

type Gateway = Child<GatewayAddress>;
type Sdk = Child<{ url: string; grpc: string }>;

async function measured(
  { profileDir }: BenchOptions,
  sections: object,
  work: (gateway: Gateway, sdk: Sdk) => Promise<Row[]>,
): Promise<Row[]> {
  const config = writeConfig(scratchDirectory(), [], [], [], sections);
  const gateway: Gateway = new Child('gateway-child', { args: { config, echo: true }, profileDir });
  const sdk: Sdk = new Child('sdk-express-child', { profileDir });
  try {
    return await work(gateway, sdk);
  } finally {
    await Promise.all([gateway.stop(), sdk.stop()]);
  }
}

interface Side {
  server: Child<unknown>;
  send(way: Way, messageId: string): Promise<void>;
}

interface Binding {
  id: string;
  name: string;
  baseline: string;
  /** Ratios to reach; none: the row is context. */
  target?: typeof TARGET_RATIO;
}

function poolOf(url: string): Pool {
  return new Pool(url, { connections: CLIENTS, pipelining: 1 });
}

async function compare(
  way: Way,
  { id, name, baseline, target }: Binding,
  ours: Side,
  theirs: Side,
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const tasks = amount(effort, { quick: 500, normal: 2_000 });
  const rounds = amount(effort, { quick: 3, normal: 7 });
  const mine: number[] = [];
  const sdk: number[] = [];
  await cpuPerTask(theirs, way, tasks);
  await cpuPerTask(ours, way, tasks);
  for (let round = 0; round < rounds; round += 1) {
    sdk.push(await cpuPerTask(theirs, way, tasks));
    mine.push(await cpuPerTask(ours, way, tasks));
    progress(`${way}: ${mine.at(-1)?.toFixed(0)} us against ${sdk.at(-1)?.toFixed(0)} us`);
  }
  const ratio = median(mine) / median(sdk);
  return {
    id,
    what: `${way} echo over ${name}, ${CLIENTS} clients: CPU per task`,
    measured: `${median(mine).toFixed(0)} us`,
    baseline: `${baseline}: ${median(sdk).toFixed(0)} us`,
    ratio,
    target: target === undefined ? '' : `ratio <= ${target[way]} (aim 1.5)`,
    met: target && ratio <= target[way],
    figures: { gatewayCpuUs: median(mine), sdkCpuUs: median(sdk), ratio },
  };
}

async function cpuPerTask({ server, send }: Side, way: Way, tasks: number): Promise<number> {
  const startedAt = nowMs();
  const cpuUs = await server.cpuOf(() =>
    closedLoop(CLIENTS, tasks, (_, at) => send(way, `${startedAt}-${at}`)),
  );
  return cpuUs / tasks;
}

const messageOf = (messageId: string) => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text: `artifact ${FILLER}` }],
});

function overJsonRpc(pool: Pool, path: string, key?: string): Side['send'] {
  return async (way, messageId) => {
    const params = { message: messageOf(messageId) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHODS[way], params });
    const headers = {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    refuseUnfinished(await answer.body.text(), path);
  };
}

/** One connection carries all clients, as gRPC means it. */
function overGrpc(client: GrpcTestClient): Side['send'] {
  return async (way, messageId) => {
    const message = { message: messageOf(messageId) };
    if (way === 'blocking') {
      refuseUnfinished(JSON.stringify(await client.call(METHODS[way], message, VERSION)), 'gRPC');
      return;
    }
    const { end, events } = client.stream(METHODS[way], message, VERSION);
    await end;
    refuseUnfinished(JSON.stringify(events), 'gRPC');
  };
}

function refuseUnfinished(said: string, path: string): void {
  if (!said.includes('TASK_STATE_COMPLETED')) throw new Error(`${path} answered: ${said}`);
}
