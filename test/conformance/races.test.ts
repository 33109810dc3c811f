import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

const ENDS = ['task.completed', 'task.failed', 'task.canceled'];

describe('races', () => {
  const stage = stageOf({ config: { limits: { cancel_wait_ms: 300 } } });
  const kindsOf = async (task: string) =>
    (await stage.client.events(`/v1/tasks/${task}/events`)).map(({ event }) => event);

  it('[CORE-LIFE-04] [C4] cancel against completion ends in one state with one outcome, which the answer tells', async () => {
    const race = async (n: number) => {
      const task = await stage.client.submit(`slow ${n / 400}`);
      const answer = await stage.client.call<Task & { error?: { details: { status: string } } }>(
        'POST',
        `/v1/tasks/${task.id}/cancel`,
      );
      const ended = await stage.client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
      const told = answer.status === 200 ? answer.body.status : answer.body.error?.details.status;
      expect(told).toBe(ended.status);
      expect((await kindsOf(task.id)).filter((kind) => ENDS.includes(kind)).length).toBe(1);
      const { data } = await stage.client.get<{ data: object[] }>(`/v1/outcomes?task_id=${task.id}`);
      expect(data.length).toBe(1);
      return ended.status;
    };
    const states = await Promise.all(Array.from({ length: 24 }, (_, n) => race(n)));
    expect(states.length).toBe(24);
  });

  it('[CORE-LIFE-05] of several simultaneous answers one counts, the others are refused', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const say = (n: number) =>
      stage.client.call('POST', `/v1/tasks/${task.id}/messages`, {
        body: { kind: 'input', message: userText(`answer ${n}`) },
      });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(say));
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
    for (const { status } of answers) expect([201, 400, 409]).toContain(status);
    await stage.client.until(task.id, 'COMPLETED');
    expect((await kindsOf(task.id)).filter((kind) => kind === 'user.input_submitted').length).toBe(1);
  });

  it('[S9-02] close against submission: what was accepted ends, what came later is refused', async () => {
    const { id } = await stage.client.session();
    const submit = () =>
      stage.client.call<Task>('POST', `/v1/sessions/${id}/tasks`, { body: { input: userText('hello') } });
    const close = stage.client.call('POST', `/v1/sessions/${id}/close`);
    const submitted = await Promise.all(Array.from({ length: 20 }, submit));
    expect((await close).status).toBe(200);
    for (const { status } of submitted) expect([202, 409]).toContain(status);
    for (const { body } of submitted.filter(({ status }) => status === 202)) {
      await stage.client.until(body.id, 'COMPLETED', 'CANCELED');
    }
    expect(await stage.client.get(`/v1/sessions/${id}`)).toMatchObject({ state: 'CLOSED' });
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    const closedAt = events.findIndex(({ event }) => event === 'session.closed');
    const later = events.slice(closedAt + 1).map(({ event }) => event);
    expect(later.filter((kind) => !kind.startsWith('vendor.'))).toEqual([]);
  });

  it('[CORE-RES-05] [C6] simultaneous messages each have a place, and the list is in that order', async () => {
    const { id } = await stage.client.session();
    const append = (n: number) =>
      stage.client.post<{ id: string }>(`/v1/sessions/${id}/messages`, { message: userText(`m${n}`) });
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => append(n)));
    const { data } = await stage.client.get<{ data: { id: string }[] }>(
      `/v1/sessions/${id}/messages?limit=200`,
    );
    expect(data.map((message) => message.id).sort()).toEqual(all.map((message) => message.id).sort());
    const places = (await stage.client.events(`/v1/sessions/${id}/events`))
      .filter(({ event }) => event === 'session.message_appended')
      .map(({ payload }) => payload['message_id']);
    expect(data.map((message) => message.id)).toEqual(places);
  });
});
