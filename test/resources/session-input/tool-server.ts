import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A call of the tool, as it came over the wire. */
export interface ToolCall {
  headers: IncomingMessage['headers'];
  params: { name: string; arguments: Record<string, unknown> };
}

export interface ToolServer {
  origin: string;
  url: string;
  calls: ToolCall[];
  close(): Promise<void>;
}

const TOOL = {
  name: 'deploy',
  inputSchema: {
    type: 'object',
    properties: { token: { type: 'string', pattern: '[0-9]' }, to: { type: 'string' } },
    required: ['token', 'to'],
  },
};

/** An MCP server with one tool, which needs a token; `says`: what it answers a call with. */
export async function startToolServer(
  says: (given: Record<string, unknown>) => string,
  tls?: { cert: string; key: string },
): Promise<ToolServer> {
  const calls: ToolCall[] = [];
  const results: Record<string, (params: ToolCall['params']) => object> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'deploy', version: '1' },
    }),
    'tools/list': () => ({ tools: [TOOL] }),
    'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: says(given) }] }),
  };
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      if (method === 'tools/call') calls.push({ headers: request.headers, params });
      if (id === undefined) return response.writeHead(202).end();
      const result = results[method]?.(params);
      const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    });
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
