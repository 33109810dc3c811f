import { Pool } from 'undici';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { closedLoop, nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median, medianRatio, quantile } from './statistics.ts';

export const CLIENTS = 64;
/** A client goes round its sessions, so that a task never waits for the one before it. */
export const SESSIONS_PER_CLIENT = 8;
const FILLER = 'x'.repeat(200);
/** The most that an answer may cost, against the SDK in memory. */
const MOST_RATIO = { message: 2.0, artifact: 2.2 } as const;

interface Round {
  cpuUs: number;
  perSecond: number;
  latenciesMs: number[];
}

/** One side of the comparison: runs so many echo tasks and says what the server process spent. */
type Side = (count: number, text: string) => Promise<Round>;

export const durableTask: Bench = {
  id: 'P1',
  title: 'durable task against the SDK in memory',
  async run(options) {
    const gateway = new Child<GatewayAddress>('gateway-child', {
      args: { config: writeConfig(scratchDirectory()), echo: true },
      profileDir: options.profileDir,
    });
    const sdk = new Child<{ url: string }>('sdk-express-child', { profileDir: options.profileDir });
    const least = new Child<GatewayAddress>('least-child', {
      args: { data: scratchDirectory() },
      profileDir: options.profileDir,
    });
    const client = new GatewayClient(await gateway.ready, CLIENTS);
    const leastClient = new GatewayClient(await least.ready, CLIENTS);
    const pool = new Pool((await sdk.ready).url, { connections: CLIENTS, pipelining: 1 });
    try {
      const ours = gatewaySide(gateway, client, await client.sessions(CLIENTS * SESSIONS_PER_CLIENT));
      const theirs = sdkSide(sdk, pool);
      return [
        await compare('message', ours, theirs, options),
        await compare('artifact', ours, theirs, options),
        floorRow(await sides(leastSide(least, leastClient), theirs, `message ${FILLER}`, options)),
      ];
    } finally {
      await Promise.all([client.close(), leastClient.close(), pool.destroy()]);
      await Promise.all([gateway.stop(), least.stop(), sdk.stop()]);
    }
  },
};

/** Echo tasks over REST at a gateway with the echo upstream. */
export function gatewaySide(
  gateway: Child<GatewayAddress>,
  client: GatewayClient,
  sessions: readonly string[],
): Side {
  return async (count, text) => {
    const submitted = new Map<string, number>();
    let ended: [string, number][] = [];
    const startedAt = nowMs();
    const cpuUs = await gateway.cpuOf(async () => {
      const rounds = new Array<number>(CLIENTS).fill(0);
      await closedLoop(CLIENTS, count, async (number) => {
        const round = rounds[number] ?? 0;
        rounds[number] = round + 1;
        const session = sessions[number * SESSIONS_PER_CLIENT + (round % SESSIONS_PER_CLIENT)] ?? '';
        const at = nowMs();
        submitted.set(await client.submit(session, text), at);
      });
      ended = await gateway.ask<[string, number][]>('ended', count);
    });
    const latenciesMs = ended.map(([id, at]) => at - (submitted.get(id) ?? Number.NaN));
    const lastMs = Math.max(...ended.map(([, at]) => at));
    return { cpuUs: cpuUs / count, perSecond: (count / (lastMs - startedAt)) * 1000, latenciesMs };
  };
}

/** What is stored of a task, and nothing else (least-task.ts). */
function leastSide(least: Child<unknown>, client: GatewayClient): Side {
  return async (count, text) => {
    const latenciesMs: number[] = [];
    const startedAt = nowMs();
    const cpuUs = await least.cpuOf(async () => {
      await closedLoop(CLIENTS, count, async (number, at) => {
        const sentAt = nowMs();
        await client.submit(`session_${number}x${at % SESSIONS_PER_CLIENT}`, text);
        latenciesMs.push(nowMs() - sentAt);
      });
      await least.ask('ended', count);
    });
    return { cpuUs: cpuUs / count, perSecond: (count / (nowMs() - startedAt)) * 1000, latenciesMs };
  };
}

