import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const CLIENTS = 16;
const TARGET_RATIO = 2.5;
const TEXT = 'z'.repeat(200);
const SERVER = fileURLToPath(new URL('mcp-echo-child.js', import.meta.url));
const TICK_US = 10_000;

export const mcpCall: Bench = {
  id: 'P10',
  title: 'MCP tools/call through the gateway, recorded and receipted, against the same client without it',
  async run(options) {
    return [await compare('stdio', options), await compare('http', options)];
  },
};

/** One way to the server: the client of the SDK, what stands between, and the mark of the processes behind it. */
interface Side {
  client: Child<unknown>;
  between: readonly Child<unknown>[];
  mark: string;
}

/**
 * Both sides are the same client on Streamable HTTP and the same server, all processes counted. A server on standard streams
 * is reached over the network by some program in any case: there the other side is the plainest one, which hands each
 * message on and keeps nothing. A client that starts the server itself writes to a pipe, and has no network to compare with.
 */
async function compare(kind: 'stdio' | 'http', options: BenchOptions): Promise<Row> {
  const marks = { direct: `bench-mcp-${kind}-direct`, gateway: `bench-mcp-${kind}-gateway` };
  const front = await serve(kind === 'http' ? 'http' : 'relay', marks.direct);
  const behind = kind === 'http' ? await serve('http', marks.gateway) : undefined;
  const row =
    behind === undefined
      ? { command: [process.execPath, SERVER, 'stdio', marks.gateway] }
      : { url: behind.url };
  const config = writeConfig(scratchDirectory(), [], [], [{ id: 'bench', ...row }]);
  const gateway = new Child<GatewayAddress>('gateway-child', {
    args: { config, echo: true },
    profileDir: options.profileDir,
  });
  const { url, key } = await gateway.ready;
  const plain = new Child<object>('mcp-client-child', { args: { url: front.url, tool: 'echo' } });
  const mine = new Child<object>('mcp-client-child', {
    args: { url: `${url}/mcp`, authorization: `Bearer ${key}`, tool: 'bench__echo' },
  });
  try {
    await Promise.all([plain.ready, mine.ready]);
    const direct = { client: plain, between: [], mark: marks.direct };
    return await measure(kind, direct, { client: mine, between: [gateway], mark: marks.gateway }, options);
  } finally {
    await Promise.all([plain.stop(), mine.stop()]);
    await gateway.stop();
    for (const server of [front, behind]) server?.end();
  }
}

async function measure(
  kind: 'stdio' | 'http',
  direct: Side,
  through: Side,
  { effort, progress }: BenchOptions,
): Promise<Row> {
  const calls = amount(effort, { quick: 200, normal: 2_000 });
  const rounds = amount(effort, { quick: 2, normal: 5 });
  const plain: number[] = [];
  const mine: number[] = [];
  await callsOn(direct, calls);
  await callsOn(through, calls);
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await cpuPerCall(direct, calls));
    mine.push(await cpuPerCall(through, calls));
    progress(`${kind}: ${mine.at(-1)?.toFixed(0)} us against ${plain.at(-1)?.toFixed(0)} us`);
  }
  const ratio = median(mine) / median(plain);
  const way = kind === 'stdio' ? 'a bare relay of the SDK to the same server' : 'the same server';
  return {
    id: 'P10',
    what: `tools/call of a server on ${kind} through /mcp, ${CLIENTS} at a time: CPU per call, client, gateway and server`,
    measured: `${median(mine).toFixed(0)} us`,
    baseline: `the same client on ${way}: ${median(plain).toFixed(0)} us`,
    ratio,
    target: `ratio <= ${TARGET_RATIO}`,
    met: ratio <= TARGET_RATIO,
    figures: { gatewayCpuUs: median(mine), directCpuUs: median(plain), ratio },
  };
}

function callsOn({ client }: Side, count: number): Promise<unknown> {
  return client.ask('calls', { clients: CLIENTS, count, text: TEXT });
}

async function cpuPerCall(side: Side, count: number): Promise<number> {
  const before = await cpuOfAll(side);
  await callsOn(side, count);
  return ((await cpuOfAll(side)) - before) / count;
}

async function cpuOfAll({ client, between, mark }: Side): Promise<number> {
  const measured = await Promise.all([client, ...between].map((child) => child.usage()));
  return measured.reduce((sum, { cpuUs }) => sum + cpuUs, 0) + cpuOfMarked(mark);
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

async function serve(kind: 'http' | 'relay', mark: string): Promise<{ url: string; end(): void }> {
  const child = spawn(process.execPath, [SERVER, kind, mark], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (line: Buffer) => resolve(String(line).trim())),
  );
  return { url, end: () => child.stdin.end() };
}
