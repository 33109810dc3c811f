import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

let agent: Peer;
let back: TestGateway;
let front: TestGateway;

beforeAll(async () => {
  agent = await startSampleAgent();
  back = await startTestGateway({ config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } } });
  const url = `${back.url.replace('http:', 'ws:')}/acp`;
  const row = (id: string, name: string) => ({
    id,
    url,
    auth: { type: 'bearer', value: { vault: `keys/${name}` } },
  });
  front = await startTestGateway({
    env: { KEYS_BACK: back.client.key, KEYS_WRONG: 'harn_test_nobody_0123456789' },
    config: {
      vaults: [{ id: 'keys', provider: 'environment', prefix: 'KEYS_' }],
      upstreams: { a2a: [], acp: [row('back', 'back'), row('shut', 'wrong')] },
    },
  });
});
afterAll(async () => {
  await front.close();
  await back.close();
  await agent.close();
});

it('an ACP agent behind a WebSocket, here another gateway, is called with a key from a vault', async () => {
  const { id, session_id } = await front.client.submit('over the socket', undefined, { route: 'acp:back' });
  const task = await front.client.until(id, 'COMPLETED', 'FAILED');
  expect(task.failure).toBeNull();
  const { data: taken } = await back.client.get<{ data: Task[] }>('/v1/tasks');
  expect(taken).toMatchObject([{ status: 'COMPLETED', created_by: 'actor_test' }]);
  expect(JSON.stringify(taken[0]?.input)).toContain('over the socket');
  const next = await front.client.submit('once more', session_id, { route: 'acp:back' });
  expect((await front.client.until(next.id, 'COMPLETED', 'FAILED')).status).toBe('COMPLETED');
  expect(front.logText() + back.logText()).not.toContain(back.client.key);
});

it('one that refuses the key fails the task, and says nothing of the key', async () => {
  const { id } = await front.client.submit('hi', undefined, { route: 'acp:shut' });
  const task = await front.client.until(id, 'FAILED', 'AUTH_REQUIRED');
  expect(JSON.stringify(task)).not.toContain('harn_test_nobody');
  expect(task.failure).toMatchObject({
    code: 'upstream_unavailable',
    details: { reason: 'refused', http_status: 401 },
  });
});
