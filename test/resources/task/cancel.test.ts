import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { signal } from '../../harness/a2a-stage.ts';
import { task as remoteTask, statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Answer, json, result, rpcError, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T/;

describe('cancel', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    config: { limits: { cancel_wait_ms: 150 }, routing: { default: 'a2a:sample' } },
  });
  const cancel = (task: string, body?: object) =>
    stage.client.call<Task>('POST', `/v1/tasks/${task}/cancel`, body === undefined ? {} : { body });
  const kindsOf = async (task: string) =>
    (await stage.client.events(`/v1/tasks/${task}/events`)).map(({ event }) => event);
  const onScript = (streamed: Answer, canceled: Answer) => {
    script['SendStreamingMessage'] = streamed;
    script['CancelTask'] = canceled;
    script['GetTask'] = result(remoteTask('WORKING'));
    return stage.client.submit('start', undefined, { route: 'a2a:scripted' });
  };
  const bound = (task: string) =>
    expect.poll(() => kindsOf(task)).toContain('vendor.harn_gateway.upstream_bound');

  it('[C4] a working task is canceled at the agent, with its times', async () => {
    const task = await stage.client.submit('slow 60');
    await bound(task.id);
    const answer = await cancel(task.id, { reason: 'not needed' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'CANCELED', completed_at: null, failure: null });
    expect(answer.body.canceled_at).toMatch(TIME);
    await stage.peer('sample').arrived('CancelTask');
    const kinds = await kindsOf(task.id);
    expect(kinds.indexOf('user.cancel_requested')).toBeLessThan(kinds.indexOf('task.canceled'));
    const outcome = await stage.client.get(`/v1/outcomes/${answer.body.outcome_id}`);
    expect(outcome).toMatchObject({ status: 'CANCELED', task_id: task.id });
  });

  it('[C4] a cancel that follows its task at once reaches the agent too', async () => {
    const told = () =>
      stage.peer('sample').requests.filter(({ operation }) => operation === 'CancelTask').length;
    const before = told();
    const task = await stage.client.submit('slow 60');
    expect((await cancel(task.id)).body.status).toBe('CANCELED');
    await expect.poll(told).toBe(before + 1);
  });

  it.each(['ask', 'login'])('[C4] a task blocked by %s is canceled here and at the agent', async (text) => {
    const task = await stage.client.submit(text);
    await stage.client.until(task.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
    const before = stage.peer('sample').requests.filter(({ operation }) => operation === 'CancelTask').length;
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
    await stage.peer('sample').arrived('CancelTask', before + 1);
  });

  it('[C4] canceling again answers with the same task and records nothing', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    await cancel(task.id);
    const kinds = (await kindsOf(task.id)).filter((kind) => !kind.startsWith('vendor.'));
    const again = await cancel(task.id);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id: task.id, status: 'CANCELED' });
    expect((await kindsOf(task.id)).filter((kind) => !kind.startsWith('vendor.'))).toEqual(kinds);
    expect(kinds.filter((kind) => kind === 'task.canceled').length).toBe(1);
  });

  it.each([
    ['hello', 'COMPLETED'],
    ['fail', 'FAILED'],
  ] as const)(
    '[C4] [CORE-LIFE-02] after %s the task is %s, and a cancel is a conflict that says so',
    async (text, status) => {
      const task = await stage.client.submit(text);
      const ended = await stage.client.until(task.id, status);
      const answer = await cancel(task.id);
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        error: { code: 'conflict', type: 'conflict_error', details: { status } },
      });
      expect(await stage.client.get(`/v1/tasks/${task.id}`)).toEqual(ended);
    },
  );

  it('[C4] an agent that ignores the cancel is waited for no longer than configured', async () => {
    const task = await onScript(
      () => stream(taskFrame('WORKING'), { hang: true }),
      () => stream({ hang: true }),
    );
    await bound(task.id);
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
  });

  it('[C4] an agent that ends the task in its stream has canceled it, whatever becomes of the request', async () => {
    const asked = signal();
    const canceled: Answer = () =>
      stream(taskFrame('WORKING'), { until: asked.given }, statusFrame('CANCELED', 'Stopped.'));
    const task = await onScript(canceled, () => {
      asked.give();
      return stream({ hang: true });
    });
    await bound(task.id);
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
    const ends = async () =>
      (await stage.client.events(`/v1/tasks/${task.id}/events`)).filter(
        ({ event, payload }) => event === 'task.canceled' || payload['note'] === 'cancel_not_confirmed',
      );
    // Longer than a cancel is waited for: its end must not be told as if the agent had not been reached.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await ends()).map(({ payload }) => payload['cancel'])).toEqual([undefined]);
  });

  it('[C4] an agent that refuses the cancel does not keep the task alive', async () => {
    const task = await onScript(() => stream(taskFrame('WORKING'), { hang: true }), rpcError(-32002, 'No.'));
    await bound(task.id);
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
  });

  it('[C4] an agent that knows neither the cancel nor its task does not turn the cancel into a failure', async () => {
    const task = await onScript(
      () => stream(taskFrame('WORKING'), { hang: true }),
      rpcError(-32601, 'What?'),
    );
    script['GetTask'] = rpcError(-32001, 'Which task?');
    await bound(task.id);
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
  });

  it('[C4] an agent that never answered is canceled too', async () => {
    const task = await onScript(() => stream({ hang: true }), rpcError(-32001, 'What?'));
    expect((await cancel(task.id)).body).toMatchObject({ status: 'CANCELED' });
  });

  it('[C4] an agent that finishes while the cancel is on its way has finished: 409, one terminal state', async () => {
    const asked = signal();
    const finished: Answer = () =>
      stream(taskFrame('WORKING'), { until: asked.given }, statusFrame('COMPLETED', 'Done.'));
    const task = await onScript(finished, (call) => {
      asked.give();
      script['GetTask'] = result(remoteTask('COMPLETED'));
      const error = { code: -32002, message: 'Too late.' };
      return json({ jsonrpc: '2.0', id: call.id, error });
    });
    await bound(task.id);
    const answer = await cancel(task.id);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ error: { details: { status: 'COMPLETED' } } });
    const ends = (await kindsOf(task.id)).filter((kind) =>
      ['task.completed', 'task.canceled'].includes(kind),
    );
    expect(ends).toEqual(['task.completed']);
  });

  it('[CORE-LIFE-04] a success that comes after the cancel is recorded as late and changes nothing', async () => {
    const waiting: Answer = () => stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'Which?'));
    const task = await onScript(waiting, result(remoteTask('COMPLETED')));
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const canceled = await cancel(task.id);
    expect(canceled.body).toMatchObject({ status: 'CANCELED' });
    await expect.poll(() => kindsOf(task.id)).toContain('vendor.harn_gateway.upstream_note');
    const after = await stage.client.get<Task>(`/v1/tasks/${task.id}`);
    expect(after).toMatchObject({ status: 'CANCELED', outcome_id: canceled.body.outcome_id });
    const outcomes = await stage.client.get<{ data: { status: string }[] }>(
      `/v1/outcomes?task_id=${task.id}`,
    );
    expect(outcomes.data.map(({ status }) => status)).toEqual(['CANCELED']);
  });
});
