import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { ProcessGuard } from '#operation/process-guard.ts';
import { Connection } from './connection.ts';
import { type AcpOptions, Endpoints } from './endpoint.ts';
import { McpHosts } from './mcp-hosts.ts';
import type { OwnGateway } from './own-gateway.ts';
import { Relay } from './relay.ts';

/** Relays until the editor closes our standard input. Standard output holds nothing but the protocol. */
export async function launch(options: AcpOptions): Promise<void> {
  const endpoints = new Endpoints(options, (words) => process.stderr.write(`harn-gateway acp: ${words}\n`));
  const relay = new Relay({
    toEditor: (text) => {
      if (process.stdout.write(`${text}\n`)) return;
      connection.pause();
      process.stdout.once('drain', () => connection.resume());
    },
    toGateway: (text) => connection.send(text),
    announced: (message) => servers.announced(message),
    takes: (message) => servers.takes(message),
    remark: () => endpoints.own && startedHere(endpoints.own),
  });
  const servers = new McpHosts({
    guard: new ProcessGuard({ warn: (_, what) => process.stderr.write(`${what}\n`) }),
    newId: randomUUID,
    notify: (method, params) => void connection.send(JSON.stringify({ jsonrpc: '2.0', method, params })),
  });
  const connection = new Connection({
    find: () => endpoints.find(),
    opened: () => void relay.connected(),
    message: (text) => relay.fromGateway(text),
    lost: () => {
      relay.disconnected();
      void servers.disconnected();
    },
    refused: (reason, words) => relay.refuse(reason, words),
  });
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  input.on('line', (line) => {
    if (line.trim() !== '') relay.fromEditor(line);
  });
  input.once('close', () => connection.close());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => input.close());
  try {
    await connection.run();
  } finally {
    process.stdin.destroy();
    await servers.disconnected();
    await endpoints.close();
  }
}

/** The gateway of this editor alone: nobody else reaches it, and it ends with the editor. */
function startedHere({ data, url }: OwnGateway) {
  return {
    title: 'A gateway was started for this editor',
    description: `None was running. This one keeps its data in ${data}, serves at ${url} and ends with the editor. For one that stays, run: harn-gateway serve --data ${data}`,
  };
}
