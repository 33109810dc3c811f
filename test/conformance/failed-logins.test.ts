import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { WsRefused, WsTestClient } from '../harness/ws-client.ts';

const LIMIT = 20;

describe('bad credentials of one address', () => {
  let gateway: TestGateway;
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => passed };
  const guess = (n: number, path = '/v1/tasks') =>
    new TestClient(gateway.url, `harn_live_nobody_${n}`).call('GET', path);

  beforeAll(async () => {
    gateway = await startTestGateway({ clock, config: { limits: { failed_logins_per_minute: LIMIT } } });
  });
  afterAll(() => gateway.close());

  it('[A-11] are 401 up to the limit, then 429 with the time to wait, at every door', async () => {
    for (let n = 0; n < LIMIT; n += 1) expect((await guess(n)).status).toBe(401);
    passed += 10_000;
    for (const path of ['/v1/tasks', '/v1/sessions/x', '/metrics', '/v1/events/stream']) {
      const answer = await guess(LIMIT, path);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 429, '50']);
      expect(answer.body).toMatchObject({ error: { code: 'rate_limited', type: 'rate_limit_error' } });
    }
    const rpc = await fetch(`${gateway.url}/a2a`, {
      method: 'POST',
      headers: { authorization: 'Bearer harn_live_nobody_x', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(rpc.status).toBe(429);
    const socket = WsTestClient.open(gateway.url, '/v1/ws', { key: 'harn_live_nobody_x' });
    await expect(socket).rejects.toSatisfy(
      (refusal) => refusal instanceof WsRefused && refusal.status === 429,
    );
  });

  it('keep no good credential out, and nothing that is public', async () => {
    expect((await guess(0)).status).toBe(429);
    expect((await gateway.client.call('GET', '/v1/tasks')).status).toBe(200);
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/tasks`)).status).toBe(401);
  });

  it('are 401 again when the minute is over', async () => {
    passed += 50_000;
    expect((await guess(1)).status).toBe(401);
  });
});
