import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/mcp-sdk-stage.ts';
import { type Closable, mcpClients } from '../harness/mcp-server-stage.ts';
import { SdkMcpServer } from '../harness/sdk-mcp-server.ts';

describe('before the first discovery of a server is over', () => {
  let gateway: TestGateway;
  let port: number;
  const opened: Closable[] = [];

  beforeAll(async () => {
    const free = await SdkMcpServer.start();
    ({ port } = free);
    await free.close();
    const mcp = [{ id: 'late', url: `http://127.0.0.1:${port}/mcp` }];
    gateway = await startTestGateway({ config: { upstreams: { a2a: [], mcp } } });
  });
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
    await gateway.close();
  });

  const ready = async () => (await fetch(`${gateway.url}/ready`)).json() as Promise<Record<string, unknown>>;
  const submit = (route: string) =>
    gateway.client.call<Task>('POST', '/v1/tasks', {
      body: { session: { workspace_id: 'workspace_default' }, input: {}, metadata: { route } },
      headers: { 'Idempotency-Key': `${route} ${performance.now()}` },
    });

  it('[MCP-UP-18] /ready says so, and calls of its Skills are answered with 503, until it is there', async () => {
    expect(await ready()).toMatchObject({
      ok: true,
      reason: expect.stringContaining('not been reached yet'),
      details: { undiscovered: 1 },
    });
    const refused = await submit('skill:late__quick');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body).toMatchObject({
      error: {
        code: 'service_unavailable',
        param: 'metadata.route',
        message: expect.stringContaining('Retry'),
      },
    });
    expect((await submit('skill:other__quick')).status).toBe(400);

    const headers = () => ({ authorization: `Bearer ${gateway.client.key}` });
    const clients = mcpClients((path) => new URL(gateway.url + path), headers, opened);
    const call = { name: 'late__quick', arguments: {} };
    for (const client of [(await clients.legacy()).client, await clients.modern()])
      await expect(client.callTool(call)).rejects.toMatchObject({
        code: -32_603,
        data: { harn: { code: 'service_unavailable' } },
      });

    opened.push(await SdkMcpServer.start({ port }));
    await until(async () => (await submit('skill:late__quick')).status === 202);
    expect(await ready()).toMatchObject({ ok: true, reason: null, details: {} });
    const answer = await submit('skill:late__quick');
    expect(await gateway.client.until(answer.body.id, 'COMPLETED', 'FAILED')).toMatchObject({
      status: 'COMPLETED',
    });
    const { client } = await clients.legacy();
    expect(await client.callTool(call)).toMatchObject({ content: [{ text: 'quick is done' }] });
  });
});
