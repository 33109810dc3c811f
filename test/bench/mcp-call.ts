import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { closedLoop } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const CLIENTS = 16;
const TARGET_RATIO = 3;
const TEXT = 'z'.repeat(200);
const SERVER = fileURLToPath(new URL('mcp-echo-child.js', import.meta.url));
const TICK_US = 10_000;

export const mcpCall: Bench = {
  id: 'P10',
  title:
    'MCP tools/call through the gateway, recorded and receipted, against the SDK client on the server itself',
  async run(options) {
    return [await compare('stdio', options), await compare('http', options)];
  },
};

/** One way to reach the server: a measured process that calls, and the mark of the server process behind it. */
interface Side {
  caller: Child<unknown>;
  mark: string;
  calls(count: number): Promise<unknown>;
}

async function compare(kind: 'stdio' | 'http', options: BenchOptions): Promise<Row> {
  const marks = { direct: `bench-mcp-${kind}-direct`, gateway: `bench-mcp-${kind}-gateway` };
  const servers = kind === 'http' ? [await serve(marks.direct), await serve(marks.gateway)] : [];
  const rowOf = (mark: string, at: number) =>
    kind === 'http'
      ? { url: servers[at]?.url ?? '' }
      : { command: [process.execPath, SERVER, 'stdio', mark] };
  const client = new Child<object>('mcp-client-child', { args: rowOf(marks.direct, 0) });
  const config = writeConfig(scratchDirectory(), [], [], [{ id: 'bench', ...rowOf(marks.gateway, 1) }]);
  const gateway = new Child<GatewayAddress>('gateway-child', {
    args: { config, echo: true },
    profileDir: options.profileDir,
  });
  await client.ready;
  const load = new FaceLoad(await gateway.ready);
  const text = TEXT;
  const direct: Side = {
    caller: client,
    mark: marks.direct,
    calls: (count) => client.ask('calls', { clients: CLIENTS, count, text }),
  };
  const through: Side = { caller: gateway, mark: marks.gateway, calls: (count) => load.calls(count) };
  try {
    await load.open();
    return await measure(kind, direct, through, options);
  } finally {
    await load.close();
    await Promise.all([client.stop(), gateway.stop()]);
    for (const { end } of servers) end();
  }
}

async function measure(
  kind: string,
  direct: Side,
  through: Side,
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const calls = amount(effort, { quick: 200, normal: 2_000 });
  const rounds = amount(effort, { quick: 2, normal: 5 });
  const plain: number[] = [];
  const mine: number[] = [];
  await direct.calls(calls);
  await through.calls(calls);
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await cpuPerCall(direct, calls));
    mine.push(await cpuPerCall(through, calls));
    progress(`${kind}: ${mine.at(-1)?.toFixed(0)} us against ${plain.at(-1)?.toFixed(0)} us`);
  }
  const ratio = median(mine) / median(plain);
  return {
    id: 'P10',
    what: `tools/call of a server on ${kind} through /mcp, ${CLIENTS} at a time: CPU per call, gateway and server`,
    measured: `${median(mine).toFixed(0)} us`,
    baseline: `SDK client and the same server: ${median(plain).toFixed(0)} us`,
    ratio,
    target: `ratio <= ${TARGET_RATIO}`,
    met: ratio <= TARGET_RATIO,
    figures: { gatewayCpuUs: median(mine), directCpuUs: median(plain), ratio },
  };
}

async function cpuPerCall({ caller, mark, calls }: Side, count: number): Promise<number> {
  const before = cpuOfMarked(mark);
  const own = await caller.cpuOf(() => calls(count));
  return (own + cpuOfMarked(mark) - before) / count;
}

/** CPU time so far of the processes with this word on their command line, microseconds, in steps of a clock tick. */
function cpuOfMarked(mark: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.reduce((sum, pid) => sum + (wordsOf(pid).includes(mark) ? ticksOf(pid) * TICK_US : 0), 0);
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended since it was listed.
    return [];
  }
}

function ticksOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function serve(mark: string): Promise<{ url: string; end(): void }> {
  const child = spawn(process.execPath, [SERVER, 'http', mark], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (line: Buffer) => resolve(String(line).trim())),
  );
  return { url, end: () => child.stdin.end() };
}

/** Clients of `/mcp` that share one session, as plain as they can be. */
class FaceLoad {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  #at = 0;

  constructor({ url, key }: GatewayAddress) {
    this.#pool = new Pool(url, { connections: CLIENTS, pipelining: 1 });
    this.#headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
  }

  /** Shakes hands, and waits until the tool is offered. */
  async open(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    const { headers } = await this.#post('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    });
    this.#headers['mcp-session-id'] = String(headers['mcp-session-id']);
    this.#headers['mcp-protocol-version'] = '2025-11-25';
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { text } = await this.#post('tools/list', {});
      if (text.includes('bench__echo')) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('The tool is not offered.');
  }

  calls(count: number): Promise<void> {
    return closedLoop(CLIENTS, count, async () => {
      const { text } = await this.#post('tools/call', { name: 'bench__echo', arguments: { text: TEXT } });
      if (!text.includes(TEXT) || text.includes('isError')) throw new Error(`The call gave ${text}`);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #post(method: string, params: object) {
    this.#at += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#at, method, params });
    const answer = await this.#pool.request({ method: 'POST', path: '/mcp', headers: this.#headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`/mcp answered ${answer.statusCode}: ${text}`);
    return { headers: answer.headers, text };
  }
}
