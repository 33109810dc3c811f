import { describe, expect, it } from 'vitest';
import { eventOf, SocketStage, TASK_STREAM } from './socket-stage.ts';

const stage = new SocketStage();
const AT = '2026-11-21T09:00:00.000Z';
const id = (number: number) => String(number).padStart(20, '0');

const permission = (name: string, kind: string) => ({
  id: name,
  object: 'permission_request',
  created_at: AT,
  updated_at: AT,
  metadata: {},
  workspace_id: 'workspace_default',
  session_id: 'session_1',
  task_id: 'task_1',
  status: 'pending',
  source: 'hitl',
  action: 'delete',
  request: { kind, message: 'May I?', options: [] },
  response: null,
});
const asked = (number: number, name: string, kind = 'elicitation') =>
  eventOf(id(number), 'vendor.harn_gateway.permission_requested', {
    permission_request: permission(name, kind),
  });
const answered = (number: number, name: string) =>
  eventOf(id(number), 'vendor.harn_gateway.permission_resolved', { request_id: name });

describe('a live question', () => {
  it.each([
    ['vendor.harn_gateway.permission_requested', 'elicitation', 'input'],
    ['vendor.harn_gateway.permission_requested', 'authorization', 'authorization'],
    ['tool.approval_required', 'tool', 'approval'],
  ])('of %s (%s) follows its event as a request of kind %s', async (kind, asks, said) => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.caughtUp?.();
    sink.write(eventOf(id(1), kind, { permission_request: permission('permission_request_1', asks) }));
    const frame = await client.until(({ type }) => type === 'request');
    expect(client.frames.map(({ type }) => type)).toEqual(['event', 'request']);
    expect(frame).toEqual({
      type: 'request',
      subscription: 'task:task_1',
      replayed: false,
      request: {
        kind: said,
        event_id: id(1),
        task_id: 'task_1',
        session_id: 'session_1',
        request_id: 'permission_request_1',
        permission_request: permission('permission_request_1', asks),
      },
    });
  });

  it('is asked once, not again by the task that it blocks', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.write(asked(1, 'permission_request_1'));
    sink.write(eventOf(id(2), 'task.input_required', { request_id: 'permission_request_1' }));
    await client.until(({ event }) => event?.id === id(2));
    expect(client.ofType('request')).toHaveLength(1);
  });

  it.each([
    ['task.input_required', 'input'],
    ['task.auth_required', 'authorization'],
  ])('of %s in a log without permission requests is asked by the task', async (kind, said) => {
    const client = await stage.open(TASK_STREAM);
    (await stage.stream()).sink.write(eventOf(id(1), kind, {}));
    const { request } = await client.until(({ type }) => type === 'request');
    expect(request).toMatchObject({
      kind: said,
      request_id: null,
      permission_request: null,
      task_id: 'task_1',
    });
  });
});

describe('a question of the past', () => {
  it('is asked after the history when it is still open, and marked', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.write(asked(1, 'permission_request_1'), true);
    sink.write(asked(2, 'permission_request_2'), true);
    sink.write(answered(3, 'permission_request_1'), true);
    sink.caughtUp?.();
    const frame = await client.until(({ type }) => type === 'request');
    expect(frame).toMatchObject({ replayed: true, request: { request_id: 'permission_request_2' } });
    expect(client.frames.map(({ type }) => type)).toEqual(['event', 'event', 'event', 'request']);
  });

  it('is not asked when it is answered before live delivery begins', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.write(asked(1, 'permission_request_1'), true);
    sink.write(eventOf(id(2), 'task.input_required', {}), true);
    sink.write(answered(3, 'permission_request_1'), false);
    sink.write(eventOf(id(4), 'task.status_changed', {}), false);
    sink.caughtUp?.();
    sink.write(eventOf(id(5), 'agent.message', {}));
    await client.until(({ event }) => event?.id === id(5));
    expect(client.ofType('request')).toEqual([]);
  });
});
