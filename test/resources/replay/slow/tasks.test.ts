import { describe, expect, it } from 'vitest';
import { stageOf } from '../../../conformance/stage.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';

const plain = SAMPLE_RUNS['stream'] as (typeof SAMPLE_RUNS)[string];

describe('replay of a task', () => {
  const stage = stageOf({ keys: [{ actor: 'reader', scopes: ['tasks:read', 'tasks:write'] }] });

  it.each(Object.entries(SAMPLE_RUNS))('%s is byte_equal', async (_, run) => {
    const source = await run(stage.client);
    const replay = await replayOf(stage.client, source.id);
    const events = await eventsOf(stage.client, replay.id);
    const completed = events.find(({ event }) => event === 'replay.completed');
    expect(completed?.payload['verdict'] ?? events).toMatchObject({ status: 'byte_equal' });
    expect(replay).toMatchObject({ status: 'COMPLETED', failure: null });
  });

  it('[REPLAY-01] [REPLAY-08] is an ordinary Task of the same Session and Workspace, accepted with 202', async () => {
    const source = await plain(stage.client);
    const messages = await stage.client.get(`/v1/sessions/${source.session_id}/messages`);
    const answer = await stage.client.call('POST', `/v1/tasks/${source.id}/replay`);
    expect(answer).toMatchObject({
      status: 202,
      body: {
        object: 'task',
        parent_task_id: source.id,
        session_id: source.session_id,
        workspace_id: source.workspace_id,
        created_by: 'actor_test',
      },
    });
    const id = String(answer.body['id']);
    await stage.client.until(id, 'COMPLETED');
    const kinds = (await eventsOf(stage.client, id)).map(({ event }) => event);
    expect(kinds.slice(0, 3)).toEqual(['task.submitted', 'task.started', 'replay.started']);
    expect(kinds).toContain('replay.completed');
    expect(kinds).toContain('task.completed');
    expect(await stage.client.get(`/v1/sessions/${source.session_id}/messages`)).toEqual(messages);
  });

  it('[REPLAY-03] [REPLAY-04] [REPLAY-10] tells every event of the source in its order, marked, with id and cursor', async () => {
    const source = await plain(stage.client);
    const replay = await replayOf(stage.client, source.id);
    const told = (await eventsOf(stage.client, replay.id)).filter(
      ({ event }) => event === 'replay.event_replayed',
    );
    const original = (await eventsOf(stage.client, source.id)).filter(
      ({ event }) => !event.startsWith('receipt.'),
    );
    expect(told.map(({ payload }) => [payload['event'], payload['payload']])).toEqual(
      original.map(({ event, payload }) => [event, payload]),
    );
    expect(told.map(({ replayed, replay: metadata }) => [replayed, metadata])).toEqual(
      original.map(({ id }) => [
        true,
        {
          source_task_id: source.id,
          replay_task_id: replay.id,
          original_event_id: id,
          replay_cursor: id,
          mode: 'exact',
          override_key: null,
          receipt_delta_id: null,
        },
      ]),
    );
  });

  it('replays a replay, and that one again', async () => {
    const first = await replayOf(stage.client, (await plain(stage.client)).id);
    const second = await replayOf(stage.client, first.id);
    const third = await replayOf(stage.client, second.id);
    for (const { id, status } of [first, second, third]) {
      expect(status).toBe('COMPLETED');
      const completed = (await eventsOf(stage.client, id)).find(({ event }) => event === 'replay.completed');
      expect(completed?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    }
  });

  it('[N7-REPLAY] of a running task is a conflict that says which state it is in', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const answer = await stage.client.call('POST', `/v1/tasks/${task.id}/replay`);
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { status: 'INPUT_REQUIRED' } } },
    });
  });

  it('needs the scope tasks:replay, and repeats its answer for the same Idempotency-Key', async () => {
    const source = await plain(stage.client);
    const path = `/v1/tasks/${source.id}/replay`;
    expect((await stage.as('reader').call('POST', path)).status).toBe(403);
    const headers = { 'idempotency-key': 'replay-once' };
    const [once, again] = [
      await stage.client.call('POST', path, { headers }),
      await stage.client.call('POST', path, { headers }),
    ];
    expect(again.body['id']).toBe(once.body['id']);
    const anew = await stage.client.call('POST', path);
    expect(anew.body['id']).not.toBe(once.body['id']);
  });

  it('goes on in a closed Session, and leaves what waits for the next input waiting', async () => {
    const source = await plain(stage.client);
    const waiting = { role: 'user', parts: [{ type: 'text', text: 'note', visibility: 'public' }] };
    await stage.client.post(`/v1/sessions/${source.session_id}/messages`, { message: waiting });
    await stage.client.post(`/v1/sessions/${source.session_id}/close`);
    expect((await replayOf(stage.client, source.id)).status).toBe('COMPLETED');
  });
});

describe('replay of a session', () => {
  const stage = stageOf();

  it('[C9] replays its tasks in their order and says so', async () => {
    const first = await plain(stage.client);
    const second = await SAMPLE_RUNS['fail']?.(stage.client, first.session_id);
    const path = `/v1/sessions/${first.session_id}`;
    const answer = await stage.client.call<{ data: { id: string; parent_task_id: string }[] }>(
      'POST',
      `${path}/replay`,
    );
    expect(answer.status).toBe(202);
    expect(answer.body.data.map((task) => task.parent_task_id)).toEqual([first.id, second?.id]);
    for (const { id } of answer.body.data) await stage.client.until(id, 'COMPLETED');
    const events = await stage.client.events(`${path}/events`);
    expect(events.find(({ event }) => event === 'session.replayed')?.payload).toEqual({
      task_ids: answer.body.data.map(({ id }) => id),
      mode: 'exact',
    });
  });

  it('replays the tasks of one trace alone, and says when there is none', async () => {
    const { id: session } = await stage.client.session();
    const traces = ['a'.repeat(32), 'b'.repeat(32)];
    const ids = [];
    for (const trace of traces) {
      const { body } = await stage.client.call<{ id: string }>('POST', `/v1/sessions/${session}/tasks`, {
        body: { input: { role: 'user', parts: [{ type: 'text', text: 'hello', visibility: 'public' }] } },
        headers: { traceparent: `00-${trace}-${'1'.repeat(16)}-01` },
      });
      await stage.client.until(body.id, 'COMPLETED');
      ids.push(body.id);
    }
    const replay = (trace_id: string) =>
      stage.client.call<{ data: { id: string; parent_task_id: string }[]; error: { param: string } }>(
        'POST',
        `/v1/sessions/${session}/replay`,
        { body: { trace_id } },
      );
    const { data } = (await replay(traces[1] ?? '')).body;
    expect(data.map(({ parent_task_id }) => parent_task_id)).toEqual([ids[1]]);
    for (const { id } of data) await stage.client.until(id, 'COMPLETED');
    const none = await replay('c'.repeat(32));
    expect([none.status, none.body.error.param]).toEqual([404, 'trace_id']);
    expect((await replay('no trace')).status).toBe(400);
  });

  it('refuses what only one task can mean, and a session with an open task', async () => {
    const { session_id, id } = await stage.client.submit('ask');
    await stage.client.until(id, 'INPUT_REQUIRED');
    const path = `/v1/sessions/${session_id}/replay`;
    const body = { mode: 'from_checkpoint', checkpoint_id: `${id}.1` };
    expect(await stage.client.call('POST', path, { body })).toMatchObject({
      status: 400,
      body: { error: { param: 'mode' } },
    });
    expect((await stage.client.call('POST', path)).status).toBe(409);
  });
});
