import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { mcpServers } from '../../../harness/mcp-servers.ts';
import { startAcpAgent } from '../../../harness/peers/acp-socket-agent.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

let root: string;
let gateway: TestGateway | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'harn-route-'));
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  rmSync(root, { recursive: true, force: true });
});

const start = async (upstreams: object) => {
  gateway = await startTestGateway({ config: { upstreams } });
  return gateway;
};
const mcp = () => [{ id: 'files', command: mcpServers.filesystem(root) }];

describe('plain text that names no route', () => {
  it('goes to the bundled sample agent where only upstreams.mcp is set', async () => {
    const { client } = await start({ mcp: mcp() });
    const task = await client.submit('hello');
    expect(task.assigned_agent_id).toBe('a2a:sample');
    await client.until(task.id, 'COMPLETED');
  });

  it('goes to the first ACP agent where upstreams.a2a is not set', async () => {
    const { client } = await start({ mcp: mcp(), acp: [{ id: 'coder', url: agent.url }] });
    const task = await client.submit('hello');
    expect(task.assigned_agent_id).toBe('acp:coder');
    await client.until(task.id, 'COMPLETED');
  });

  it('is refused where no agent is configured, naming the member and where the routes are listed', async () => {
    const { client, url } = await start({ a2a: [], mcp: mcp() });
    const { id: session_id } = await client.session();
    const refused = await client.call('POST', '/v1/tasks', {
      body: { session_id, input: { text: 'hello' } },
    });
    expect([refused.status, refused.body['error']]).toMatchObject([
      400,
      { code: 'invalid_request', param: 'metadata.route', message: expect.stringContaining('/v1/agents') },
    ]);
    const { data } = await client.get<{ data: unknown[] }>(`/v1/tasks?session_id=${session_id}`);
    expect(data).toEqual([]);
    const headers = {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    };
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const body = JSON.stringify({ message });
    const byA2a = await fetch(`${url}/a2a/message:send`, { method: 'POST', headers, body });
    expect(byA2a.status).toBe(404);
  });
});
