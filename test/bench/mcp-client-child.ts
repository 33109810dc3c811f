import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { closedLoop } from './closed-loop.ts';
import { serveCommands, startArguments } from './commands.ts';

/** The baseline of P10: the client of the SDK calls the server itself. */
const { command, url } = startArguments<{ command?: string[]; url?: string }>();
const [program = '', ...args] = command ?? [];
const transport =
  url === undefined
    ? new StdioClientTransport({ command: program, args })
    : new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: 'bench', version: '1' });
await client.connect(transport as unknown as Transport);

serveCommands(
  {},
  {
    calls: ({ clients, count, text }: { clients: number; count: number; text: string }) =>
      closedLoop(clients, count, async () => {
        const { content } = await client.callTool({ name: 'echo', arguments: { text } });
        if (!JSON.stringify(content).includes(text)) throw new Error(`another answer: ${content}`);
      }),
  },
  () => client.close(),
);
