import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('sessions', () => {
  const stage = stageOf();

  it('[CORE-RES-01] [CORE-RES-03] [CORE-RES-04] [CORE-ID-02] a new session has the envelope, its workspace and a state', async () => {
    const answer = await stage.client.call<Session>('POST', '/v1/sessions', {
      body: { workspace_id: 'workspace_default', metadata: { project: 'x', nested: { any: [1, null] } } },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      object: 'session',
      workspace_id: 'workspace_default',
      state: 'IDLE',
      metadata: { project: 'x', nested: { any: [1, null] } },
      transcript: { message_count: 0 },
    });
    expect(answer.body.created_at).toMatch(TIME);
    expect(answer.body.updated_at).toMatch(TIME);
    expect(await stage.client.get(`/v1/sessions/${answer.body.id}`)).toEqual(answer.body);
  });

  it('last_event_id is the newest event of the session, and updated_at its time', async () => {
    const { id } = await stage.client.session();
    const task = await stage.client.submit('stream 2', id);
    await stage.client.until(task.id, 'COMPLETED');
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    const session = await stage.client.get<Session>(`/v1/sessions/${id}`);
    expect(session.last_event_id).toBe(events.at(-1)?.id);
    expect(session.updated_at).toBe(events.at(-1)?.['created_at']);
  });

  it('[CORE-RES-05] initial messages are the first turns, in the order given', async () => {
    const texts = ['one', 'two', 'three'];
    const session = await stage.client.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      initial_messages: texts.map(userText),
    });
    expect(session.transcript).toMatchObject({ message_count: 3 });
    const { data } = await stage.client.get<{ data: { parts: { text: string }[] }[] }>(
      `/v1/sessions/${session.id}/messages`,
    );
    expect(data.map(({ parts }) => parts[0]?.text)).toEqual(texts);
  });

  it('an update changes summary and merges metadata, an empty one changes nothing', async () => {
    const { id } = await stage.client.session({ a: 1, b: 1 });
    const path = `/v1/sessions/${id}`;
    const changed = await stage.client.call<Session>('PATCH', path, {
      body: { summary: 'S', metadata: { b: 2 } },
    });
    expect(changed.body).toMatchObject({ summary: 'S', metadata: { a: 1, b: 2 } });
    expect((await stage.client.call('PATCH', path, { body: {} })).body).toEqual(changed.body);
    const cleared = await stage.client.call('PATCH', path, { body: { summary: null } });
    expect(cleared.body).toMatchObject({ summary: null, metadata: { a: 1, b: 2 } });
  });

  it('[S7-01] an unknown route is refused at creation, update and fork alike', async () => {
    const body = { workspace_id: 'workspace_default', metadata: { route: 'a2a:nobody' } };
    const refused = { error: { code: 'invalid_request', param: 'metadata.route' } };
    expect((await stage.client.call('POST', '/v1/sessions', { body })).body).toMatchObject(refused);
    const { id } = await stage.client.session();
    const update = { body: { metadata: { route: 'a2a:nobody' } } };
    expect((await stage.client.call('POST', `/v1/sessions/${id}/fork`, update)).body).toMatchObject(refused);
    expect((await stage.client.call('PATCH', `/v1/sessions/${id}`, update)).body).toMatchObject(refused);
  });

  it('[S9-02] close cancels what is open, queued or blocked, and a closed session takes nothing more', async () => {
    const { id } = await stage.client.session();
    const blocked = await stage.client.submit('ask', id);
    await stage.client.until(blocked.id, 'INPUT_REQUIRED');
    const working = await stage.client.submit('slow 60', id);
    const queued = await stage.client.submit('later', id);
    const closed = await stage.client.post<Session>(`/v1/sessions/${id}/close`);
    expect(closed.state).toBe('CLOSED');
    for (const task of [blocked, working, queued]) {
      expect(await stage.client.get(`/v1/tasks/${task.id}`)).toMatchObject({
        status: 'CANCELED',
        canceled_at: expect.stringMatching(TIME),
        completed_at: null,
      });
    }
    const conflict = { error: { code: 'conflict', type: 'conflict_error', details: { state: 'CLOSED' } } };
    const submit = await stage.client.call('POST', `/v1/sessions/${id}/tasks`, {
      body: { input: userText('x') },
    });
    expect(submit.status).toBe(409);
    expect(submit.body).toMatchObject(conflict);
    const append = await stage.client.call('POST', `/v1/sessions/${id}/messages`, {
      body: { message: userText('x') },
    });
    expect(append.body).toMatchObject(conflict);
    expect(await stage.client.post(`/v1/sessions/${id}/close`)).toMatchObject({ state: 'CLOSED' });
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    expect(events.filter(({ event }) => event === 'session.closed').length).toBe(1);
  });

  it('[S9-01] the state follows the tasks: IDLE, ACTIVE, PAUSED, ACTIVE, IDLE', async () => {
    const { id } = await stage.client.session();
    const state = async () => (await stage.client.get<Session>(`/v1/sessions/${id}`)).state;
    expect(await state()).toBe('IDLE');
    const asking = await stage.client.submit('ask', id);
    await stage.client.until(asking.id, 'INPUT_REQUIRED');
    expect(await state()).toBe('PAUSED');
    const slow = await stage.client.submit('slow 60', id);
    expect(await state()).toBe('ACTIVE');
    await stage.client.post(`/v1/tasks/${slow.id}/cancel`);
    expect(await state()).toBe('PAUSED');
    await stage.client.answer(asking.id, 'blue');
    await stage.client.until(asking.id, 'COMPLETED');
    expect(await state()).toBe('IDLE');
  });

  it('[CORE-RES-02] what a session or task names and does not exist is refused, never ignored', async () => {
    const { id } = await stage.client.session();
    const task = (body: object) =>
      stage.client.call('POST', `/v1/sessions/${id}/tasks`, { body: { input: userText('x'), ...body } });
    const session = (body: object) =>
      stage.client.call('POST', '/v1/sessions', { body: { workspace_id: 'workspace_default', ...body } });
    expect((await task({ persona_id: 'persona_none' })).body).toMatchObject({
      error: { param: 'persona_id' },
    });
    expect((await task({ parent_task_id: 'task_none' })).body).toMatchObject({
      error: { param: 'parent_task_id' },
    });
    expect((await session({ persona_id: 'persona_none' })).status).toBe(404);
    expect((await session({ vault_ids: ['vault_none'] })).status).toBe(404);
    expect((await session({ memory_ids: ['memory_none'] })).status).toBe(404);
    expect((await session({ skill_ids: ['skill_none'] })).status).toBe(404);
  });
});