function sdkSide(sdk: Child<unknown>, pool: Pool): Side {
  return async (count, text) => {
    const latenciesMs: number[] = [];
    const startedAt = nowMs();
    const cpuUs = await sdk.cpuOf(() =>
      closedLoop(CLIENTS, count, async (_, at) => {
        const sentAt = nowMs();
        await blockingSend(pool, at, text);
        latenciesMs.push(nowMs() - sentAt);
      }),
    );
    return { cpuUs: cpuUs / count, perSecond: (count / (nowMs() - startedAt)) * 1000, latenciesMs };
  };
}

async function blockingSend(pool: Pool, id: number, text: string): Promise<void> {
  const message = { messageId: `m-${id}`, role: 'ROLE_USER', parts: [{ text }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'SendMessage', params: { message } });
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const answer = await pool.request({ method: 'POST', path: '/rpc', headers, body });
  const said = await answer.body.text();
  if (!said.includes('TASK_STATE_COMPLETED'))
    throw new Error(`The SDK answered ${answer.statusCode}: ${said}`);
}

interface Rounds {
  mine: Round[];
  sdk: Round[];
}

async function compare(
  form: keyof typeof MOST_RATIO,
  ours: Side,
  theirs: Side,
  options: BenchOptions,
): Promise<Row> {
  return rowOf(form, await sides(ours, theirs, `${form} ${FILLER}`, options, form));
}

async function sides(
  ours: Side,
  theirs: Side,
  text: string,
  { effort, progress }: BenchOptions,
  name = 'floor',
): Promise<Rounds> {
  const tasks = amount(effort, { quick: 1_000, normal: 3_000 });
  const rounds = amount(effort, { quick: 3, normal: 7 });
  const mine: Round[] = [];
  const sdk: Round[] = [];
  await theirs(tasks, text);
  await ours(tasks, text);
  for (let round = 0; round < rounds; round += 1) {
    sdk.push(await theirs(tasks, text));
    mine.push(await ours(tasks, text));
    progress(`${name}: ${mine.at(-1)?.cpuUs.toFixed(0)} us against ${sdk.at(-1)?.cpuUs.toFixed(0)} us`);
  }
  return { mine, sdk };
}

const cpu = (rounds: readonly Round[]) => rounds.map((round) => round.cpuUs);

function describe(rounds: readonly Round[]): string {
  const latencies = rounds.flatMap((round) => round.latenciesMs);
  const perSecond = median(rounds.map((round) => round.perSecond)).toFixed(0);
  const [p50, p99] = [quantile(latencies, 0.5).toFixed(1), quantile(latencies, 0.99).toFixed(1)];
  return `${median(cpu(rounds)).toFixed(0)} us CPU, ${perSecond}/s, p50 ${p50} p99 ${p99} ms`;
}

/** Context for the others: a ratio that no gateway of this contract can be below. */
function floorRow({ mine, sdk }: Rounds): Row {
  const ratio = medianRatio(cpu(mine), cpu(sdk));
  return {
    id: 'P1',
    what: 'floor: only what such a task stores (8 events in 2 segments, 1 receipt, 1 frame), signed and fsynced, behind Koa',
    measured: describe(mine),
    baseline: `SDK express in memory: ${describe(sdk)}`,
    ratio,
    target: '',
    met: undefined,
    figures: { floorCpuUs: median(cpu(mine)), sdkCpuUs: median(cpu(sdk)), ratio },
  };
}

function rowOf(form: keyof typeof MOST_RATIO, { mine, sdk }: Rounds): Row {
  const ratio = medianRatio(cpu(mine), cpu(sdk));
  return {
    id: 'P1',
    what: `durable task over REST to its terminal commit, 64 clients, answer as ${form}`,
    measured: describe(mine),
    baseline: `SDK express in memory: ${describe(sdk)}`,
    ratio,
    target: `CPU ratio <= ${MOST_RATIO[form]} (aim 1.0)`,
    met: ratio <= MOST_RATIO[form],
    figures: { gatewayCpuUs: median(cpu(mine)), sdkCpuUs: median(cpu(sdk)), ratio },
  };
}
