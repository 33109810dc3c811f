import { Pool } from 'undici';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { closedLoop, nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const BUSY_CLIENTS = 16;
const SESSIONS = 256;
const TARGET_ADDED_MS = 2.5;
const TARGET_CPU_US = 1_500;
const TEXT = 'y'.repeat(200);

export const upstreamHop: Bench = {
  id: 'P2',
  title: 'an A2A agent called directly and through the gateway',
  async run(options) {
    const agent = new Child<{ url: string }>('lean-agent-child', {});
    const { url } = await agent.ready;
    const config = writeConfig(scratchDirectory(), [
      { id: 'lean', card: `${url}/.well-known/agent-card.json` },
    ]);
    const gateway = new Child<GatewayAddress>('gateway-child', {
      args: { config, echo: false },
      profileDir: options.profileDir,
    });
    const client = new GatewayClient(await gateway.ready, BUSY_CLIENTS * 2);
    const pool = new Pool(url, { connections: BUSY_CLIENTS });
    try {
      const sessions = await client.sessions(SESSIONS);
      return [await latency(pool, client, sessions, options), await cost(gateway, client, sessions, options)];
    } finally {
      await Promise.all([client.close(), pool.destroy()]);
      await Promise.all([gateway.stop(), agent.stop()]);
    }
  },
};

/** Milliseconds until the completed state was seen on the agent's own stream. */
async function direct(pool: Pool, id: number): Promise<number> {
  const startedAt = nowMs();
  const message = { messageId: `m-${id}`, role: 'ROLE_USER', parts: [{ text: TEXT }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'SendStreamingMessage', params: { message } });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'a2a-version': '1.0' };
  const answer = await pool.request({ method: 'POST', path: '/rpc', headers, body });
  const text = await answer.body.text();
  if (!text.includes('TASK_STATE_COMPLETED'))
    throw new Error(`The agent answered ${answer.statusCode}: ${text}`);
  return nowMs() - startedAt;
}

/** Milliseconds from the submission until the durable completion was seen on the task's stream. */
async function throughGateway(client: GatewayClient, session: string): Promise<number> {
  const startedAt = nowMs();
  return (await client.followToEnd(await client.submit(session, TEXT))) - startedAt;
}

async function latency(
  pool: Pool,
  client: GatewayClient,
  sessions: readonly string[],
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const calls = amount(effort, { quick: 300, normal: 1_000 });
  const warmUp = 100;
  const mine: number[] = [];
  const plain: number[] = [];
  for (let at = 0; at < calls + warmUp; at += 1) {
    const viaAgent = await direct(pool, at);
    const viaGateway = await throughGateway(client, sessions[at % sessions.length] ?? '');
    if (at >= warmUp) {
      plain.push(viaAgent);
      mine.push(viaGateway);
    }
  }
  const addedMs = median(mine) - median(plain);
  progress(`added ${addedMs.toFixed(2)} ms`);
  return {
    id: 'P2',
    what: 'submit and follow to the end by SSE, 1 client: p50',
    measured: `${median(mine).toFixed(2)} ms (added ${addedMs.toFixed(2)})`,
    baseline: `same agent directly: ${median(plain).toFixed(2)} ms`,
    ratio: median(mine) / median(plain),
    target: `added p50 <= ${TARGET_ADDED_MS} ms (aim 2)`,
    ...against(addedMs, { most: TARGET_ADDED_MS }, 'json'),
    figures: { gatewayMs: median(mine), directMs: median(plain), addedMs },
  };
}

async function cost(
  gateway: Child<unknown>,
  client: GatewayClient,
  sessions: readonly string[],
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const tasks = amount(effort, { quick: 500, normal: 2_000 });
  const rounds = amount(effort, { quick: 3, normal: 5 });
  const cpuUs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const spent = await gateway.cpuOf(() =>
      closedLoop(BUSY_CLIENTS, tasks, async (_, at) => {
        await throughGateway(client, sessions[at % sessions.length] ?? '');
      }),
    );
    cpuUs.push(spent / tasks);
    progress(`${(spent / tasks).toFixed(0)} us per task`);
  }
  const added = median(cpuUs);
  return {
    id: 'P2',
    what: `the same, ${BUSY_CLIENTS} clients: CPU of the gateway process per task, the SSE request included`,
    measured: `${added.toFixed(0)} us CPU`,
    baseline: 'without gateway: 0',
    ratio: undefined,
    target: `added CPU <= ${TARGET_CPU_US} us (aim 600)`,
    ...against(added, { most: TARGET_CPU_US }, 'json'),
    figures: { addedCpuUs: added },
  };
}
