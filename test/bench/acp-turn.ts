import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { withChild } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { sizeOfStore } from './counted-gateway.ts';
import { BENCH_KEY, writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { fsyncMs } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const ALLOW = { permission: async () => ({ outcome: { outcome: 'selected' as const, optionId: 'yes' } }) };
const TURN_RATIO = 2.2;
/** The prompt, its question and its end are on disk before they are told. */
const SYNCS_OF_TURN = 3;
const CHUNKS = 200;
const STREAM_RATIO = 2.5;
const KILOBYTE = 1_000;
const LEFT_KB = 220;

/** A turn that is measured, and how many of them. */
interface Turns {
  prompt: string;
  warmUp: number;
  turns: number;
}

export const acpTurn: Bench = {
  id: 'P9',
  title: 'an ACP turn through launcher and gateway to a stdio agent',
  async run(options) {
    const turns = amount(options.effort, { quick: 200, normal: 500 });
    const taken = await bothWays({ prompt: 'turn', warmUp: 50, turns }, options);
    const syncs = { count: SYNCS_OF_TURN, ms: fsyncMs() };
    const what = 'prompt with 7 updates and a permission, durable, 1 client: p50';
    return [rowOf('P9', what, taken, TURN_RATIO, syncs)];
  },
};

export const acpStream: Bench = {
  id: 'P15',
  title: `an ACP turn of ${CHUNKS} chunks through launcher and gateway to a stdio agent`,
  async run(options) {
    const turns = amount(options.effort, { quick: 20, normal: 100 });
    const taken = await bothWays({ prompt: `stream ${CHUNKS}`, warmUp: 5, turns }, options);
    const leftKb = taken.leftBytes / KILOBYTE;
    return [
      rowOf('P15', `prompt with ${CHUNKS} chunks, durable, 1 client: p50`, taken, STREAM_RATIO),
      {
        id: 'P15',
        what: `bytes that a turn of ${CHUNKS} chunks leaves in the store, keys and values`,
        measured: `${leftKb.toFixed(0)} KB`,
        baseline: '',
        ratio: undefined,
        target: `<= ${LEFT_KB} KB (aim 170 KB)`,
        met: leftKb <= LEFT_KB,
        figures: { leftKb },
      },
    ];
  },
};

interface Taken {
  gatewayMs: number;
  directMs: number;
  /** Of a turn, in the store. */
  leftBytes: number;
}

async function bothWays(turns: Turns, { profileDir, progress }: BenchOptions): Promise<Taken> {
  const plain = await plainSocket();
  const agents = [{ id: 'coder', command: acpAgentCommand() }];
  const data = scratchDirectory();
  const options = { args: { config: writeConfig(data, [], agents), echo: false }, profileDir };
  await withChild('gateway-child', options, async () => undefined);
  const empty = await sizeOfStore(data);
  const directMs = await latencyAt(plain.url, turns).finally(() => plain.close());
  const gatewayMs = await withChild('gateway-child', options, (_, { url }: GatewayAddress) =>
    latencyAt(url, turns),
  );
  progress(`${gatewayMs.toFixed(2)} ms against ${directMs.toFixed(2)} ms`);
  const leftBytes = ((await sizeOfStore(data)).bytes - empty.bytes) / (turns.turns + turns.warmUp);
  return { gatewayMs, directMs, leftBytes };
}

function rowOf(
  id: string,
  what: string,
  { gatewayMs, directMs }: Taken,
  most: number,
  syncs = { count: 0, ms: 0 },
): Row {
  const beside = syncs.count === 0 ? '' : ` + ${syncs.count} syncs of ${syncs.ms.toFixed(2)} ms`;
  return {
    id,
    what,
    measured: `${gatewayMs.toFixed(2)} ms`,
    baseline: `the same without the gateway: ${directMs.toFixed(2)} ms`,
    ratio: gatewayMs / directMs,
    target: `p50 <= ${most} x baseline${beside}`,
    met: gatewayMs <= most * directMs + syncs.count * syncs.ms,
    figures: { gatewayMs, directMs, ratio: gatewayMs / directMs },
  };
}

/** Median milliseconds of a turn through the launcher; the two sides run one after the other, because each has its own session. */
async function latencyAt(url: string, { prompt, warmUp, turns }: Turns): Promise<number> {
  const launcher = new AcpLauncher(['--url', url, '--key', BENCH_KEY], {}, ALLOW);
  try {
    const { client } = launcher;
    await client.begin();
    const { sessionId } = await client.session();
    const taken: number[] = [];
    for (let turn = 0; turn < turns + warmUp; turn += 1) {
      const startedAt = nowMs();
      await client.prompt(sessionId, prompt);
      if (turn >= warmUp) taken.push(nowMs() - startedAt);
    }
    return median(taken);
  } finally {
    await launcher.close();
  }
}

/** The agent behind a WebSocket and nothing else: each connection is one process. */
async function plainSocket(): Promise<{ url: string; close(): Promise<void> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/acp' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    const [program = '', ...args] = acpAgentCommand();
    const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: agent.stdout }).on('line', (line) => socket.send(line));
    socket.on('message', (data) => agent.stdin.write(`${String(data)}\n`));
    socket.on('close', () => agent.stdin.end());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
