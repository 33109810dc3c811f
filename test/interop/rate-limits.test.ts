import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { AcpClient } from '../harness/acp-client.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { HAS_NODES, unlessNodes } from '../harness/cluster.ts';
import { CONFIG_FILE, startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type GrpcRefusal, GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { WsRefused, WsTestClient } from '../harness/ws-client.ts';

const ACTORS = [
  'rest',
  'sse',
  'a2a',
  'a2a03',
  'mcp',
  'ws',
  'late',
  'acp',
  'grpc',
  'bodies',
  'window',
  'scraper',
] as const;

/** Two requests at once, and the next one after more time than the test takes. */
const LIMITS = { caller_requests_per_second: 0.001, caller_burst: 2, caller_bodies_in_flight: 1 };

describe('requests beyond the bound of a caller', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      keys: ACTORS.map((actor) => ({ actor })),
      config: { rate_limits: LIMITS, server: { grpc: { port: 0 } } },
    });
  });
  afterAll(() => gateway.close());

  const as = (actor: (typeof ACTORS)[number]): TestClient => {
    const found = gateway.clients[actor];
    if (found === undefined) throw new Error(`no key of ${actor}`);
    return found;
  };
  const useUp = async (client: TestClient, times = 2) => {
    for (let n = 0; n < times; n += 1) expect((await client.call('GET', '/v1/sessions')).status).toBe(200);
  };
  const post = (client: TestClient, path: string, body: object, headers: Record<string, string> = {}) =>
    client.call<Record<string, never>>('POST', path, { body, headers });

  it('are 429 over REST, with Retry-After and the standard fields', async () => {
    const first = await as('rest').call('GET', '/v1/sessions');
    expect(first.headers.get('ratelimit-policy')).toBe('"caller";q=2;w=2000');
    expect(first.headers.get('ratelimit')).toMatch(/^"caller";r=1;t=\d+$/);
    await useUp(as('rest'), 1);
    const { status, headers, body } = await as('rest').call('POST', '/v1/sessions', { body: {} });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(900);
    expect(headers.get('ratelimit')).toMatch(/^"caller";r=0;t=\d+$/);
    expect(body).toMatchObject({
      error: {
        code: 'rate_limited',
        type: 'rate_limit_error',
        details: { limit: 'requests_per_second', of: 'caller' },
      },
    });
    // What is public is nobody's, and the others have their own.
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    expect((await gateway.client.call('GET', '/v1/sessions')).status).toBe(200);
  });

  it('open no stream', async () => {
    await useUp(as('sse'));
    const { status, headers } = await as('sse').call('GET', '/v1/events/stream');
    expect([status, headers.get('content-type')]).toEqual([429, 'application/json; charset=utf-8']);
  });

  it.each([
    ['a2a', '1.0', 'GetTask'],
    ['a2a03', '0.3', 'tasks/get'],
  ] as const)('are errors of JSON-RPC with 429 over A2A (%s, %s)', async (actor, version, method) => {
    await useUp(as(actor));
    const body = { jsonrpc: '2.0', id: 7, method, params: { id: 'x' } };
    const answer = await post(as(actor), '/a2a', body, { 'a2a-version': version });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(900);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      error: { code: -32603, message: expect.stringContaining('More requests') },
    });
  });

  it('are errors of JSON-RPC with 429 over MCP', async () => {
    await useUp(as('mcp'));
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const answer = await post(as('mcp'), '/mcp', body, { accept: 'application/json, text/event-stream' });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('More requests') } });
  });

  it('are error frames on a WebSocket, whose upgrade counts too', async () => {
    const { id: session_id } = await gateway.client.session();
    const socket = await WsTestClient.open(gateway.url, '/v1/ws', { key: as('ws').key });
    const frame = { type: 'user_message', session_id, message: userText('hello') };
    expect(await socket.ask({ ...frame, id: '1' })).toMatchObject({ type: 'ack' });
    expect(await socket.ask({ ...frame, id: '2' })).toMatchObject({
      type: 'error',
      error: { code: 'rate_limited', details: { of: 'caller' } },
    });
    // Control frames are not counted.
    expect(await socket.ask({ type: 'ping', id: '3' })).toMatchObject({ type: 'ack' });
    socket.socket.close();
    await useUp(as('late'));
    const late = await WsTestClient.open(gateway.url, '/v1/ws', { key: as('late').key }).catch(
      (error: unknown) => error,
    );
    expect(late).toBeInstanceOf(WsRefused);
    expect(late).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  });

  it('are RESOURCE_EXHAUSTED over gRPC, with when to come again', async () => {
    const client = new GrpcTestClient(await grpcAddress(gateway.url), as('grpc').key);
    // No agent is there that lists them; what is asked counts all the same.
    for (const _ of [1, 2])
      await expect(client.call('ListTasks', {})).rejects.toMatchObject({ status: 'NOT_FOUND' });
    const refused = (await client.call('ListTasks', {}).catch((error: unknown) => error)) as GrpcRefusal;
    expect(refused).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      message: expect.stringContaining('More requests'),
    });
    expect(Number(refused.trailers.get('retry-after')[0])).toBeGreaterThan(900);
    expect(refused.trailers.get('ratelimit')).toEqual([expect.stringMatching(/^"caller";r=0;t=\d+$/)]);
    client.close();
  });

  it('are errors of JSON-RPC over ACP', async () => {
    // The upgrade and `initialize` are the two.
    const editor = await AcpClient.overSocket(gateway.url, as('acp').key);
    await expect(editor.session({ route: 'a2a:sample' })).rejects.toMatchObject({
      data: { harn: { code: 'rate_limited', details: { of: 'caller' } } },
    });
    editor.close();
  });

  const counted = unlessNodes(
    'are counted where bodies are under way, until these are answered',
    'a node that waits hands on what is there as a whole',
  );
  it.skipIf(HAS_NODES)(counted, async () => {
    const { key } = as('bodies');
    const slow = request(`${gateway.url}/v1/sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'harn-agents-protocol-version': as('bodies').version,
        'content-type': 'application/json',
        'content-length': '40',
      },
    });
    slow.on('error', () => undefined);
    slow.write('{');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { status, body } = await as('bodies').call('POST', '/v1/sessions', { body: {} });
    expect([status, body]).toEqual([
      429,
      {
        error: expect.objectContaining({
          code: 'rate_limited',
          details: expect.objectContaining({ limit: 'bodies_in_flight' }),
        }),
      },
    ]);
    slow.destroy();
    expect((await as('scraper').call('GET', '/metrics')).text).toMatch(
      /harn_calls_refused_total\{code="rate_limited"\} \d+/,
    );
  });

  it('are others after a reload', async () => {
    const file = join(gateway.data, CONFIG_FILE);
    const sections = parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    await useUp(as('window'));
    expect((await as('window').call('GET', '/v1/sessions')).status).toBe(429);
    writeFileSync(file, stringify({ ...sections, rate_limits: { caller_requests_per_second: 100 } }));
    await gateway.reload();
    await useUp(as('window'), 5);
    const made = await as('bodies').call('POST', '/v1/sessions', {
      body: { workspace_id: 'workspace_default' },
    });
    expect(made.status).toBe(201);
    writeFileSync(file, stringify({ ...sections, rate_limits: {} }));
    await gateway.reload();
    const { headers } = await as('window').call('GET', '/v1/sessions');
    expect(headers.get('ratelimit')).toBeNull();
  });
});
