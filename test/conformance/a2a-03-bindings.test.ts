import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { stageOf } from './stage.ts';

const stage = stageOf({
  agents: { v1: startSampleAgent },
  keys: [
    { actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
    { actor: 'reader', scopes: ['tasks:read'] },
  ],
  config: {
    server: { grpc: { port: 0 } },
    outbound: { allow: ['127.0.0.0/8'] },
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
  },
});
const opened: GrpcTestClient[] = [];
let grpc: GrpcTestClient;
let sent = 0;
beforeAll(async () => {
  grpc = new GrpcTestClient(await grpcAddress(stage.gateway.url, '0.3'), stage.client.key, '0.3');
  opened.push(grpc);
});
afterAll(() => {
  for (const each of opened) each.close();
});

interface Answer {
  status: number;
  type: string | null;
  text: string;
  body: JsonObject;
}

/** HTTP+JSON of 0.3 as its clients send it: without a version. */
async function rest(
  method: string,
  path: string,
  body?: JsonObject | string,
  { key = stage.client.key, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${stage.gateway.url}/a2a/sample/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const type = answer.headers.get('content-type');
  return {
    status: answer.status,
    type,
    text,
    body: type?.startsWith('application/json') ? JSON.parse(text) : {},
  };
}

const request = (text: string, more: JsonObject = {}, named = 'message'): JsonObject => {
  sent += 1;
  return { [named]: { messageId: `m${sent}`, role: 'ROLE_USER', content: [{ text }], ...more } };
};
const eventsOf = ({ text }: Answer): JsonObject[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
const started = async (text: string): Promise<string> => {
  const { body } = await rest('POST', '/message:send', {
    ...request(text),
    configuration: { blocking: false },
  });
  return (body as { task: { id: string } }).task.id;
};

describe('HTTP+JSON of 0.3', () => {
  it('[A2A-03-01] sends a message and answers with the Task of the protocol file, whichever name the request has', async () => {
    for (const named of ['message', 'request']) {
      const { status, type, body } = await rest('POST', '/message:send', request('file', {}, named));
      expect([status, type]).toEqual([200, 'application/json']);
      const { task } = body as { task: JsonObject };
      expect(task).toMatchObject({
        id: expect.stringMatching(/^task_/),
        status: { state: 'TASK_STATE_COMPLETED' },
        history: [{ role: 'ROLE_USER', content: [{ text: 'file' }] }, { role: 'ROLE_AGENT' }],
        artifacts: [
          {
            parts: [
              { file: { fileWithBytes: expect.any(String), mimeType: 'text/csv' } },
              { data: { data: { rows: 2 } } },
            ],
          },
        ],
      });
      expect(JSON.stringify(task)).not.toContain('"kind"');
    }
  });

  it('[A2A-03-02] streams bare events, each chunk saying whether it is appended', async () => {
    const answer = await rest('POST', '/message:stream', request('stream 3'));
    expect(answer.type).toBe('text/event-stream');
    const events = eventsOf(answer);
    expect(events.map((event) => Object.keys(event))).toEqual([
      ['task'],
      ['artifactUpdate'],
      ['artifactUpdate'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
    const chunks = events.slice(1, 4) as { artifactUpdate: JsonObject }[];
    expect(chunks.map(({ artifactUpdate: { append, lastChunk } }) => [append, lastChunk])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [true, true],
    ]);
    expect(events.at(-1)).toMatchObject({
      statusUpdate: { final: true, status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('[A2A-03-03] reads, follows and cancels a task; a stream goes on after Last-Event-ID', async () => {
    const id = await started('ask');
    await stage.client.until(id, 'INPUT_REQUIRED');
    expect((await rest('GET', `/tasks/${id}?historyLength=1`)).body).toMatchObject({
      id,
      contextId: expect.any(String),
    });
    const canceled = await rest('POST', `/tasks/${id}:cancel`);
    expect(canceled.body).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELLED' } });
    const told = await rest('POST', '/message:stream', request('stream 3'));
    const ids = told.text.split('\n').flatMap((line) => (line.startsWith('id: ') ? [line.slice(4)] : []));
    const { task } = eventsOf(told)[0] as { task: { id: string } };
    for (const method of ['GET', 'POST']) {
      const path = `/tasks/${task.id}:subscribe`;
      const resumed = await rest(method, path, undefined, { 'last-event-id': ids[2] ?? '' });
      expect(eventsOf(resumed).slice(1)).toEqual(eventsOf(told).slice(3));
    }
  });

  it('[A2A-03-04] refuses as JSON-RPC would, with the status of HTTP', async () => {
    const cases: [Answer, number, number, string][] = [
      [await rest('GET', '/tasks/task_none'), 404, -32001, 'TASK_NOT_FOUND'],
      [
        await rest('POST', `/tasks/${await started('one')}:cancel`, undefined, { 'a2a-version': '1.0' }),
        400,
        -32009,
        'VERSION_NOT_SUPPORTED',
      ],
      [await rest('POST', '/message:send', '{'), 400, -32602, 'INVALID_REQUEST'],
      [await rest('POST', '/message:send', '[]'), 400, -32602, 'INVALID_REQUEST'],
      [
        await rest('POST', '/message:send', 'x', { 'content-type': 'text/plain' }),
        400,
        -32005,
        'CONTENT_TYPE_NOT_SUPPORTED',
      ],
      [await rest('GET', '/card', undefined, { key: 'hk_wrong' }), 401, -32603, 'UNAUTHENTICATED'],
      [
        await rest('POST', '/message:send', request('x'), { key: stage.as('reader').key }),
        403,
        -32603,
        'PERMISSION_DENIED',
      ],
    ];
    for (const [{ status, body }, http, code, reason] of cases) {
      expect([status, body['code']], reason).toEqual([http, code]);
      expect(body['data'], reason).toEqual(expect.arrayContaining([expect.objectContaining({ reason })]));
      expect(body['message'], reason).toEqual(expect.any(String));
    }
  });

  it.each([
    ['message.messageId', { message: { role: 'ROLE_USER', content: [{ text: 'x' }] } }],
    ['message.role', { message: { messageId: 'm', role: 'user', content: [{ text: 'x' }] } }],
    ['message.content', { message: { messageId: 'm', role: 'ROLE_USER', content: [] } }],
    ['message.content.0', { message: { messageId: 'm', role: 'ROLE_USER', content: [{}] } }],
    [
      'message.content.0',
      { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'x', data: { data: {} } }] } },
    ],
    ['message.content.0.file', { message: { messageId: 'm', role: 'ROLE_USER', content: [{ file: {} }] } }],
    [
      'message.content.0.file.fileWithBytes',
      { message: { messageId: 'm', role: 'ROLE_USER', content: [{ file: { fileWithBytes: '?' } }] } },
    ],
    [
      'message.content.0.data.data',
      { message: { messageId: 'm', role: 'ROLE_USER', content: [{ data: { data: [1] } }] } },
    ],
    [
      'message.context_id',
      {
        message: {
          messageId: 'm',
          role: 'ROLE_USER',
          content: [{ text: 'x' }],
          contextId: 'a',
          context_id: 'b',
        },
      },
    ],
    ['request', { ...request('x'), ...request('y', {}, 'request') }],
    ['configuration.blocking', { ...request('x'), configuration: { blocking: 'no' } }],
    ['configuration.pushNotification.url', { ...request('x'), configuration: { pushNotification: {} } }],
  ])('names %s where it is wrong', async (field, body) => {
    const { status, body: refused } = await rest('POST', '/message:send', body as JsonObject);
    expect([status, refused['code']]).toEqual([400, -32602]);
    expect(JSON.stringify(refused['data'])).toContain(`"field":"${field}"`);
  });

  it('[A2A-03-05] keeps push configs by name', async () => {
    const id = await started('ask');
    const url = 'http://127.0.0.1:9/hook';
    const path = `/tasks/${id}/pushNotificationConfigs`;
    const name = (config: string) => `tasks/${id}/pushNotificationConfigs/${config}`;
    const deep = {
      parent: `tasks/${id}`,
      config: { push_notification_config: { id: 'one', url, token: 'secret-token' } },
    };
    const set = await rest('POST', path, deep);
    expect(set.body).toEqual({ name: name('one'), pushNotificationConfig: { id: 'one', url } });
    const bare = await rest('POST', path, { pushNotificationConfig: { id: 'two', url } });
    expect(bare.body).toMatchObject({ name: name('two') });
    expect((await rest('GET', `${path}/one`)).body).toEqual(set.body);
    expect((await rest('GET', path)).body).toEqual({ configs: [set.body, bare.body] });
    expect(await rest('DELETE', `${path}/one`)).toMatchObject({ status: 200, body: {} });
    expect((await rest('GET', `${path}/one`)).status).toBe(404);
    const missing = await rest('POST', path, { config: {} });
    expect(missing).toMatchObject({ status: 400, body: { code: -32602 } });
    expect((await rest('POST', path, {})).body['message']).toContain('pushNotificationConfig');
    await stage.client.post(`/v1/tasks/${id}/cancel`);
  });

  it('[A2A-03-06] gives the card to callers in the words of the protocol file', async () => {
    const { body } = await rest('GET', '/card');
    expect(body).toMatchObject({
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
      security: [{ schemes: { bearer: { list: expect.any(Array) } } }],
    });
    const transports = (body['additionalInterfaces'] as { transport: string }[]).map(
      ({ transport }) => transport,
    );
    expect(transports).toContain('HTTP+JSON');
  });

  it('an agent named v1 is reached in 1.0 all the same', async () => {
    const send = (version: Record<string, string>, body: JsonObject) =>
      fetch(`${stage.gateway.url}/a2a/v1/message:send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage.client.key}`,
          'content-type': 'application/json',
          ...version,
        },
        body: JSON.stringify(body),
      }).then((answer) => answer.json() as Promise<{ task: { id: string } }>);
    const routeOf = async ({ task: { id } }: { task: { id: string } }) =>
      (await stage.client.get<{ assigned_agent_id: string }>(`/v1/tasks/${id}`)).assigned_agent_id;
    const message = { messageId: 'named-v1', role: 'ROLE_USER', parts: [{ text: 'one' }] };
    expect(await routeOf(await send({ 'a2a-version': '1.0' }, { message }))).toBe('a2a:v1');
    expect(await routeOf(await send({}, request('one')))).toBe('a2a:sample');
  });

  it('another tenant sees nothing of a task', async () => {
    const id = await started('one');
    const { key } = stage.as('stranger');
    for (const [method, path] of [
      ['GET', `/tasks/${id}`],
      ['POST', `/tasks/${id}:cancel`],
      ['POST', `/tasks/${id}:subscribe`],
      ['GET', `/tasks/${id}/pushNotificationConfigs`],
    ] as const)
      expect((await rest(method, path, undefined, { key })).status, path).toBe(404);
  });
});

describe('gRPC of 0.3', () => {
  it('[A2A-03-07] has every method of its service, tasks by name', async () => {
    const configuration = { blocking: true };
    const { task } = (await grpc.call('SendMessage', { ...request('one'), configuration })) as {
      task: { id: string };
    };
    const name = `tasks/${task.id}`;
    expect(await grpc.call('GetTask', { name })).toMatchObject({
      id: task.id,
      status: { state: 'TASK_STATE_COMPLETED' },
    });
    expect(await grpc.call('GetAgentCard', {})).toMatchObject({ protocolVersion: '0.3.0' });
    const asked = (await grpc.call('SendMessage', { ...request('ask'), configuration })) as {
      task: { id: string };
    };
    const parent = `tasks/${asked.task.id}`;
    const config = { pushNotificationConfig: { url: 'http://127.0.0.1:9/hook' } };
    const set = await grpc.call('CreateTaskPushNotificationConfig', { parent, configId: 'one', config });
    const named = `${parent}/pushNotificationConfigs/one`;
    expect(set).toMatchObject({ name: named });
    expect(await grpc.call('GetTaskPushNotificationConfig', { name: named })).toEqual(set);
    expect(await grpc.call('ListTaskPushNotificationConfig', { parent })).toEqual({ configs: [set] });
    expect(await grpc.call('DeleteTaskPushNotificationConfig', { name: named })).toEqual({});
    expect(await grpc.call('CancelTask', { name: parent })).toMatchObject({
      status: { state: 'TASK_STATE_CANCELLED' },
    });
    await expect(grpc.call('CancelTask', { name })).rejects.toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
  });

  it('[A2A-03-08] streams, and goes on after the cursor of the trailer', async () => {
    const told = grpc.stream('SendStreamingMessage', request('stream 3'));
    const trailers = await told.end;
    expect(trailers.get('last-event-id')).toHaveLength(1);
    const chunks = told.events.flatMap(({ artifactUpdate }) =>
      artifactUpdate === undefined ? [] : [artifactUpdate],
    );
    expect(chunks).toMatchObject([{}, { append: true }, { append: true, lastChunk: true }]);
    const { task } = told.events[0] as { task: { id: string } };
    const resumed = grpc.stream(
      'TaskSubscription',
      { name: `tasks/${task.id}` },
      { 'last-event-id': '0'.repeat(20) },
    );
    await resumed.end.catch(() => undefined);
    expect(resumed.events.length).toBeGreaterThan(0);
  });

  it('[A2A-03-09] refuses names and messages that are none, and other versions', async () => {
    const bad = { status: 'INVALID_ARGUMENT', details: ['ErrorInfo', 'BadRequest'] };
    await expect(grpc.call('GetTask', { name: 'task_none' })).rejects.toMatchObject(bad);
    await expect(grpc.call('SendMessage', { message: { role: 'ROLE_AGENT' } })).rejects.toMatchObject({
      ...bad,
      message: expect.stringContaining('message.messageId'),
    });
    await expect(grpc.call('GetTask', { name: 'tasks/task_none' })).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
    await expect(grpc.call('GetTask', { name: 'tasks/x' }, { 'a2a-version': '1.0' })).rejects.toMatchObject({
      reason: 'VERSION_NOT_SUPPORTED',
    });
    await expect(grpc.call('GetTask', Buffer.from([0x0a, 0xff]))).rejects.toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('an agent beside the default one is named by metadata', async () => {
    const configuration = { blocking: true };
    const { task } = (await grpc.call(
      'SendMessage',
      { ...request('one'), configuration },
      { 'harn-agent': 'v1' },
    )) as {
      task: { id: string };
    };
    const kept = await stage.client.get<{ assigned_agent_id: string }>(`/v1/tasks/${task.id}`);
    expect(kept.assigned_agent_id).toBe('a2a:v1');
  });
});
