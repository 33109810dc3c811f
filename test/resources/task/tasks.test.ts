import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import { startAgent03 } from '../../harness/peers/agent-03.ts';

describe('submitting tasks', () => {
  const stage = stageOf({ agents: { older: startAgent03 } });
  const submit = (path: string, body: object) => stage.client.call<Task>('POST', path, { body });

  it('[CORE-RES-06] [C24] both paths accept a task, which is WORKING at once', async () => {
    for (const way of ['session', 'body']) {
      const { id } = await stage.client.session();
      const input = userText('hello');
      const answer =
        way === 'session'
          ? await submit(`/v1/sessions/${id}/tasks`, { input })
          : await submit('/v1/tasks', { session_id: id, input });
      expect(answer.status).toBe(202);
      expect(answer.body).toMatchObject({
        object: 'task',
        session_id: id,
        workspace_id: 'workspace_default',
        status: 'WORKING',
        created_by: 'actor_test',
        input: { object: 'message', role: 'user', parts: input.parts },
        assigned_agent_id: 'a2a:sample',
        completed_at: null,
        canceled_at: null,
        failure: null,
      });
      expect(answer.body.started_at).toBe(answer.body.created_at);
      const done = await stage.client.until(answer.body.id, 'COMPLETED');
      expect(done).toMatchObject({ canceled_at: null, failure: null });
      expect(done.completed_at).not.toBeNull();
    }
  });

  it('a task without a session, or for another workspace than the session has, is refused', async () => {
    const { id } = await stage.client.session();
    expect((await submit('/v1/tasks', { input: userText('x') })).body).toMatchObject({
      error: { code: 'invalid_request', param: 'session_id' },
    });
    const elsewhere = { session_id: id, workspace_id: 'workspace_other', input: userText('x') };
    expect((await submit('/v1/tasks', elsewhere)).body).toMatchObject({
      error: { code: 'resource_not_found', param: 'workspace_id' },
    });
  });

  it('[C28] an object without role and parts is a payload: kept as it is, sent as data', async () => {
    const { id } = await stage.client.session();
    const input = { order: { id: 7, lines: ['a', null] } };
    const { body } = await submit(`/v1/sessions/${id}/tasks`, { input });
    expect(body.input).toEqual(input);
    await stage.client.until(body.id, 'COMPLETED');
    const sent = stage.peer('sample').requests.at(-1)?.body ?? '';
    expect(JSON.parse(sent)).toMatchObject({ params: { message: { parts: [{ data: input }] } } });
  });

  it.each([
    ['role alone', { role: 'user' }, 'input.parts'],
    ['parts alone', { parts: userText('x').parts }, 'input.role'],
    [
      'a part without its text',
      { role: 'user', parts: [{ type: 'text', visibility: 'public' }] },
      'input.parts[0].text',
    ],
    ['an unknown role', { ...userText('x'), role: 'king' }, 'input.role'],
    ['a text', 'just text', 'input'],
  ])('[C28] an input with %s is refused with the path of the fault', async (_why, input, param) => {
    const { id } = await stage.client.session();
    const answer = await submit(`/v1/sessions/${id}/tasks`, { input });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it("[S7-01] the route is the task's, else the session's, else the default", async () => {
    const route = 'a2a:older';
    const plain = (await stage.client.session()).id;
    const routed = (await stage.client.session({ route })).id;
    const input = userText('hello');
    const of = async (session: string, metadata?: object) =>
      (await submit(`/v1/sessions/${session}/tasks`, { input, metadata })).body.assigned_agent_id;
    expect(await of(plain)).toBe('a2a:sample');
    expect(await of(plain, { route })).toBe(route);
    expect(await of(routed)).toBe(route);
    expect(await of(routed, { route: 'a2a:sample' })).toBe('a2a:sample');
  });

  it.each(['a2a:nobody', '', 7, null])('[S7-01] the route %j is refused', async (route) => {
    const { id } = await stage.client.session();
    const answer = await submit(`/v1/sessions/${id}/tasks`, { input: userText('x'), metadata: { route } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { param: 'metadata.route' } });
  });

  it('a task is found by id, in its session and in its workspace', async () => {
    const task = await stage.client.submit('hello');
    const done = await stage.client.until(task.id, 'COMPLETED');
    const lists = [
      `/v1/sessions/${task.session_id}/tasks`,
      `/v1/tasks?session_id=${task.session_id}`,
      '/v1/tasks?workspace_id=workspace_default&limit=1',
    ];
    for (const path of lists) {
      expect((await stage.client.get<{ data: Task[] }>(path)).data[0]).toEqual(done);
    }
  });
});
