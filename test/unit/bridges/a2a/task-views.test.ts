import { describe, expect, it } from 'vitest';
import type { Gateway } from '#gateway.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ServerExchange } from '#protocol-server.ts';
import { TaskViews } from '../../../../bridges/a2a/server/task-views.ts';

const TIME = '2026-05-01T10:00:00.000Z';
const TASK = { id: 't1', session_id: 's1', status: 'SUBMITTED', metadata: {} };
const ERASED = { erased: { erasure_id: 'erasure_1' } };

const exchange = {
  caller: () => ({ seesInternal: false }),
  call: (given: object) => given,
} as unknown as ServerExchange;

/** Tells the events of the task as they are at the moment. */
function viewsOf(events: readonly { event: string; payload: JsonObject }[]): TaskViews {
  const data = events.map((event, at) => ({ ...event, id: String(at), created_at: TIME }));
  const value = { data, next_cursor: null };
  return new TaskViews({ call: async () => ({ body: { kind: 'json', value } }) } as unknown as Gateway);
}

describe('a task as A2A clients see it', () => {
  it('is read from its events', async () => {
    const view = await viewsOf([{ event: 'task.submitted', payload: { task: TASK } }]).read(exchange, 't1');
    expect(view.task?.id).toBe('t1');
  });

  // Found by `torture --only bad-input --size 20000 --seed 1707409394`.
  it.each([
    ['from its beginning on', [{ event: 'task.submitted', payload: ERASED }]],
    [
      'in its middle',
      [
        { event: 'task.submitted', payload: { task: TASK } },
        { event: 'user.message', payload: ERASED },
      ],
    ],
  ])('is not found while it is erased %s', async (_, events) => {
    await expect(viewsOf(events).read(exchange, 't1')).rejects.toMatchObject({
      code: 'resource_not_found',
      message: 't1 is being erased.',
    });
  });
});
