import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Halt } from '#resources/halt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { A2aTestClient, collect } from '../harness/a2a-client.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { WsTestClient } from '../harness/ws-client.ts';

const SLOW = 'slow 60';

/** Begins long work; resolves with all that its client is told from then on. */
type Begin = (gateway: TestGateway) => Promise<unknown>;

const FACES: Readonly<Record<string, Begin>> = {
  async REST({ client }) {
    const { id: session } = await client.session();
    const body = { input: userText(SLOW) };
    const { status, body: said } = await client.call<Task>('POST', `/v1/sessions/${session}/tasks`, { body });
    return status < 300 ? client.until(said.id, 'COMPLETED', 'FAILED', 'CANCELED') : said;
  },
  /** What a client of frames does is to follow, and to say more. */
  async WebSocket({ client, url }) {
    const { id: session } = await client.session();
    const body = { input: userText(SLOW) };
    const { status, body: said } = await client.call<Task>('POST', `/v1/sessions/${session}/tasks`, { body });
    if (status >= 300) return said;
    const socket = await WsTestClient.open(url, '/v1/ws', { key: client.key });
    await socket.ask({ type: 'subscribe', id: 's', stream: 'task', task_id: said.id });
    await socket.until(({ type }) => type === 'end');
    const told = [...socket.frames];
    const parts = [{ type: 'text', text: 'more', visibility: 'public' }];
    told.push(
      await socket.ask({ type: 'respond', id: 'r', task_id: said.id, message: { role: 'user', parts } }),
    );
    socket.socket.close();
    return told;
  },
  async 'A2A, JSON-RPC'(gateway) {
    const client = new A2aTestClient(gateway, undefined);
    return collect(client.stream('SendStreamingMessage', { message: client.message(SLOW) }));
  },
  async 'A2A, HTTP and JSON'(gateway) {
    const client = new A2aTestClient(gateway, undefined);
    return (await client.rest('POST', '/message:send', { message: client.message(SLOW) })).body;
  },
  async gRPC({ client: { key }, url }) {
    const client = new GrpcTestClient(await grpcAddress(url), key);
    const message = { messageId: `m${performance.now()}`, role: 'ROLE_USER', parts: [{ text: SLOW }] };
    return client.call('SendMessage', { message }).finally(() => client.close());
  },
  async ACP({ client: { key }, url }) {
    const client = await AcpClient.overSocket(url, key);
    const { sessionId } = await client.session();
    const told = await client
      .prompt(sessionId, SLOW)
      .catch((error: { message: string }) => ({ ...error, message: error.message }));
    client.close();
    return [told, client.updates];
  },
  async MCP({ client: { key }, url }) {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as unknown as Transport,
    );
    const told = await client.callTool({ name: 'ask_sample', arguments: { message: SLOW } });
    await client.close();
    return told;
  },
};

describe('a halt of an agent', () => {
  let gateway: TestGateway;
  let agent: Peer;

  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        server: { grpc: { port: 0 } },
        limits: { cancel_wait_ms: 300 },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  const working = async () =>
    (await gateway.client.get<{ data: Task[] }>('/v1/tasks?status=WORKING')).data.length;

  it.each(Object.entries(FACES))(
    'is told to who runs and to who begins something there, over %s',
    async (_, begin) => {
      const { client } = gateway;
      const said = begin(gateway).then(
        JSON.stringify,
        (error: unknown) => `${error} ${JSON.stringify(error)}`,
      );
      await expect.poll(working, { timeout: 20_000 }).toBe(1);
      const { id, ended_tasks } = await client.post<Halt & { ended_tasks: number }>('/v1/admin/halts', {
        route: 'a2a:sample',
        reason: 'It orders in a loop.',
      });
      expect(ended_tasks).toBe(1);
      expect(await said).toContain('It orders in a loop.');
      const tasks = async () => (await client.get<{ data: Task[] }>('/v1/tasks?limit=200')).data.length;
      const before = await tasks();
      const refused = await begin(gateway).then(
        JSON.stringify,
        (error: unknown) => `${error} ${JSON.stringify(error)}`,
      );
      expect(refused).toContain('It orders in a loop.');
      expect(await tasks()).toBe(before);
      await client.post(`/v1/admin/halts/${id}/release`);
    },
  );
});
