import { describe, expect, it } from 'vitest';
import { TAXONOMY_KINDS } from '#protocol/event-kinds.ts';
import { ROLES } from '#resources/message/schema.ts';
import { A2A_EVENTS, decodeEvent, EVENT_KINDS } from '../../../../mappings/a2a/events.ts';
import { decodeRole, ROLES_V1, ROLES_V03 } from '../../../../mappings/a2a/message.ts';
import { OPERATIONS, operationOfMethod } from '../../../../mappings/a2a/operations.ts';

describe('roles', () => {
  it.each([
    ['user', 'ROLE_USER', 'user'],
    ['agent', 'ROLE_AGENT', 'agent'],
  ] as const)('%s goes to both versions and comes back', (harn, v1, v03) => {
    expect([ROLES_V1.encode(harn), ROLES_V03.encode(harn)]).toMatchObject([{ word: v1 }, { word: v03 }]);
    expect([decodeRole(v1), decodeRole(v03)]).toMatchObject([{ word: harn }, { word: harn }]);
  });

  it.each(['assistant', 'system', 'tool'] as const)('%s goes as the agent and says what it loses', (role) => {
    expect(ROLES_V1.encode(role)).toMatchObject({ word: 'ROLE_AGENT', loses: expect.stringContaining(role) });
    expect(ROLES_V03.encode(role)).toMatchObject({ word: 'agent', loses: expect.stringContaining(role) });
  });

  it('covers every Harn role, and knows no role for ROLE_UNSPECIFIED or another word', () => {
    expect(Object.keys(ROLES_V1.toForeign).sort()).toEqual([...ROLES].sort());
    expect(decodeRole('ROLE_UNSPECIFIED').known).toBe(false);
    expect(decodeRole('robot')).toMatchObject({ known: false, raw: 'robot' });
  });
});

describe('operations', () => {
  // Copied by hand from the specifications of A2A 1.0 and 0.3.
  it.each([
    ['SendMessage', 'message/send', 'POST /message:send'],
    ['SendStreamingMessage', 'message/stream', 'POST /message:stream'],
    ['GetTask', 'tasks/get', 'GET /tasks/{id}'],
    ['ListTasks', null, 'GET /tasks'],
    ['CancelTask', 'tasks/cancel', 'POST /tasks/{id}:cancel'],
    ['SubscribeToTask', 'tasks/resubscribe', 'POST /tasks/{id}:subscribe'],
    [
      'CreateTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/set',
      'POST /tasks/{id}/pushNotificationConfigs',
    ],
    [
      'GetTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/get',
      'GET /tasks/{id}/pushNotificationConfigs/{configId}',
    ],
    [
      'ListTaskPushNotificationConfigs',
      'tasks/pushNotificationConfig/list',
      'GET /tasks/{id}/pushNotificationConfigs',
    ],
    [
      'DeleteTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/delete',
      'DELETE /tasks/{id}/pushNotificationConfigs/{configId}',
    ],
    ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard', 'GET /extendedAgentCard'],
  ] as const)('%s is %s in 0.3 and %s over HTTP+JSON, and every name leads back', (name, legacy, route) => {
    const row = OPERATIONS[name];
    expect(row.legacyMethod).toBe(legacy);
    expect(`${row.rest.method} ${row.rest.path}`).toBe(route);
    expect(operationOfMethod(name)).toBe(name);
    if (legacy !== null) expect(operationOfMethod(legacy)).toBe(name);
    else expect(row).toHaveProperty('loses');
  });

  it('has eleven rows and no operation for other words', () => {
    expect(Object.keys(OPERATIONS)).toHaveLength(11);
    expect(operationOfMethod('tasks/send')).toBeUndefined();
    expect(operationOfMethod('constructor')).toBeUndefined();
  });
});

describe('stream events', () => {
  it.each([
    ['task', 'task', 'task'],
    ['message', 'message', 'message'],
    ['status', 'statusUpdate', 'status-update'],
    ['artifact', 'artifactUpdate', 'artifact-update'],
  ] as const)('%s is told by the member %s in 1.0 and by the kind %s in 0.3', (event, member, kind) => {
    expect(A2A_EVENTS[event]).toMatchObject({ member, kind });
    expect(decodeEvent({ [member]: { x: 1 } })).toEqual({ event, body: { x: 1 } });
    expect(decodeEvent({ kind, x: 1 })).toEqual({ event, body: { kind, x: 1 } });
  });

  it('knows the types of harn serve and bare tasks, messages and updates by their shape', () => {
    expect(decodeEvent({ type: 'status', taskId: 't' })).toMatchObject({ event: 'status' });
    expect(decodeEvent({ id: 't', status: { state: 'working' } })).toMatchObject({ event: 'task' });
    expect(decodeEvent({ role: 'agent', parts: [] })).toMatchObject({ event: 'message' });
    expect(decodeEvent({ taskId: 't', status: {} })).toMatchObject({ event: 'status' });
    expect(decodeEvent({ taskId: 't', artifact: {} })).toMatchObject({ event: 'artifact' });
  });

  it.each([null, 7, 'task', [], {}, { kind: 'other' }, { task: 1 }, { task: {}, message: {} }])(
    'does not guess what %j is',
    (value) => {
      expect(decodeEvent(value)).toMatchObject({ event: 'unknown' });
    },
  );

  it('leave every Harn event kind with an A2A event or with a note of what is lost', () => {
    expect(Object.keys(EVENT_KINDS.toForeign).sort()).toEqual([...TAXONOMY_KINDS].sort());
    for (const kind of TAXONOMY_KINDS) {
      const there = EVENT_KINDS.encode(kind);
      const back = there.known ? EVENT_KINDS.decode(there.word) : there;
      const isRoundTrip = back.known && back.word === kind;
      expect(isRoundTrip || there.loses !== undefined, kind).toBe(true);
    }
    expect(EVENT_KINDS.encode('task.completed')).toMatchObject({ word: 'status' });
    expect(EVENT_KINDS.encode('artifact.created')).toMatchObject({ word: 'artifact' });
    expect(EVENT_KINDS.encode('span.started')).toMatchObject({ known: false });
  });
});
