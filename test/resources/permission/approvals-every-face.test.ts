import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { A2aTestClient } from '../../harness/a2a-client.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { WsTestClient } from '../../harness/ws-client.ts';

interface Asked {
  gateway: TestGateway;
  client: TestClient;
  task: string;
  request: PermissionRequest;
}
type Answer = (asked: Asked, option: 'once' | 'never') => Promise<unknown>;

/** Ways to decide one and the same request of an agent that waits inside its turn. */
const FACES: Record<string, Answer> = {
  'REST, by the request': ({ client, request }, option_id) =>
    client.post(`/v1/permission-requests/${request.id}/respond`, { answer: { option_id } }),
  'REST, by a message of the task': ({ client, task, request }, option_id) => {
    const parts = [{ type: 'json', value: { request_id: request.id, option_id }, visibility: 'public' }];
    const body = { kind: 'tool_confirmation', message: { role: 'user', parts } };
    return client.post(`/v1/tasks/${task}/messages`, body);
  },
  WebSocket: async ({ client, request }, option_id) => {
    const socket = await WsTestClient.open(client.url, '/v1/ws', { key: client.key });
    const approved = option_id === 'once';
    await socket.ask({ type: 'respond', id: 'r', request_id: request.id, approved, answer: { option_id } });
    socket.socket.close();
  },
  A2A: ({ gateway, task }, option_id) => {
    const a2a = new A2aTestClient(gateway, 'asking');
    const parts = [{ data: { option_id } }];
    return a2a.result('SendMessage', { message: a2a.message('', { taskId: task, parts }) });
  },
};

describe('a request for a tool call', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({ extraClients: [new AskingClient()] });
  });
  afterAll(() => gateway.close());

  async function asked(): Promise<Asked> {
    const { client } = gateway;
    const { id } = await client.submit('call', undefined, { route: 'fake:asking' });
    await client.until(id, 'AUTH_REQUIRED');
    const path = `/v1/tasks/${id}/permission-requests`;
    const [request] = (await client.get<{ data: PermissionRequest[] }>(path)).data;
    return { gateway, client, task: id, request: request as PermissionRequest };
  }
  const told = async ({ client, task }: Asked) =>
    (await client.events(`/v1/tasks/${task}/events`)).filter(({ event }) =>
      /^(user\.tool_confirmation|tool\.(approved|denied))$/.test(event),
    );

  it.each(Object.entries(FACES))('[EXT-APP-02] is decided by %s, with the same events', async (_, answer) => {
    const yes = await asked();
    await answer(yes, 'once');
    await yes.client.until(yes.task, 'COMPLETED');
    expect(await told(yes)).toMatchObject([
      {
        event: 'user.tool_confirmation',
        payload: { approved: true, option_id: 'once', tool_call_id: 'call-1' },
      },
      {
        event: 'tool.approved',
        payload: {
          request_id: yes.request.id,
          input_sha256: yes.request.request.tool_call?.input_sha256,
          response: { approved: true, option_id: 'once', reviewer: 'actor_test' },
        },
      },
    ]);
    const no = await asked();
    await answer(no, 'never');
    await no.client.until(no.task, 'COMPLETED', 'CANCELED');
    expect(await told(no)).toMatchObject([
      { event: 'user.tool_confirmation', payload: { approved: false, option_id: 'never' } },
      { event: 'tool.denied', payload: { request_id: no.request.id, response: { approved: false } } },
    ]);
  });

  it('decided by all of them at the same time is decided once, and all others are told', async () => {
    const race = await asked();
    const answers = Object.values(FACES).map((answer, at) => answer(race, at % 2 === 0 ? 'once' : 'never'));
    await Promise.allSettled(answers);
    await race.client.until(race.task, 'COMPLETED', 'CANCELED');
    const events = await told(race);
    expect(events.map(({ event }) => event.split('.')[0])).toEqual(['user', 'tool']);
    const late = await race.client.call('POST', `/v1/permission-requests/${race.request.id}/respond`, {
      body: { approved: true },
    });
    expect(late.status).toBe(409);
  });
});
