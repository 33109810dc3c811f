import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { Endpoints } from './acp/endpoint.ts';
import { withConnectionOptions } from './client.ts';
import { RpcRelay } from './rpc-relay.ts';

type Options = ConstructorParameters<typeof Endpoints>[0];

/** The MCP server that a client spawns: the tools of the running gateway of the data directory, or of one started for it. */
export function mcpCommand(): Command {
  const command = new Command('mcp')
    .description('Be an MCP server on standard streams: the Skills and agents of the gateway as tools.')
    .option('--config <file>', 'configuration of the gateway that is started when none runs');
  return withConnectionOptions(command).action(serveStreams);
}

/** Relays until the client closes our standard input. Standard output holds nothing but the protocol. */
async function serveStreams(options: Options): Promise<void> {
  const endpoints = new Endpoints(options, (words) => process.stderr.write(`harn-gateway mcp: ${words}\n`));
  let endpoint: ReturnType<Endpoints['find']> | undefined;
  const relay = new RpcRelay({
    find: () => {
      endpoint ??= endpoints.find();
      return endpoint;
    },
    write: (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  });
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => input.close());
  try {
    await new Promise<void>((resolve) => {
      input.on('line', (line) => {
        if (line.trim() !== '')
          void relay.send(line).catch(() => process.stderr.write('not JSON: a line was left out\n'));
      });
      input.once('close', resolve);
    });
  } finally {
    await relay.close();
    process.stdin.destroy();
    await endpoints.close();
  }
}
