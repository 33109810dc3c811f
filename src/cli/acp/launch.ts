import { createInterface } from 'node:readline';
import { Connection } from './connection.ts';
import { type AcpOptions, Endpoints } from './endpoint.ts';
import { Relay } from './relay.ts';

/** Relays until the editor closes our standard input. Standard output holds nothing but the protocol. */
export async function launch(options: AcpOptions): Promise<void> {
  const endpoints = new Endpoints(options);
  const relay = new Relay({
    toEditor: (text) => {
      if (process.stdout.write(`${text}\n`)) return;
      connection.pause();
      process.stdout.once('drain', () => connection.resume());
    },
    toGateway: (text) => connection.send(text),
  });
  const connection = new Connection({
    find: () => endpoints.find(),
    opened: () => void relay.connected(),
    message: (text) => relay.fromGateway(text),
    lost: () => relay.disconnected(),
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
    await endpoints.close();
  }
}
