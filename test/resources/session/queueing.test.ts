import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import { userText } from '../../harness/client.ts';
import { collectingGarbage } from '../../harness/collect-garbage.ts';
import { startAgent03 } from '../../harness/peers/agent-03.ts';
import { type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

describe('the queue of a session', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { older: startAgent03, scripted: () => startScriptedAgent(script) },
    config: { limits: { cancel_wait_ms: 100, accept_wait_ms: 0 } },
  });
  const sentTexts = () =>
    stage.peer('sample').requests.map(({ body }) => /"text":"([^"]*)"/.exec(body)?.[1] ?? '');

  it('[C24] [S9-06] tasks wait as SUBMITTED behind a working one and start in the order they were accepted', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 0.2', id);
    expect(first.status).toBe('WORKING');
    const waiting: Task[] = [];
    for (const n of [1, 2, 3, 4]) waiting.push(await stage.client.submit(`queued ${n}`, id));
    expect(waiting.map(({ status, started_at }) => [status, started_at])).toEqual(
      waiting.map(() => ['SUBMITTED', null]),
    );
    for (const task of waiting) await stage.client.until(task.id, 'COMPLETED');
    expect(sentTexts().filter((text) => text.startsWith('queued'))).toEqual(
      [1, 2, 3, 4].map((n) => `queued ${n}`),
    );
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    const running: string[] = [];
    for (const { event, resource } of events) {
      if (event === 'task.started') running.push(resource.id);
      if (event === 'task.started') expect(running).toEqual([resource.id]);
      if (event === 'task.completed') running.splice(running.indexOf(resource.id), 1);
    }
  });

  it('[S9-06] tasks submitted at once all run, one after the other', async () => {
    const { id } = await stage.client.session();
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => stage.client.submit(`together ${n}`, id)));
    expect(all.filter(({ status }) => status === 'WORKING').length).toBe(1);
    for (const task of all) await stage.client.until(task.id, 'COMPLETED');
    const started = (await stage.client.events(`/v1/sessions/${id}/events`)).filter(
      ({ event }) => event === 'task.started',
    );
    const accepted = [...all].sort((a, b) => (a.id < b.id ? -1 : 1)).map((task) => task.id);
    expect(started.map(({ resource }) => resource.id)).toEqual(accepted);
  });

  it('[S9-06] a blocked task leaves the lane to the next one', async () => {
    const { id } = await stage.client.session();
    const asking = await stage.client.submit('ask', id);
    const next = await stage.client.submit('hello', id);
    await stage.client.until(next.id, 'COMPLETED');
    expect(await stage.client.get(`/v1/tasks/${asking.id}`)).toMatchObject({ status: 'INPUT_REQUIRED' });
  });

  it('[S9-06] a cancel that the agent ignores frees the lane for the next one', async () => {
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), { hang: true });
    script['CancelTask'] = () => stream({ hang: true });
    const { id } = await stage.client.session();
    const stuck = await stage.client.submit('stuck', id, { route: 'a2a:scripted' });
    const next = await stage.client.submit('after the stuck one', id);
    await stage.client.post(`/v1/tasks/${stuck.id}/cancel`);
    await stage.client.until(next.id, 'COMPLETED');
  });

  it('sessions do not wait for each other, nor do routes', async () => {
    const slow = await stage.client.submit('slow 60');
    const other = await stage.client.submit('hello');
    const routed = await stage.client.submit('hello', undefined, { route: 'a2a:older' });
    expect([other.status, routed.status]).toEqual(['WORKING', 'WORKING']);
    await stage.client.until(other.id, 'COMPLETED');
    await stage.client.until(routed.id, 'COMPLETED');
    await stage.client.post(`/v1/tasks/${slow.id}/cancel`);
  });

  it('a queued task that is canceled never reaches the agent, and the ones behind it go on', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 0.2', id);
    const dropped = await stage.client.submit('never sent', id);
    const last = await stage.client.submit('still sent', id);
    const canceled = await stage.client.post<Task>(`/v1/tasks/${dropped.id}/cancel`);
    expect(canceled).toMatchObject({ status: 'CANCELED', started_at: null, completed_at: null });
    await stage.client.until(first.id, 'COMPLETED');
    await stage.client.until(last.id, 'COMPLETED');
    expect(sentTexts()).toContain('still sent');
    expect(sentTexts()).not.toContain('never sent');
  });
});

