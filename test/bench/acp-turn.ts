import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import type { AcpClient } from '../harness/acp-client.ts';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { amount, type Bench } from './bench.ts';
import { Child } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { BENCH_KEY, writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

const WARM_UP = 50;
const TARGET_RATIO = 3;
const ALLOW = { permission: async () => ({ outcome: { outcome: 'selected' as const, optionId: 'yes' } }) };

export const acpTurn: Bench = {
  id: 'P9',
  title: 'an ACP turn through launcher and gateway to a stdio agent',
  async run({ effort, profileDir, progress }) {
    const turns = amount(effort, { quick: 200, normal: 500 });
    const plain = await plainSocket();
    const agents = [{ id: 'coder', command: acpAgentCommand() }];
    const config = writeConfig(scratchDirectory(), [], agents);
    const gateway = new Child<GatewayAddress>('gateway-child', { args: { config, echo: false }, profileDir });
    const { url } = await gateway.ready;
    const direct = new AcpLauncher(['--url', plain.url, '--key', BENCH_KEY], {}, ALLOW);
    const through = new AcpLauncher(['--url', url, '--key', BENCH_KEY], {}, ALLOW);
    try {
      const directMs = await latency(direct.client, turns);
      const gatewayMs = await latency(through.client, turns);
      const ratio = gatewayMs / directMs;
      progress(`${gatewayMs.toFixed(2)} ms against ${directMs.toFixed(2)} ms`);
      return [
        {
          id: 'P9',
          what: 'prompt with 7 updates and a permission, durable, 1 client: p50',
          measured: `${gatewayMs.toFixed(2)} ms`,
          baseline: `the same without the gateway: ${directMs.toFixed(2)} ms`,
          ratio,
          target: `p50 <= ${TARGET_RATIO} x baseline`,
          met: ratio <= TARGET_RATIO,
          figures: { gatewayMs, directMs },
        },
      ];
    } finally {
      await Promise.all([direct.close(), through.close()]);
      await Promise.all([gateway.stop(), plain.close()]);
    }
  },
};

/** Median milliseconds of a turn; the two sides alternate over whole runs, not turns, because each has its own session. */
async function latency(client: AcpClient, turns: number): Promise<number> {
  await client.begin();
  const { sessionId } = await client.session();
  const taken: number[] = [];
  for (let turn = 0; turn < turns + WARM_UP; turn += 1) {
    const startedAt = nowMs();
    await client.prompt(sessionId, 'turn');
    if (turn >= WARM_UP) taken.push(nowMs() - startedAt);
  }
  return median(taken);
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
