import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { closedLoop } from './closed-loop.ts';
import { serveCommands, startArguments } from './commands.ts';

/** A client of the SDK that calls one tool of a server over Streamable HTTP, as soon as the server offers it. */
const { url, authorization, tool } = startArguments<{ url: string; authorization?: string; tool: string }>();
const headers = authorization === undefined ? {} : { authorization };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const client = new Client({ name: 'bench', version: '1' });
await client.connect(transport as unknown as Transport);
for (;;) {
  const { tools } = await client.listTools();
  if (tools.some(({ name }) => name === tool)) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}

serveCommands(
  {},
  {
    calls: ({ clients, count, text }: { clients: number; count: number; text: string }) =>
      closedLoop(clients, count, async () => {
        const { content, isError } = await client.callTool({ name: tool, arguments: { text } });
        if (isError || !JSON.stringify(content).includes(text))
          throw new Error(`another answer: ${JSON.stringify(content)}`);
      }),
  },
  () => client.close(),
);
