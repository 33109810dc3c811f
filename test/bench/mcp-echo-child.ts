import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * An MCP server whose one tool says back what it is told: `mcp-echo-child.js stdio <mark>` on standard streams, or
 * `http <mark>` on a free port, which it prints; `relay <mark>` is a port in front of one on standard streams, which hands
 * each request on. The mark finds its processes again.
 */
const [kind = 'stdio', mark = ''] = process.argv.slice(2);

async function relayed(): Promise<() => Server> {
  const client = new Client({ name: 'relay', version: '1' });
  const args = [process.argv[1] ?? '', 'stdio', mark];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return () => {
    const server = new Server({ name: 'relay', version: '1' }, { capabilities: { tools: {} } });
    server.fallbackRequestHandler = (request) => client.request(request, ResultSchema);
    return server;
  };
}

function echoServer(): Server {
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      {
        name: 'echo',
        description: 'Says it back.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: 'text', text: String(params.arguments?.['text']) }],
  }));
  return server;
}

if (kind === 'stdio') await echoServer().connect(new StdioServerTransport());
else {
  const server = kind === 'relay' ? await relayed() : echoServer;
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    await server().connect(transport as unknown as Transport);
    return transport;
  };
  const http = createServer((req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']));
    const ready = known === undefined ? open() : Promise.resolve(known);
    void ready.then((transport) => transport.handleRequest(req, res));
  });
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
  });
  // It ends with whoever started it.
  process.stdin.resume().once('end', () => process.exit());
}
