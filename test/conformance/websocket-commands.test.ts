import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { AskingClient } from '../harness/asking-client.ts';
import { userText } from '../harness/client.ts';
import { OTHER_TENANT } from '../harness/tenants.ts';
import type { WsTestClient } from '../harness/ws-client.ts';
import { SocketRoom } from './socket-room.ts';
import { stageOf } from './stage.ts';

const stage = stageOf({
  keys: [
    { actor: 'listener', scopes: ['events:read'] },
    { actor: 'writer', scopes: ['tasks:write', 'sessions:write'] },
    OTHER_TENANT.key,
  ],
  extraClients: [new AskingClient()],
  config: { ...OTHER_TENANT.config, routing: { default: 'a2a:sample' } },
});
const room = new SocketRoom(stage);
let session: Session;
beforeAll(async () => {
  session = await stage.client.session();
});

describe('a user message over WebSocket', () => {
  it('[C10] is appended to the session as over REST', async () => {
    const socket = await room.enter();
    const ack = await socket.ask({
      type: 'user_message',
      id: 'm',
      session_id: session.id,
      message: userText('over a socket'),
    });
    expect(ack).toMatchObject({
      status: 201,
      repeated: false,
      resource: { object: 'message', session_id: session.id },
    });
    const listed = await stage.client.get<{ data: Message[] }>(`/v1/sessions/${session.id}/messages`);
    expect(listed.data.at(-1)).toEqual(ack['resource']);
  });

  it('[EXT-WS-03] answers a task that asks, which then goes on', async () => {
    const task = await stage.client.submit('ask');
    const socket = await room.enter();
    await socket.ask({ type: 'subscribe', id: 's', stream: 'task', task_id: task.id });
    const { request } = await socket.until(({ type }) => type === 'request');
    expect(request).toMatchObject({ kind: 'input', task_id: task.id, session_id: task.session_id });
    const ack = await socket.ask({ type: 'respond', id: 'r', task_id: task.id, message: userText('blue') });
    expect(ack).toMatchObject({ type: 'ack', status: 201, resource: { task_id: task.id } });
    await socket.until(({ type }) => type === 'end');
    expect((await stage.client.get<Task>(`/v1/tasks/${task.id}`)).status).toBe('COMPLETED');
  });

  it('is refused with the path of what is wrong in it', async () => {
    const socket = await room.enter();
    socket.sendRaw(
      JSON.stringify({
        type: 'user_message',
        id: 'm',
        session_id: session.id,
        message: { role: 'user', parts: [{}] },
      }),
    );
    const { error } = await socket.until(({ id }) => id === 'm');
    expect(error).toMatchObject({ code: 'invalid_request', param: 'message.parts[0].type' });
  });
});

describe('other commands over WebSocket', () => {
  it('attach a client, and refuse a member that attaching does not know by its name', async () => {
    const socket = await room.enter();
    const frame = { type: 'client_attach', session_id: session.id, client_id: 'panel' };
    socket.sendRaw(JSON.stringify({ ...frame, id: 'w', take_over: true }));
    const { error } = await socket.until(({ type }) => type === 'error');
    expect(error).toMatchObject({ code: 'invalid_request', param: 'take_over' });
    const ack = await socket.ask({ ...frame, id: 'a', takeover: true, mode: 'controller' });
    expect(ack).toMatchObject({ status: 200, resource: { active_controller_id: 'panel' } });
    await socket.ask({ type: 'client_detach', id: 'd', session_id: session.id, client_id: 'panel' });
  });

  it('cancel a task', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const socket = await room.enter();
    const ack = await socket.ask({ type: 'cancel', id: 'c', task_id: task.id, reason: 'not needed' });
    expect(ack).toMatchObject({ status: 200, resource: { id: task.id, status: 'CANCELED' } });
    const again = await socket.ask({ type: 'cancel', id: 'again', task_id: task.id });
    expect(again).toMatchObject({ status: 200, resource: { status: 'CANCELED' } });
  });

  it('truncate a session', async () => {
    const { id } = await stage.client.session();
    for (const text of ['one', 'two', 'three'])
      await stage.client.post(`/v1/sessions/${id}/messages`, { message: userText(text) });
    const socket = await room.enter();
    const ack = await socket.ask({
      type: 'truncate',
      id: 't',
      session_id: id,
      keep_first: 1,
      reason: 'wrong turn',
    });
    expect(ack).toMatchObject({ status: 200, resource: { kept_turn_count: 1, removed_turn_count: 2 } });
    socket.sendRaw(JSON.stringify({ type: 'truncate', id: 'w', session_id: id }));
    const without = await socket.until(({ type }) => type === 'error');
    expect(without.error).toMatchObject({ code: 'invalid_request', param: 'keep_first' });
    const left = await stage.client.get<{ data: Message[] }>(`/v1/sessions/${id}/messages`);
    expect(left.data).toHaveLength(1);
  });

  it('answer a permission request, which the socket was asked', async () => {
    const task = await stage.client.submit('tool', undefined, { route: 'fake:asking' });
    const socket = await room.enter(`/v1/tasks/${task.id}/stream`);
    const { request } = await socket.until(({ type }) => type === 'request');
    const { kind, request_id } = request as { kind: string; request_id: string };
    expect(kind).toBe('approval');
    const ack = await socket.ask({
      type: 'respond',
      id: 'r',
      request_id,
      approved: true,
      answer: { option_id: 'once' },
    });
    expect(ack).toMatchObject({ status: 200, resource: { id: request_id, status: 'approved' } });
    expect((await socket.closed).code).toBe(1000);
    expect(socket.events.some(({ event }) => event?.event === 'tool.approved')).toBe(true);
  });
});