describe('slots', () => {
  const stage = stageOf({
    upstream: { limits: { concurrency: 2 } },
    config: { limits: { max_queued_tasks: 4 } },
  });

  it('[C24] no more tasks are WORKING than the agent takes at a time, however they come', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => stage.client.submit('slow 60')));
    expect(all.filter(({ status }) => status === 'WORKING').length).toBe(2);
    const refused = await Promise.all([6, 7].map(async () => submitFresh()));
    expect(refused.map(({ status }) => status).sort()).toEqual([202, 429]);
    expect(refused.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    for (const task of all) await stage.client.post(`/v1/tasks/${task.id}/cancel`);
  });

  const submitFresh = async () => {
    const { id } = await stage.client.session();
    return stage.client.call('POST', `/v1/sessions/${id}/tasks`, { body: { input: userText('slow 60') } });
  };
});

describe('a task behind one other of its session', () => {
  const stage = stageOf({
    config: { limits: { accept_wait_ms: 5_000 } },
  });
  const accept = (sessionId: string, text: string, idempotencyKey?: string) =>
    stage.client.call<Task>('POST', `/v1/sessions/${sessionId}/tasks`, {
      body: { input: userText(text) },
      ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
    });

  it('[C24] is answered as WORKING when the one in front ends soon, and no poller sees it jump', async () => {
    const { id } = await stage.client.session();
    await stage.client.submit('slow 0.2', id);
    const { status, body: task } = await accept(id, 'hello');
    expect([status, task.status]).toEqual([202, 'WORKING']);
    expect(task.started_at).not.toBeNull();
    const seen: string[] = [task.status];
    while (seen.at(-1) !== 'COMPLETED') {
      const now = await stage.client.get<Task>(`/v1/tasks/${task.id}`);
      if (now.status !== seen.at(-1)) seen.push(now.status);
    }
    expect(seen).toEqual(['WORKING', 'COMPLETED']);
  });

  it('[C24] is durable before the answer, and a repeated call gets the answer that was given', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 0.4', id);
    const answering = accept(id, 'hello', 'soon-1');
    await expect
      .poll(async () => (await stage.client.get<{ data: Task[] }>(`/v1/sessions/${id}/tasks`)).data.length)
      .toBe(2);
    expect((await stage.client.get<Task>(`/v1/tasks/${first.id}`)).status).toBe('WORKING');
    const answer = await answering;
    expect(answer.body.status).toBe('WORKING');
    await stage.client.until(answer.body.id, 'COMPLETED');
    expect((await accept(id, 'hello', 'soon-1')).body).toEqual(answer.body);
  });

  it('[C24] is answered at once when it is canceled meanwhile', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 60', id);
    const answering = accept(id, 'hello');
    const listed = () => stage.client.get<{ data: Task[] }>(`/v1/sessions/${id}/tasks`);
    await expect.poll(async () => (await listed()).data.length).toBe(2);
    const second = (await listed()).data.find((task) => task.id !== first.id);
    await stage.client.post(`/v1/tasks/${second?.id}/cancel`);
    expect((await answering).body).toMatchObject({ id: second?.id, status: 'CANCELED' });
    await stage.client.post(`/v1/tasks/${first.id}/cancel`);
  });

  it('[C24] does not wait behind two', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 60', id);
    const second = accept(id, 'hello');
    await expect
      .poll(async () => (await stage.client.get<{ data: Task[] }>(`/v1/sessions/${id}/tasks`)).data.length)
      .toBe(2);
    expect((await accept(id, 'hello')).body.status).toBe('SUBMITTED');
    await stage.client.post(`/v1/tasks/${first.id}/cancel`);
    expect((await second).body.status).toBe('WORKING');
  });
});

describe('the wait before an accepted task is answered', () => {
  const stage = stageOf({ config: { limits: { accept_wait_ms: 50 } } });

  it('[C24] ends after its time, and the task is SUBMITTED', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 60', id);
    expect((await stage.client.submit('hello', id)).status).toBe('SUBMITTED');
    await stage.client.post(`/v1/tasks/${first.id}/cancel`);
  });

  it('ends after its time when garbage is collected meanwhile', async () => {
    const { id } = await stage.client.session();
    const first = await stage.client.submit('slow 60', id);
    const waiting = await collectingGarbage(stage.client.submit('hello', id));
    expect(waiting.status).toBe('SUBMITTED');
    await stage.client.post(`/v1/tasks/${first.id}/cancel`);
  });
});
