import { Pool } from 'undici';
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

export const a2aFace: Bench = {
  id: 'P1A',
  title: 'the A2A face, durable, against the SDK in memory',
  async run(options) {
    const gateway = new Child<GatewayAddress>('gateway-child', {
      args: { config: writeConfig(scratchDirectory()), echo: true },
      profileDir: options.profileDir,
    });
    const sdk = new Child<{ url: string }>('sdk-express-child', { profileDir: options.profileDir });
    const { url, key } = await gateway.ready;
    const pools = { ours: poolOf(url), theirs: poolOf((await sdk.ready).url) };
    const ours = { server: gateway, pool: pools.ours, path: '/a2a', key };
    const theirs = { server: sdk, pool: pools.theirs, path: '/rpc', key: undefined };
    try {
      return [
        await compare('blocking', ours, theirs, options),
        await compare('streaming', ours, theirs, options),
      ];
    } finally {
      await Promise.all([pools.ours.destroy(), pools.theirs.destroy()]);
      await Promise.all([gateway.stop(), sdk.stop()]);
    }
  },
};

interface Side {
  server: Child<unknown>;
  pool: Pool;
  path: string;
  key: string | undefined;
}

function poolOf(url: string): Pool {
  return new Pool(url, { connections: CLIENTS, pipelining: 1 });
}

async function compare(
  way: keyof typeof METHODS,
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
    id: 'P1A',
    what: `${way} echo over A2A, ${CLIENTS} clients: CPU per task`,
    measured: `${median(mine).toFixed(0)} us`,
    baseline: `SDK express in memory: ${median(sdk).toFixed(0)} us`,
    ratio,
    target: `ratio <= ${TARGET_RATIO[way]} (aim 1.5)`,
    met: ratio <= TARGET_RATIO[way],
    figures: { gatewayCpuUs: median(mine), sdkCpuUs: median(sdk), ratio },
  };
}

async function cpuPerTask(
  { server, ...side }: Side,
  way: keyof typeof METHODS,
  tasks: number,
): Promise<number> {
  const startedAt = nowMs();
  const cpuUs = await server.cpuOf(() =>
    closedLoop(CLIENTS, tasks, (_, at) => send(side, way, `${startedAt}-${at}`)),
  );
  return cpuUs / tasks;
}

async function send(
  { pool, path, key }: Omit<Side, 'server'>,
  way: keyof typeof METHODS,
  messageId: string,
): Promise<void> {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: `artifact ${FILLER}` }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHODS[way], params: { message } });
  const headers = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const answer = await pool.request({ method: 'POST', path, headers, body });
  const said = await answer.body.text();
  if (!said.includes('TASK_STATE_COMPLETED'))
    throw new Error(`${path} answered ${answer.statusCode}: ${said}`);
}
