import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { refuseForeign } from '#resources/bundle/own-writer.ts';
import { loadRooms } from '#resources/load-rooms.ts';

const { project } = await loadRooms();

const OWN = { sessionId: 'session_own', workspaceId: 'workspace_own' };
/** What is here already, of somebody else. */
const THERE: Record<string, object> = {
  'r/task/task_foreign': { resource: { workspace_id: 'workspace_other', status: 'COMPLETED' }, internal: {} },
  'r/message/message_foreign': { resource: { workspace_id: 'workspace_other' }, internal: {} },
  'r/session/session_own': {
    resource: { workspace_id: 'workspace_own' },
    internal: { pending: [], open_tasks: [] },
  },
};
const reader = { get: <S extends object>(key: string) => THERE[key] as S | undefined };

function event(
  kind: Event['event'],
  resource: Event['resource'],
  task_id: string | null,
  payload: JsonObject,
): Event {
  const imported = {
    original_event_id: '1',
    previous_event_id: null,
    sequence: 1,
    workspace_id: 'w',
    sha256: '',
  };
  return {
    actor: null,
    created_at: '2026-11-21T09:00:00.000Z',
    event: kind,
    id: '00000000000000000001',
    metadata: { imported },
    object: 'event',
    payload,
    previous_event_id: null,
    resource,
    sequence: 1,
    session_id: OWN.sessionId,
    span_id: null,
    task_id,
    trace_id: null,
    updated_at: '2026-11-21T09:00:00.000Z',
    workspace_id: OWN.workspaceId,
  };
}

const message = { id: 'message_foreign', workspace_id: 'w', role: 'user', parts: [] };

describe('an event of a bundle', () => {
  it.each([
    [
      'moves a task of somebody else',
      event('task.completed', { object: 'task', id: 'task_foreign' }, 'task_foreign', {
        status: 'FAILED',
        previous_status: 'WORKING',
        outcome: { id: 'o', summary: '' },
      }),
    ],
    [
      'rewrites a message of somebody else',
      event('user.message', { object: 'message', id: 'message_foreign' }, null, { message }),
    ],
    [
      'makes a receipt of a task of somebody else',
      event('receipt.issued', { object: 'receipt', id: 'r1' }, 'task_foreign', {
        receipt_id: 'r1',
        receipt_hash: `sha256:${'0'.repeat(64)}`,
        follows: 'session',
        subject: { object: 'task', id: 'task_foreign' },
      }),
    ],
  ])('that %s is refused', (_, foreign) => {
    expect(() => refuseForeign(foreign, reader, OWN, project)).toThrow(
      /exists already|no part of its session/,
    );
  });

  it('that makes what is new is taken', () => {
    const own = { ...message, id: 'message_new' };
    expect(() =>
      refuseForeign(
        event('user.message', { object: 'message', id: 'message_new' }, null, { message: own }),
        reader,
        OWN,
        project,
      ),
    ).not.toThrow();
  });
});
