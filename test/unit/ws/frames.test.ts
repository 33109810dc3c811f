import { describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { COMMAND_FRAMES, UNOFFERED_FRAMES } from '#surfaces/ws/frames.ts';
import { eventually } from '../surfaces/surface-under-test.ts';
import { SocketStage } from './socket-stage.ts';

const stage = new SocketStage();
const message = { role: 'user', parts: [{ type: 'text', text: 'Hi', visibility: 'public' }] };

describe('a command frame', () => {
  const rows = [
    [
      { type: 'user_message', session_id: 'session_1', message },
      { id: 'appendSessionMessage', path: { session_id: 'session_1' }, body: { message } },
    ],
    [
      { type: 'user_message', task_id: 'task_1', message },
      { id: 'appendTaskMessage', path: { task_id: 'task_1' }, body: { kind: 'input', message } },
    ],
    [
      { type: 'user_message', task_id: 'task_1', kind: 'interrupt', message },
      { id: 'appendTaskMessage', path: { task_id: 'task_1' }, body: { kind: 'interrupt', message } },
    ],
    [
      { type: 'cancel', task_id: 'task_1' },
      { id: 'cancelTask', path: { task_id: 'task_1' }, body: undefined },
    ],
    [
      { type: 'cancel', task_id: 'task_1', reason: null },
      { id: 'cancelTask', path: { task_id: 'task_1' }, body: { reason: null } },
    ],
    [
      { type: 'truncate', session_id: 'session_1', keep_first: 2, reason: 'again' },
      { id: 'truncateSession', path: { session_id: 'session_1' }, body: { keep_first: 2, reason: 'again' } },
    ],
    [
      { type: 'respond', task_id: 'task_1', message },
      { id: 'appendTaskMessage', path: { task_id: 'task_1' }, body: { kind: 'input', message } },
    ],
    [
      { type: 'respond', request_id: 'permission_request_1', approved: true, reason: 'fine' },
      {
        id: 'respondPermissionRequest',
        path: { request_id: 'permission_request_1' },
        body: { approved: true, reason: 'fine' },
      },
    ],
    [
      { type: 'client_attach', session_id: 'session_1', client_id: 'editor-1' },
      { id: 'attachSessionClient', path: { session_id: 'session_1' }, body: { client_id: 'editor-1' } },
    ],
    [
      { type: 'client_takeover', session_id: 'session_1', client_id: 'editor-1' },
      { id: 'takeoverSessionClient', path: { session_id: 'session_1' }, body: { client_id: 'editor-1' } },
    ],
    [
      { type: 'client_detach', session_id: 'session_1', client_id: 'editor-1' },
      { id: 'detachSessionClient', path: { session_id: 'session_1' }, body: { client_id: 'editor-1' } },
    ],
    [
      { type: 'client_heartbeat', session_id: 'session_1', client_id: 'editor-1' },
      { id: 'heartbeatSessionClient', path: { session_id: 'session_1' }, body: { client_id: 'editor-1' } },
    ],
  ] as const;

  it.each(rows)('%j is the operation of REST with the same path and body', async (frame, expected) => {
    stage.under.gateway.answer = () => ({
      status: 201,
      body: { kind: 'json', value: { id: 'message_1' } },
      repeated: true,
    });
    const client = await stage.open();
    const ack = await client.ask({ ...frame, id: 'f1', idempotency_key: 'key-1' });
    expect(ack).toEqual({
      type: 'ack',
      id: 'f1',
      status: 201,
      repeated: true,
      subscription: null,
      cursor: null,
      resource: { id: 'message_1' },
    });
    const [{ id, call } = { id: '', call: undefined }] = stage.under.gateway.calls;
    expect({ id, path: call?.path, body: call?.body }).toEqual(expected);
    expect(call).toMatchObject({ idempotencyKey: 'key-1', caller: { actor: 'actor_test' }, query: {} });
    expect(call?.requestId).toMatch(/^req_/);
  });

  it('[EXT-WS-02] has a row and a test for every frame that is offered', () => {
    const tested = new Set<string>(rows.map(([{ type }, { id }]) => `${type} ${id}`));
    expect(COMMAND_FRAMES.filter(({ type, operation }) => !tested.has(`${type} ${operation}`))).toEqual([]);
    expect(UNOFFERED_FRAMES).toEqual([]);
  });

  it('may come without id; its ack says null', async () => {
    const client = await stage.open();
    client.send({ type: 'cancel', task_id: 'task_1' });
    expect((await client.until(({ type }) => type === 'ack')).id).toBeNull();
  });

  it('is answered by an error with the Harn error object and its id when it is refused', async () => {
    stage.under.gateway.answer = () => {
      throw new ProtocolError('conflict', 'It has ended.', { details: { status: 'COMPLETED' } });
    };
    const client = await stage.open();
    const error = await client.ask({ type: 'cancel', id: 'f1', task_id: 'task_1' });
    expect(error).toMatchObject({
      type: 'error',
      id: 'f1',
      subscription: null,
      error: {
        code: 'conflict',
        message: 'It has ended.',
        type: 'conflict_error',
        details: { status: 'COMPLETED' },
      },
    });
    expect(error.error?.request_id).toMatch(/^req_/);
  });

  it('tells nothing of an internal failure but logs it', async () => {
    stage.under.gateway.answer = () => {
      throw new Error('secret place');
    };
    const client = await stage.open();
    const { error } = await client.ask({ type: 'cancel', id: 'f1', task_id: 'task_1' });
    expect(error?.code).toBe('internal_error');
    expect(client.texts.join()).not.toContain('secret place');
    expect(stage.under.log.find(({ message: said }) => said === 'frame failed')?.fields['request_id']).toBe(
      error?.request_id,
    );
  });

  it('does not wait for the frame before it', async () => {
    let release = () => {};
    stage.under.gateway.answer = (id) =>
      id === 'cancelTask'
        ? new Promise((resolve) => {
            release = () => resolve({ status: 200, body: { kind: 'none' } });
          })
        : { status: 201, body: { kind: 'none' } };
    const client = await stage.open();
    client.send({ type: 'cancel', id: 'slow', task_id: 'task_1' });
    expect((await client.ask({ type: 'user_message', id: 'quick', session_id: 's', message })).status).toBe(
      201,
    );
    expect(stage.under.gateway.calls.map(({ id }) => id)).toEqual(['cancelTask', 'appendSessionMessage']);
    release();
    expect((await client.until(({ id }) => id === 'slow')).status).toBe(200);
  });

  it('lets the operation know when the socket is gone', async () => {
    let signal: AbortSignal | undefined;
    stage.under.gateway.answer = (_, call) => {
      signal = call.signal;
      return new Promise(() => undefined);
    };
    const client = await stage.open();
    client.send({ type: 'cancel', task_id: 'task_1' });
    await eventually(() => signal !== undefined);
    client.socket.terminate();
    await eventually(() => signal?.aborted === true);
  });
});

describe('a ping frame', () => {
  it('is acked', async () => {
    const client = await stage.open();
    expect(await client.ask({ type: 'ping', id: 'p' })).toMatchObject({
      type: 'ack',
      status: 200,
      resource: null,
    });
  });
});

describe('a frame that cannot be taken', () => {
  it.each([
    ['of an unknown type', '{"type":"submit","id":"f"}', 'f', 'type'],
    ['of a type that objects have by nature', '{"type":"constructor","id":"f"}', 'f', 'type'],
    ['without type', '{"id":"f"}', 'f', 'type'],
    ['with an id that is no text', '{"type":"ping","id":7}', null, 'id'],
    ['with an id too long', `{"type":"ping","id":"${'x'.repeat(129)}"}`, null, 'id'],
    ['that names nothing', '{"type":"cancel","id":"f"}', 'f', 'task_id'],
    ['that names two things', '{"type":"respond","id":"f","task_id":"t","request_id":"r"}', 'f', 'task_id'],
    ['whose name is no text', '{"type":"cancel","id":"f","task_id":{"$ne":1}}', 'f', 'task_id'],
    [
      'with a key that is no text',
      '{"type":"cancel","id":"f","task_id":"t","idempotency_key":1}',
      'f',
      'idempotency_key',
    ],
    ['that follows nothing known', '{"type":"subscribe","id":"f","stream":"all"}', 'f', 'stream'],
    ['that follows no task', '{"type":"subscribe","id":"f","stream":"task"}', 'f', 'task_id'],
    ['that leaves nothing', '{"type":"unsubscribe","id":"f","subscription":"task:t"}', 'f', 'subscription'],
    ['that is an array', '[{"type":"ping"}]', null, 'frame'],
    ['that is null', 'null', null, 'frame'],
    ['with a name twice', '{"type":"ping","id":"f","id":"g"}', null, 'id'],
    ['with a forbidden name', '{"type":"ping","__proto__":{}}', null, '__proto__'],
  ])('%s is an error, and the socket goes on', async (_, text, id, param) => {
    const client = await stage.open();
    client.sendRaw(text);
    const error = await client.until(({ type }) => type === 'error');
    expect(error.id).toBe(id);
    expect(error.error?.code).toBe(param === 'subscription' ? 'resource_not_found' : 'invalid_request');
    expect(error.error?.param).toBe(param);
    expect((await client.ask({ type: 'ping', id: 'after' })).type).toBe('ack');
    expect(stage.under.gateway.calls).toEqual([]);
  });

  it.each([
    ['no JSON', '{"type":'],
    ['nested too deeply', `{"type":"cancel","task_id":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['half a surrogate pair', '{"type":"ping","id":"\\ud800"}'],
    ['nothing', ''],
  ])('because it is %s is an error', async (_, text) => {
    const client = await stage.open();
    client.sendRaw(text);
    expect((await client.until(({ type }) => type === 'error')).error?.code).toBe('invalid_request');
    expect((await client.ask({ type: 'ping', id: 'after' })).type).toBe('ack');
  });
});
