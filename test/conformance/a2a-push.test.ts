import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { FORBIDDEN_URLS, resolveName } from '../harness/forbidden-urls.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { stageOf } from './stage.ts';

const stage = stageOf({
  keys: [{ actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] }],
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
    outbound: { allow: ['127.0.0.1'] },
  },
  resolveHost: resolveName,
});
const PRIVATE = [
  'http://10.0.0.1/hook',
  'https://169.254.169.254/latest',
  'https://[::ffff:10.0.0.1]/',
  'x:y',
];
const SECRET = 'credentials-nobody-sees-0123';
const V03 = { 'a2a-version': '0.3' };
const name = (method: string) => `${method}TaskPushNotificationConfig`;

let a2a: A2aTestClient;
let receiver: Receiver;
beforeAll(async () => {
  a2a = new A2aTestClient(stage.gateway, 'sample');
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

describe('push configs over A2A', () => {
  it('[A2A-OP-11] tell no secret over any binding, and unknown, foreign and deleted ones are alike', async () => {
    const { id: taskId } = await a2a.task('ask');
    const authentication = { scheme: 'Bearer', credentials: SECRET };
    const config = { id: 'mine', url: receiver.url, token: `${SECRET}-token`, authentication };
    const answers = [
      await a2a.rpc(name('Create'), { taskId, ...config }),
      await a2a.rpc(name('Get'), { taskId, id: 'mine' }),
      await a2a.rpc('ListTaskPushNotificationConfigs', { taskId }),
      await a2a.rest('POST', `/tasks/${taskId}/pushNotificationConfigs`, config),
      await a2a.rest('GET', `/tasks/${taskId}/pushNotificationConfigs/mine`),
      await a2a.rest('GET', `/tasks/${taskId}/pushNotificationConfigs`),
      await a2a.rpc('tasks/pushNotificationConfig/get', { id: taskId }, V03),
      await a2a.rpc('tasks/pushNotificationConfig/list', { id: taskId }, V03),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.every(({ body }) => JSON.stringify(body).includes('"mine"'))).toBe(true);
    expect(JSON.stringify(answers)).not.toContain(SECRET);

    const stranger = a2a.as(stage.as('stranger').key);
    const unknown = [
      await a2a.rpc(name('Get'), { taskId, id: 'other' }),
      await a2a.rpc(name('Delete'), { taskId: 'task_none', id: 'mine' }),
      await a2a.rpc(name('Get'), { taskId: 'task_none', id: 'mine' }),
      await stranger.rpc(name('Get'), { taskId, id: 'mine' }),
      await stranger.rpc(name('Delete'), { taskId, id: 'mine' }),
      await stranger.rpc(name('Create'), { taskId, ...config }),
      await stranger.rpc('ListTaskPushNotificationConfigs', { taskId }),
      await stranger.rpc('tasks/pushNotificationConfig/list', { id: taskId }, V03),
    ];
    expect(unknown.map(({ body }) => body.error?.code)).toEqual(unknown.map(() => -32001));
    expect((await a2a.rest('GET', `/tasks/${taskId}/pushNotificationConfigs/other`)).status).toBe(404);
    expect((await a2a.rpc(name('Delete'), { taskId, id: 'mine' })).body.result).toEqual({});
    expect((await a2a.rpc(name('Get'), { taskId, id: 'mine' })).body.error?.code).toBe(-32001);
    expect((await a2a.rpc(name('Delete'), { taskId, id: 'mine' })).body.result).toEqual({});
    const again = await a2a.rest('DELETE', `/tasks/${taskId}/pushNotificationConfigs/mine`);
    expect(again).toEqual({ status: 200, body: {} });
    const old = { id: taskId, pushNotificationConfigId: 'mine' };
    expect((await a2a.rpc('tasks/pushNotificationConfig/delete', old, V03)).body.result).toBeNull();
    expect((await a2a.rpc('tasks/pushNotificationConfig/get', { id: taskId }, V03)).body.error?.code).toBe(
      -32001,
    );
  });

  it('[A2A-OP-11] are listed in pages of the size asked for, over both bindings', async () => {
    const { id: taskId } = await a2a.task('ask');
    for (const id of ['a', 'b', 'c']) await a2a.result(name('Create'), { taskId, id, url: receiver.url });
    type Page = { configs: { id: string }[]; nextPageToken?: string };
    const list = async (params: object) =>
      (await a2a.result('ListTaskPushNotificationConfigs', { taskId, ...params })) as unknown as Page;
    const names = ({ configs }: Page) => configs.map(({ id }) => id);
    const all = names(await list({ pageSize: 0, pageToken: '' }));
    expect([...all].sort()).toEqual(['a', 'b', 'c']);
    const { nextPageToken, ...first } = await list({ pageSize: 2 });
    const rest = `/tasks/${taskId}/pushNotificationConfigs?pageSize=2&pageToken=${nextPageToken}`;
    const last = (await a2a.rest('GET', rest)).body as unknown as Page;
    expect([names(first), names(last), last.nextPageToken]).toEqual([
      all.slice(0, 2),
      all.slice(2),
      undefined,
    ]);
    const junk = await a2a.rpc('ListTaskPushNotificationConfigs', { taskId, pageToken: 'x' });
    expect(junk.body.error).toMatchObject({
      code: -32602,
      data: [{}, { fieldViolations: [{ field: 'pageToken' }] }],
    });
  });

  it('[A2A-BND-06] are made and read by the names of the protocol file too, over both bindings', async () => {
    const { id: task_id } = await a2a.task('ask');
    await a2a.result(name('Create'), { task_id, id: 'snake', url: receiver.url });
    const body = { task_id, id: 'path', url: receiver.url };
    const made = await a2a.rest('POST', `/tasks/${task_id}/pushNotificationConfigs`, body);
    expect(made).toMatchObject({ status: 200, body: { taskId: task_id, id: 'path' } });
    expect(await a2a.result(name('Get'), { task_id, id: 'snake' })).toMatchObject({ taskId: task_id });
    const page = await a2a.result('ListTaskPushNotificationConfigs', { task_id, page_size: 1 });
    expect(page).toMatchObject({ configs: [{ taskId: task_id }], nextPageToken: expect.any(String) });
    const configuration = {
      task_push_notification_config: { url: receiver.url, token: 'token-of-snake-01' },
    };
    await a2a.result('SendMessage', { message: a2a.message('green', { task_id }), configuration });
    const tokens = () => receiver.posts.map(({ headers }) => headers['a2a-notification-token']);
    await expect.poll(tokens).toContain('token-of-snake-01');
  });

  it('[A2A-OP-11] of a task that is over are made, read and deleted, and have nothing to deliver', async () => {
    const { id: taskId } = await a2a.task('one');
    const url = `${receiver.url}?over`;
    expect(await a2a.result(name('Create'), { taskId, id: 'late', url })).toMatchObject({ id: 'late' });
    const set = { taskId, pushNotificationConfig: { id: 'old', url } };
    expect((await a2a.rpc('tasks/pushNotificationConfig/set', set, V03)).body.result).toMatchObject(set);
    const { configs } = (await a2a.result('ListTaskPushNotificationConfigs', { taskId })) as never as {
      configs: { id: string }[];
    };
    expect(configs.map(({ id }) => id).sort()).toEqual(['late', 'old']);
    expect((await a2a.rpc(name('Delete'), { taskId, id: 'late' })).body.result).toEqual({});
    expect(receiver.posts.filter(({ path }) => path.endsWith('?over'))).toEqual([]);
  });

  it('[A2A-PUSH-01] a message that is refused leaves no config behind', async () => {
    const { id: taskId } = await a2a.task('one');
    const { id: asking, contextId } = await a2a.task('ask');
    const configuration = { taskPushNotificationConfig: { id: 'left', url: receiver.url } };
    const refused = [
      await a2a.rpc('SendMessage', { message: a2a.message('x', { taskId }), configuration }),
      await a2a.rpc('SendMessage', {
        message: a2a.message('x', { taskId: asking, contextId: `${contextId}x` }),
        configuration,
      }),
    ];
    expect(refused.map(({ body }) => body.error?.code)).toEqual([-32004, -32602]);
    for (const id of [taskId, asking])
      expect(await a2a.result('ListTaskPushNotificationConfigs', { taskId: id })).toEqual({ configs: [] });
  });

  it('that are too many for a task are refused in words of A2A', async () => {
    const { id: taskId } = await a2a.task('ask');
    let many: Awaited<ReturnType<typeof a2a.rpc>>;
    do many = await a2a.rpc(name('Create'), { taskId, url: receiver.url });
    while (many.body.error === undefined);
    const field = [{}, { fieldViolations: [{ field: 'taskId' }] }];
    expect(many.body.error).toMatchObject({ code: -32602, data: field });
  });

  it.each(PRIVATE)('to %s are refused by their url, over every binding', async (url) => {
    const { id: taskId } = await a2a.task('ask');
    const message = {
      ...a2a.message('one'),
      kind: 'message',
      role: 'user',
      parts: [{ kind: 'text', text: 'x' }],
    };
    const refused = [
      ['url', await a2a.rpc(name('Create'), { taskId, url })],
      [
        'configuration.taskPushNotificationConfig.url',
        await a2a.rpc('SendMessage', {
          message: a2a.message('one'),
          configuration: { taskPushNotificationConfig: { url } },
        }),
      ],
      [
        'configuration.taskPushNotificationConfig.url',
        await a2a.rpc('SendMessage', {
          message: a2a.message('green', { taskId }),
          configuration: { taskPushNotificationConfig: { url } },
        }),
      ],
      [
        'pushNotificationConfig.url',
        await a2a.rpc('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: { url } }, V03),
      ],
      [
        'configuration.pushNotificationConfig.url',
        await a2a.rpc('message/send', { message, configuration: { pushNotificationConfig: { url } } }, V03),
      ],
    ] as const;
    for (const [field, { body }] of refused) {
      expect(body.error?.code).toBe(-32602);
      expect(body.error?.data[1]?.fieldViolations).toMatchObject([{ field }]);
    }
    const { status, body } = await a2a.rest('POST', `/tasks/${taskId}/pushNotificationConfigs`, { url });
    expect(status).toBe(400);
    expect(JSON.stringify(body.error.details)).toContain('"field":"url"');
    expect(await a2a.result('ListTaskPushNotificationConfigs', { taskId })).toEqual({ configs: [] });
  });

  it('[A2A-PUSH-03] refuse every way to an address that is not public', async () => {
    const { id: taskId } = await a2a.task('ask');
    // Loopback is allowed on this stage; what the guard says of it has a test of its own.
    const forbidden = FORBIDDEN_URLS.filter(
      ([url, why]) =>
        why !== 'unresolved' &&
        (why !== 'address' || !/127|7f|①|１|localhost|mixed|0177|2130706433/i.test(url)),
    );
    expect(forbidden.length).toBeGreaterThan(40);
    for (const [url] of forbidden) {
      const { error } = (await a2a.rpc(name('Create'), { taskId, url })).body;
      expect([url, error?.code, JSON.stringify(error?.data)]).toEqual([
        url,
        -32602,
        expect.stringContaining('"field":"url"'),
      ]);
    }
    expect(await a2a.result('ListTaskPushNotificationConfigs', { taskId })).toEqual({ configs: [] });
  });

  it('[A2A-PUSH-02] prove their sender as asked: a token, credentials, or a token that the gateway signs', async () => {
    const wanted = [
      { id: 'token', token: 'token-of-three-ways-01' },
      { id: 'given', authentication: { scheme: 'Basic', credentials: 'dXNlcjpwYXNzd29yZA==' } },
      { id: 'signed', authentication: { scheme: 'Bearer' } },
    ];
    const { id: taskId } = await a2a.task('ask');
    for (const config of wanted) {
      const url = `${receiver.url}?${config.id}`;
      const made = await a2a.result(name('Create'), { taskId, ...config, url });
      expect(made).toMatchObject({ id: config.id, url });
    }
    await a2a.result('CancelTask', { id: taskId });
    const mine = () => receiver.posts.filter(({ text }) => text.includes(taskId));
    await expect.poll(() => mine().length).toBe(3);
    const headers = (wanted: string) => mine().find(({ path }) => path.endsWith(`?${wanted}`))?.headers ?? {};
    expect(headers('token')['a2a-notification-token']).toBe('token-of-three-ways-01');
    expect(headers('given').authorization).toBe('Basic dXNlcjpwYXNzd29yZA==');
    const [scheme, token = ''] = (headers('signed').authorization ?? '').split(' ');
    const keys = createRemoteJWKSet(new URL(`${stage.gateway.url}/.well-known/jwks.json`));
    const audience = new URL(receiver.url).origin;
    const { payload, protectedHeader } = await jwtVerify(token, keys, { audience, subject: taskId });
    const body = mine().find(({ path }) => path.endsWith('?signed'))?.text ?? '';
    expect([scheme, protectedHeader.alg]).toEqual(['Bearer', 'EdDSA']);
    expect(payload['request_body_sha256']).toBe(createHash('sha256').update(body).digest('hex'));
    expect(payload.jti).toContain(String(headers('signed')['x-harn-delivery']));
    await expect(jwtVerify(token, keys, { audience: 'https://elsewhere.example' })).rejects.toThrow();
    const bare = { taskId: (await a2a.task('ask')).id, url: receiver.url };
    const basic = await a2a.rpc(name('Create'), { ...bare, authentication: { scheme: 'Basic' } });
    expect(basic.body.error).toMatchObject({ code: -32602 });
    expect(JSON.stringify(basic.body.error?.data)).toContain('authentication.credentials');
  });

  it.each([
    ['a private address', { url: 'http://10.0.0.1/hook' }],
    ['a header in its token', { url: 'https://example.com/', token: 'a\r\nb: c' }],
    ['a name that is none', { url: 'https://example.com/', id: 'a/b' }],
    ['no url', { token: 'token-0123456789' }],
  ])('[A2A-PUSH-01] with %s refuse the message that brings them, and no task begins', async (_, config) => {
    const before = (await stage.client.get<{ data: unknown[] }>('/v1/tasks?limit=200')).data.length;
    const configuration = { taskPushNotificationConfig: config };
    const sent = await a2a.rpc('SendMessage', { message: a2a.message('one'), configuration });
    expect(sent.body.error?.code).toBe(-32602);
    const message = { kind: 'message', messageId: 'old', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
    const old = { message, configuration: { pushNotificationConfig: config } };
    expect((await a2a.rpc('message/send', old, V03)).body.error?.code).toBe(-32602);
    expect(
      (await a2a.rest('POST', '/message:send', { message: a2a.message('one'), configuration })).status,
    ).toBe(400);
    const after = (await stage.client.get<{ data: unknown[] }>('/v1/tasks?limit=200')).data.length;
    expect(after).toBe(before);
  });

  it('of a slow receiver hold up neither the task nor other receivers', async () => {
    const slow = await startReceiver();
    slow.answer = () => 'hang';
    try {
      const { id: taskId } = await a2a.task('ask');
      await a2a.result(name('Create'), { taskId, url: slow.url, token: 'token-of-the-slow-one' });
      await a2a.result(name('Create'), { taskId, url: receiver.url, token: 'token-of-the-quick-one' });
      await a2a.result('SendMessage', { message: a2a.message('green', { taskId }) });
      const quick = () =>
        receiver.posts.filter(
          ({ headers }) => headers['a2a-notification-token'] === 'token-of-the-quick-one',
        );
      await expect.poll(() => JSON.stringify(quick().at(-1)?.body)).toContain('TASK_STATE_COMPLETED');
      expect(slow.posts).toHaveLength(1);
    } finally {
      await slow.close();
    }
  });

  it('that come with an answer hold from then on', async () => {
    const { id: taskId } = await a2a.task('ask');
    const configuration = {
      taskPushNotificationConfig: { url: receiver.url, token: 'token-of-answer-0123' },
    };
    await a2a.result('SendMessage', { message: a2a.message('green', { taskId }), configuration });
    const mine = () =>
      receiver.posts.filter(({ headers }) => headers['x-a2a-notification-token'] === 'token-of-answer-0123');
    await expect.poll(() => JSON.stringify(mine().at(-1)?.body)).toContain('TASK_STATE_COMPLETED');
    expect(JSON.stringify(mine().map(({ body }) => body))).not.toContain('TASK_STATE_INPUT_REQUIRED');
  });
});
