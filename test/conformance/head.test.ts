import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AskingClient } from '../harness/asking-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

/** Of one answer only. */
const OWN = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];

function described({ status, headers }: { status: number; headers: Headers }) {
  return { status, headers: [...headers].filter(([name]) => !OWN.includes(name)) };
}

describe('HEAD', () => {
  let gateway: TestGateway;
  let session: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    session = (await gateway.client.session()).id;
  });
  afterAll(async () => {
    await gateway.close();
  });

  it.each([
    '/health',
    '/openapi.json',
    '/asyncapi.json',
    '/v1/sessions',
    '/v1/sessions?limit=0',
    '/v1/sessions/session_absent',
    '/v1/receipts/receipt_absent',
    '/.well-known/agent-card.json',
  ])('tells of %s what GET tells, without the content', async (path) => {
    const head = await gateway.client.call('HEAD', path);
    expect(head.text).toBe('');
    expect(described(head)).toEqual(described(await gateway.client.call('GET', path)));
  });

  it('needs what GET needs', async () => {
    const headers = { authorization: undefined };
    for (const path of ['/v1/sessions', `/v1/sessions/${session}/events/stream`])
      expect((await gateway.client.call('HEAD', path, { headers })).status).toBe(401);
  });

  it('tells of a stream how it would begin, and opens none', async () => {
    const path = `/v1/sessions/${session}/events/stream`;
    const head = await gateway.client.call('HEAD', path);
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([
      200,
      'text/event-stream',
      '',
    ]);
    const absent = path.replace(session, 'session_absent');
    expect((await gateway.client.call('HEAD', absent)).status).toBe(404);
    expect((await gateway.client.call('HEAD', '/metrics')).status).toBe(200);
    const { text } = await gateway.client.call('GET', '/metrics');
    expect(text).toMatch(/harn_streams_open 0\n/);
  });
});

describe('an answer that Accept decides about', () => {
  it('says so in each of its forms', async () => {
    const gateway = await startTestGateway({
      extraClients: [new AskingClient()],
      config: { receipts: { acceptance: true } },
    });
    try {
      const task = await gateway.client.submit('hello');
      const { data } = await gateway.client.get<{ data: { id: string }[] }>(`/v1/tasks/${task.id}/receipts`);
      for (const accept of ['application/json', 'application/vnd.harn.receipt+cbor', undefined]) {
        const answer = await gateway.client.call('GET', `/v1/receipts/${data[0]?.id}`, {
          headers: { accept },
        });
        expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'Accept']);
      }
    } finally {
      await gateway.close();
    }
  });
});