describe('an idempotency key', () => {
  const bodyOf = (text: string) => ({ message: userText(text) });

  it('used over WebSocket first gives REST the same message', async () => {
    const socket = await room.enter();
    const frame = {
      type: 'user_message',
      session_id: session.id,
      idempotency_key: 'ws-first',
      ...bodyOf('once'),
    };
    const ack = await socket.ask({ ...frame, id: 'a' });
    const rest = await stage.client.call<Message>('POST', `/v1/sessions/${session.id}/messages`, {
      body: bodyOf('once'),
      headers: { 'idempotency-key': 'ws-first' },
    });
    expect(rest.headers.get('idempotency-replayed')).toBe('true');
    expect(rest.body).toEqual(ack['resource']);
    expect(await socket.ask({ ...frame, id: 'b' })).toEqual({ ...ack, id: 'b', repeated: true });
  });

  it('used over REST first gives WebSocket the same message, and refuses another one', async () => {
    const rest = await stage.client.post<Message>(
      `/v1/sessions/${session.id}/messages`,
      bodyOf('twice'),
      'rest-first',
    );
    const socket = await room.enter();
    const frame = { type: 'user_message', session_id: session.id, idempotency_key: 'rest-first' };
    const ack = await socket.ask({ ...frame, id: 'a', ...bodyOf('twice') });
    expect(ack).toMatchObject({ repeated: true, resource: { id: rest.id } });
    const other = await socket.ask({ ...frame, id: 'b', ...bodyOf('other') });
    expect(other.error?.code).toBe('idempotency_key_reused');
  });

  it('counts for a task message with the kind left out and for REST with it', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const socket = await room.enter();
    const frame = { type: 'respond', id: 'r', task_id: task.id, idempotency_key: 'answer', ...bodyOf('red') };
    const ack = await socket.ask(frame);
    const rest = await stage.client.post(
      `/v1/tasks/${task.id}/messages`,
      { kind: 'input', ...bodyOf('red') },
      'answer',
    );
    expect(rest).toEqual(ack['resource']);
  });

  it('counts for a cancel without body over both', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const socket = await room.enter();
    const ack = await socket.ask({ type: 'cancel', id: 'c', task_id: task.id, idempotency_key: 'stop' });
    expect(await stage.client.post(`/v1/tasks/${task.id}/cancel`, undefined, 'stop')).toEqual(
      ack['resource'],
    );
  });
});

describe('what a socket may do', () => {
  it('is what its credential may do, frame by frame', async () => {
    const socket = await room.enter('/v1/ws', {}, stage.as('listener'));
    await socket.ask({ type: 'subscribe', id: 's', stream: 'session', session_id: session.id });
    const refused = await socket.ask({ type: 'cancel', id: 'c', task_id: 'task_x' });
    expect(refused.error).toMatchObject({
      code: 'permission_denied',
      details: { required_scope: 'tasks:write' },
    });
  });

  it('begins with events:read', async () => {
    await expect(room.enter('/v1/ws', {}, stage.as('writer'))).rejects.toMatchObject({ status: 403 });
  });

  it('ends at the tenant: what is hidden is not there', async () => {
    const task = await stage.client.submit('hello');
    const stranger = stage.as(OTHER_TENANT.key.actor);
    const socket = await room.enter('/v1/ws', {}, stranger);
    const gone = { code: 'resource_not_found' };
    const answers = [
      await socket.ask({ type: 'subscribe', id: '1', stream: 'task', task_id: task.id }),
      await socket.ask({ type: 'subscribe', id: '2', stream: 'session', session_id: task.session_id }),
      await socket.ask({ type: 'cancel', id: '3', task_id: task.id }),
      await socket.ask({
        type: 'user_message',
        id: '4',
        session_id: task.session_id,
        message: userText('x'),
      }),
    ];
    expect(answers).toMatchObject(answers.map(() => ({ type: 'error', error: gone })));
    await expect(room.enter(`/v1/tasks/${task.id}/stream`, {}, stranger)).rejects.toMatchObject({
      status: 404,
    });
  });

  it.each([
    [401, { key: 'wrong' }],
    [426, { headers: { 'Harn-Agents-Protocol-Version': 'agents-protocol-1999-01-01' } }],
    [426, { bare: true, protocols: ['harn.v2', 'harn.bearer.KEY'] }],
  ])('needs a credential and a version (%i)', async (status, options) => {
    const withKey = JSON.parse(JSON.stringify(options).replace('KEY', stage.client.key));
    await expect(room.enter('/v1/ws', withKey)).rejects.toMatchObject({ status });
  });

  it('is the same for a browser page', async () => {
    const protocols = ['harn.v1', `harn.bearer.${stage.client.key}`];
    const socket: WsTestClient = await room.enter('/v1/ws', { bare: true, protocols });
    expect(socket.socket.protocol).toBe('harn.v1');
    expect((await socket.ask({ type: 'subscribe', id: 's', stream: 'events' })).type).toBe('ack');
    expect(stage.gateway.logText()).not.toContain(stage.client.key);
  });
});
