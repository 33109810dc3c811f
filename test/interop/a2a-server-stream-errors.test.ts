import { SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { ClientFactory as ClientFactory03, JsonRpcTransportFactory as JsonRpc03 } from 'a2a03/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aTestClient, authorizedFetch, collect } from '../harness/a2a-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

const GONE = 'task_01M80CFB3E2J2BW07HRJJ5T9CY';

/** Source: A2A 0.3, 3.3.1: the answer to a streaming method is a stream, whatever it says. */
describe('what real clients learn when a stream is refused', () => {
  let agent: Peer;
  let gateway: TestGateway;
  let over: string;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } },
    });
    over = (await gateway.client.submit('one')).id;
    await gateway.client.until(over, 'COMPLETED');
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });
  const text = (members: object) => ({
    kind: 'message' as const,
    messageId: 'm1',
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text: 'more' }],
    ...members,
  });
  const refusalOf = async (stream: AsyncGenerator<unknown>) =>
    collect(stream).then(
      () => 'no error',
      (error: Error) => error,
    );

  it('the 0.3 client learns the code of each', async () => {
    const options = { transports: [new JsonRpc03({ fetchImpl: authorizedFetch(gateway) })] };
    const client = await new ClientFactory03(options).createFromUrl(gateway.url);
    const refused = [
      [await refusalOf(client.sendMessageStream({ message: text({ taskId: GONE }) })), -32001],
      [await refusalOf(client.sendMessageStream({ message: text({ taskId: over }) })), -32004],
      [await refusalOf(client.sendMessageStream({ message: text({ parts: [] }) })), -32602],
      [await refusalOf(client.resubscribeTask({ id: GONE })), -32001],
      [await refusalOf(client.resubscribeTask({ id: over })), -32004],
    ] as const;
    for (const [error, code] of refused) expect(String(error)).toContain(`(Code: ${code})`);
    expect((refused[0][0] as Error).cause).toMatchObject({ name: 'TaskNotFoundError' });
  });

  it('the 1.0 client still reads it as a plain answer', async () => {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: authorizedFetch(gateway) })],
    });
    const client = await new ClientFactory(options).createFromUrl(gateway.url);
    const message = { messageId: 'm', role: 'ROLE_USER', taskId: GONE, parts: [{ text: 'x' }] };
    const refused = await refusalOf(client.sendMessageStream(SendMessageRequest.fromJSON({ message })));
    expect(refused).toMatchObject({ name: 'TaskNotFoundError' });
  });

  it('is one event with the id of the request and status 200; what HTTP says by a status stays one', async () => {
    const a2a = new A2aTestClient(gateway, 'shop');
    const ask = (body: object, key?: null) =>
      (key === null ? a2a.as(null) : a2a).raw('POST', '', JSON.stringify(body), {
        'content-type': 'application/json',
      });
    for (const params of [{ id: GONE }, {}, 5]) {
      const answer = await ask({ jsonrpc: '2.0', id: 'mine', method: 'tasks/resubscribe', params });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      const [, data, end] = /^data: (.*)(\n\n)$/.exec(await answer.text()) ?? [];
      const code = params === 5 || !('id' in (params as object)) ? -32602 : -32001;
      expect([JSON.parse(data ?? '{}'), end]).toMatchObject([
        { jsonrpc: '2.0', id: 'mine', error: { code } },
        '\n\n',
      ]);
    }
    const wrong = await ask({ jsonrpc: '2.0', id: 1, method: 'message/stream', params: {} }, null);
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([
      401,
      'application/json; charset=utf-8',
    ]);
    const plain = await ask({ jsonrpc: '2.0', id: 1, method: 'message/send', params: {} });
    expect([plain.status, plain.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const notified = await ask({ jsonrpc: '2.0', method: 'message/stream', params: {} });
    expect([notified.status, await notified.text()]).toEqual([204, '']);
  });
});
