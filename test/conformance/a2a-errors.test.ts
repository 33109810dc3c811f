import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { A2aTestClient, type Json } from '../harness/a2a-client.ts';
import { challenge } from '../harness/challenge.ts';
import { brokenRequest } from './a2a-broken-requests.ts';
import { stageOf } from './stage.ts';

const stage = stageOf({ keys: [{ actor: 'reader', scopes: ['tasks:read', 'events:read'] }] });
let a2a: A2aTestClient;
beforeAll(() => {
  a2a = new A2aTestClient(stage.gateway, 'sample');
});

describe('bad input', () => {
  it('[A2A-ERR-01] broken envelopes have their codes', async () => {
    const code = async (body: string) => (await a2a.post(body)).body.error?.code;
    expect(await code('{')).toBe(-32700);
    expect(await code('{"a":1,"a":2}')).toBe(-32700);
    expect(await code('[]')).toBe(-32600);
    expect(await code('[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]')).toBe(-32600);
    expect(await code('{"id":1,"method":"GetTask"}')).toBe(-32600);
    expect(await code('{"jsonrpc":"2.0","id":1,"method":5}')).toBe(-32600);
    expect(await code('{"jsonrpc":"2.0","id":{},"method":"GetTask"}')).toBe(-32600);
    expect(await code('null')).toBe(-32600);
    expect(await code('{"jsonrpc":"2.0","id":1,"method":"Nope"}')).toBe(-32601);
    expect(await code('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]}')).toBe(-32602);
  });

  it.each([
    ['SendMessage', {}, 'message'],
    ['SendMessage', { message: {} }, 'message.messageId message.role message.parts'],
    [
      'SendMessage',
      {
        message: { messageId: '', role: 'ROLE_USER', parts: [{}, { text: 'x' }, { raw: '***' }] },
        configuration: { historyLength: 'x', taskPushNotificationConfig: { id: 'a/b' } },
      },
      'message.messageId message.parts.0 message.parts.2.raw configuration.historyLength configuration.taskPushNotificationConfig.id configuration.taskPushNotificationConfig.url',
    ],
    ['CreateTaskPushNotificationConfig', { authentication: {} }, 'taskId url authentication.scheme'],
    [
      'ListTasks',
      { status: 'TASK_STATE_SLEEPING', pageSize: 0, statusTimestampAfter: 'now', includeArtifacts: 7 },
      'status pageSize statusTimestampAfter includeArtifacts',
    ],
    ['SendMessage', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }, 'message.messageId'],
    ['SendMessage', { message: { messageId: 'm', parts: [{ text: 'x' }] } }, 'message.role'],
    ['SendMessage', { message: { messageId: 'm', role: 'user', parts: [{ text: 'x' }] } }, 'message.role'],
    ['SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } }, 'message.parts'],
    ['SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] } }, 'message.parts.0'],
    [
      'SendMessage',
      { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: '***' }] } },
      'message.parts.0.raw',
    ],
    [
      'SendMessage',
      { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'YWJjZ' }] } },
      'message.parts.0.raw',
    ],
    ['SendMessage', { tenant: 't', message: {} }, 'tenant'],
    ['GetTask', {}, 'id'],
    ['GetTask', { id: 'x', historyLength: -1 }, 'historyLength'],
    ['CancelTask', { id: '' }, 'id'],
    ['ListTasks', { status: 'TASK_STATE_SLEEPING' }, 'status'],
  ])('[A2A-ERR-02] %s %j names %s', async (method, params, fields) => {
    const { error } = (await a2a.rpc(method, params)).body;
    expect(error).toMatchObject({ code: -32602 });
    expect(error?.data.flatMap(({ fieldViolations = [] }) => fieldViolations.map((it) => it.field))).toEqual(
      fields.split(' '),
    );
  });

  it('[A2A-ERR-02] of many faults twenty are listed and five are said, and the answer stays small', async () => {
    const parts = Array.from({ length: 900 }, () => ({ text: 1 }));
    const { error } = (
      await a2a.rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts } })
    ).body;
    expect(error?.message).toMatch(
      /^message\.parts\.0\.text: must be .*; .*message\.parts\.4\.text: .*; and 895 more\.$/,
    );
    expect(error?.data[1]?.fieldViolations).toHaveLength(20);
    expect(JSON.stringify(error).length).toBeLessThan(4_000);
    const rest = await a2a.rest('POST', '/message:send', { message: { role: 'agent' } });
    expect(rest.body.error.details[1]?.fieldViolations.map((it) => it.field)).toEqual([
      'message.messageId',
      'message.role',
      'message.parts',
    ]);
    const envelope = (await a2a.post('{"jsonrpc":"1.0","id":1,"method":5}')).body.error;
    expect(envelope?.data[1]?.fieldViolations?.map((it) => it.field)).toEqual(['jsonrpc', 'method']);
  });

  it('[A2A-ERR-02] whatever its members hold, a request is taken or refused by a path, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(brokenRequest, async ({ version, method, params }) => {
        const { status, headers, body } = await a2a.rpc(method, params as object, { 'a2a-version': version });
        expect([200, headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
        const { code, data = [] } = body.error ?? {};
        if (code !== undefined) expect([-32001, -32602]).toContain(code);
        if (code === -32602)
          expect(data.flatMap(({ fieldViolations = [] }) => fieldViolations)).not.toEqual([]);
      }),
      { numRuns: 150, seed: 20261122 },
    );
  });

  it('[A2A-ERR-03] an error says why and whose word that is, and its request', async () => {
    const { body, status } = await a2a.rpc('GetTask', { id: 'nope' });
    expect({ status, id: body.id }).toEqual({ status: 200, id: 7 });
    expect(body.error?.data[0]).toMatchObject({ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' });
  });

  it('[A2A-ERR-04] HTTP+JSON has the status of the error', async () => {
    const absent = await a2a.rest('GET', '/tasks/task_nope');
    expect(absent).toMatchObject({ status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } });
    const { id } = await a2a.task('one');
    expect((await a2a.rest('POST', `/tasks/${id}:cancel`, {})).status).toBe(400);
    expect(
      (await a2a.rest('POST', '/message:send', { message: {} })).body.error.details[1]?.fieldViolations,
    ).toHaveLength(3);
    expect(
      (await a2a.raw('POST', '/message:send', '{', { 'a2a-version': '1.0', 'content-type': 'text/plain' }))
        .status,
    ).toBe(400);
  });

  it('[A2A-ERR-06] a request without an id is done, and gets no answer', async () => {
    const before = (await a2a.rpc('ListTasks')).body.result?.totalSize ?? 0;
    const notify = async (method: string, params: object, headers: Record<string, string> = {}) => {
      const body = JSON.stringify({ jsonrpc: '2.0', method, params });
      const type = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const answer = await a2a.raw('POST', '', body, { ...type, ...headers });
      return [answer.status, await answer.text()];
    };
    expect(await notify('SendMessage', { message: a2a.message('one') })).toEqual([204, '']);
    expect(await notify('SendStreamingMessage', { message: a2a.message('one') })).toEqual([204, '']);
    expect(await notify('GetTask', { id: 'task_nope' })).toEqual([204, '']);
    expect(await notify('CancelTask', { id: 'task_nope' })).toEqual([204, '']);
    expect(await notify('SendMessage', { configuration: 'x' })).toEqual([204, '']);
    expect(await notify('Nope', {})).toEqual([204, '']);
    const [refused] = await notify('GetTask', {}, { authorization: 'Bearer harn_wrong' });
    expect(refused).toBe(401);
    expect((await a2a.rpc('ListTasks')).body.result?.totalSize).toBe(before + 2);
    expect((await a2a.post('{"jsonrpc":"2.0","id":null,"method":"Nope"}')).body.error?.code).toBe(-32601);
  });

  it('[A2A-ERR-04] a path that A2A does not have is refused in the words of its binding', async () => {
    const rest = { code: 404, status: 'NOT_FOUND', message: expect.stringContaining('No such path') };
    expect(await a2a.rest('GET', '/card')).toMatchObject({ status: 404, body: { error: rest } });
    expect(await a2a.rest('POST', '/message:shout', {})).toMatchObject({
      status: 404,
      body: { error: rest },
    });
    const put = await a2a.raw('PUT', '/tasks', '{}', { 'content-type': 'application/a2a+json' });
    expect([put.status, put.headers.get('allow')]).toEqual([404, 'GET']);
    expect(((await put.json()) as Json).error).toMatchObject({ message: expect.stringContaining('GET') });
    const card = await a2a.raw('PUT', '/.well-known/agent-card.json', '{}');
    expect(await card.json()).toMatchObject({ error: { code: 'resource_not_found' } });
    const rpc = await a2a.raw('POST', '/rpc', '{}', { 'content-type': 'application/json' });
    expect(rpc.status).toBe(404);
    expect(await rpc.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32601 } });
    const elsewhere = await fetch(`${stage.gateway.url}/a2b`);
    expect(await elsewhere.json()).toMatchObject({ error: { code: 'resource_not_found' } });
  });

  it('another content type is refused, and a body that is too large is 413', async () => {
    const plain = await a2a.raw('POST', '', '{}', { 'content-type': 'text/plain', 'a2a-version': '1.0' });
    expect([plain.status, ((await plain.json()) as Json).error.code]).toEqual([415, -32005]);
    const large = await a2a.post(JSON.stringify('x'.repeat(5_000_000)));
    expect(large.status).toBe(413);
  });

  it('[A2A-SEC-01] nobody and wrong keys are 401 whatever they send; too few scopes are 403', async () => {
    for (const body of ['{', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'Nope' })]) {
      const answer = await a2a.as(null).raw('POST', '', body, { 'content-type': 'application/json' });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        challenge(stage.gateway.url),
      ]);
    }
    expect((await a2a.as('harn_wrong').rest('GET', '/tasks')).status).toBe(401);
    const reader = a2a.as(stage.as('reader').key);
    expect((await reader.rpc('SendMessage', { message: a2a.message('x') })).status).toBe(403);
    expect((await reader.rpc('ListTasks')).status).toBe(200);
  });

  it('an unknown agent is unknown', async () => {
    const nobody = new A2aTestClient(stage.gateway, 'nobody');
    expect((await nobody.rpc('GetTask', { id: 'x' })).body.error?.code).toBe(-32001);
    expect((await nobody.rest('GET', '/tasks')).status).toBe(404);
  });
});

describe('what is refused of any request', () => {
  it('[A2A-ERR-04] is refused in the words of its binding', async () => {
    const invalid = [{ reason: 'INVALID_REQUEST' }, {}];
    expect(await a2a.rest('GET', '/tasks/%zz')).toMatchObject({
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', details: invalid } },
    });
    const rpc = await a2a.raw('POST', '/%zz', '{}', { 'content-type': 'application/json' });
    expect([rpc.status, await rpc.json()]).toMatchObject([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32602, data: invalid } },
    ]);
    const guess = () => a2a.as('harn_wrong').rest('GET', '/tasks');
    let answer = await guess();
    while (answer.status === 401) answer = await guess();
    const info = [{ reason: 'RATE_LIMITED' }];
    expect(answer).toMatchObject({
      status: 429,
      body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: info } },
    });
    const guessed = await a2a.as('harn_wrong').rpc('ListTasks');
    expect([guessed.status, guessed.headers.has('retry-after')]).toEqual([429, true]);
    expect(guessed.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32603, data: info } });
    const card = await a2a.as('harn_wrong').raw('GET', '/.well-known/agent-card.json');
    expect(await card.json()).toMatchObject({ error: { code: 'rate_limited' } });
  });
});
