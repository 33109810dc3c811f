import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { closeServer, listenOnLoopback } from '../harness/peers/peer.ts';

const SECRET = 'a-credential-of-the-gateway-4711';

/** A server of the SDK that repeats the header of whoever asks, wherever it speaks of itself. */
async function startEcho(): Promise<{ http: HttpServer; url: string }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async ({ headers }: IncomingMessage) => {
    const said = String(headers.authorization);
    const server = new Server(
      { name: `Echo of ${said}`, version: said },
      { capabilities: { tools: {}, experimental: { echo: { said } } }, instructions: `You said ${said}.` },
    );
    const schema = (title: string) => ({
      type: 'object' as const,
      title,
      // Its name is that of a secret, but what is said of it is none.
      properties: { password: { type: 'string', default: said, description: `As in ${said}.` } },
    });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [
        { name: 'echo', title: said, description: `Says ${said}.`, inputSchema: schema(said) },
        { name: SECRET, description: 'Cannot be named.', inputSchema: schema('x') },
      ],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
      content: [{ type: 'text', text: `${params.name} with ${Object.keys(params.arguments ?? {}).join()}` }],
    }));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport as Transport);
    return transport;
  };
  const http = createServer((req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']));
    void Promise.resolve(known ?? open(req)).then((transport) => transport.handleRequest(req, res));
  });
  return { http, url: await listenOnLoopback(http) };
}

describe('an upstream that repeats the credential of the gateway', () => {
  let gateway: TestGateway | undefined;
  let server: HttpServer | undefined;
  afterEach(async () => {
    await gateway?.close();
    if (server) await closeServer(server);
  });

  const served = async (...paths: string[]): Promise<string> => {
    const bodies = paths.map(async (path) => (await gateway?.client.call('GET', path))?.body);
    return JSON.stringify(await Promise.all(bodies));
  };

  it('in the definitions of its tools is used, and read by nobody with it', async () => {
    const echo = await startEcho();
    server = echo.http;
    gateway = await startTestGateway({
      env: { ECHO_TOKEN: SECRET },
      config: {
        upstreams: {
          a2a: [],
          mcp: [{ id: 'echo', url: echo.url, auth: { type: 'bearer', value: { env: 'ECHO_TOKEN' } } }],
        },
      },
    });
    const { client, url } = gateway;
    await expect.poll(() => served('/v1/skills'), { timeout: 10_000 }).toContain('echo__echo');
    const read = await served('/v1/skills', '/v1/skills/echo__echo', '/v1/agents', '/v1/agent-card');
    expect(read).toContain('Echo of Bearer <redacted:');
    expect(read).not.toContain(SECRET);
    expect(read).not.toContain('Cannot be named.');

    const caller = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${client.key}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
    await caller.connect(transport as unknown as Transport);
    const { tools } = await caller.listTools();
    const tool = tools.find(({ name }) => name === 'echo__echo');
    expect(tool?.inputSchema.properties).toMatchObject({ password: { type: 'string' } });
    expect(JSON.stringify(tools)).not.toContain(SECRET);
    expect(await caller.callTool({ name: 'echo__echo', arguments: { password: 'x' } })).toMatchObject({
      content: [{ text: 'echo with password' }],
    });
    await caller.close();
    expect(gateway.logText()).not.toContain(SECRET);
  });

  it('in the name of an agent on standard streams is read by nobody with it', async () => {
    const env = { AGENT_TITLE: { env: 'AGENT_TOKEN' } };
    gateway = await startTestGateway({
      env: { AGENT_TOKEN: SECRET },
      config: { upstreams: { a2a: [], acp: [{ id: 'peer', command: acpAgentCommand(), env }] } },
    });
    const task = await gateway.client.submit('say hi', undefined, { route: 'acp:peer' });
    await gateway.client.until(task.id, 'COMPLETED', 'FAILED');
    const read = await served('/v1/agents', '/v1/skills', '/v1/agent-card');
    expect(read).toContain('<redacted:known_secret:');
    expect(read).not.toContain(SECRET);
  });
});
