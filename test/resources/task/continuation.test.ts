import { describe, expect, it } from 'vitest';
import { stageOf } from '../../conformance/stage.ts';
import { signal } from '../../harness/a2a-stage.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { userText } from '../../harness/client.ts';
import { type Answer, rpcError, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

describe('blocked and interrupted tasks', () => {
  const script: Record<string, Answer> = {};
  /** The answers to the next messages, one each. */
  const answers = (...next: Answer[]) => {
    script['SendStreamingMessage'] = (call) => {
      const answer = next.shift() ?? rpcError(-32603, 'No answer is left.');
      return typeof answer === 'function' ? answer(call) : answer;
    };
  };
  const stage = stageOf({ agents: { scripted: () => startScriptedAgent(script) } });
  const onScript = { route: 'a2a:scripted' };
  const say = (task: string, kind: string, text = 'x') =>
    stage.client.call('POST', `/v1/tasks/${task}/messages`, { body: { kind, message: userText(text) } });
  const kindsOf = async (task: string) =>
    (await stage.client.events(`/v1/tasks/${task}/events`)).map(({ event }) => event);
  const lifecycle = async (task: string) => (await kindsOf(task)).filter((kind) => kind.startsWith('task.'));
  const sentTo = (agent: string) =>
    stage
      .peer(agent)
      .requests.filter(({ operation }) => operation === 'SendStreamingMessage')
      .map(
        ({ body }) =>
          (
            JSON.parse(body) as {
              params: { message: { taskId?: string; contextId?: string; messageId: string } };
            }
          ).params.message,
      );

  it.each([
    ['ask', 'INPUT_REQUIRED', 'task.input_required'],
    ['login', 'AUTH_REQUIRED', 'task.auth_required'],
  ] as const)(
    '[CORE-LIFE-05] %s waits in %s and goes on with the answer, at the same upstream task',
    async (text, status, kind) => {
      const task = await stage.client.submit(text);
      await stage.client.until(task.id, status);
      const before = sentTo('sample').length;
      const message = await stage.client.answer(task.id, 'blue');
      expect(message).toMatchObject({ object: 'message', task_id: task.id, role: 'user' });
      expect(await stage.client.until(task.id, 'COMPLETED')).toMatchObject({ failure: null });
      expect(await lifecycle(task.id)).toEqual([
        'task.submitted',
        'task.started',
        kind,
        'task.status_changed',
        'task.completed',
      ]);
      expect(await kindsOf(task.id)).toContain('user.input_submitted');
      const [first, second] = sentTo('sample').slice(before - 1);
      expect(first?.taskId).toBeUndefined();
      expect(second?.taskId).toMatch(/.+/);
      expect(second?.messageId).toBe(message.id);
    },
  );

  it('[CORE-LIFE-05] an agent that asks twice is answered twice', async () => {
    answers(
      () => stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'Which?')),
      () => stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'Sure?')),
      () => stream(taskFrame('WORKING'), statusFrame('COMPLETED', 'Good.')),
    );
    const task = await stage.client.submit('start', undefined, onScript);
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    await stage.client.answer(task.id, 'that');
    await expect
      .poll(() => lifecycle(task.id))
      .toEqual([
        'task.submitted',
        'task.started',
        'task.input_required',
        'task.status_changed',
        'task.input_required',
      ]);
    await stage.client.answer(task.id, 'yes');
    await stage.client.until(task.id, 'COMPLETED');
  });

  it('[CORE-LIFE-05] authorization given elsewhere lets the task go on by itself', async () => {
    const granted = signal();
    script['SendStreamingMessage'] = () =>
      stream(
        taskFrame('WORKING'),
        statusFrame('AUTH_REQUIRED', 'Sign in there.'),
        { until: granted.given },
        statusFrame('WORKING'),
        statusFrame('COMPLETED', 'In.'),
      );
    const task = await stage.client.submit('start', undefined, onScript);
    await stage.client.until(task.id, 'AUTH_REQUIRED');
    granted.give();
    await stage.client.until(task.id, 'COMPLETED');
    expect(await lifecycle(task.id)).toEqual([
      'task.submitted',
      'task.started',
      'task.auth_required',
      'task.status_changed',
      'task.completed',
    ]);
    expect(await kindsOf(task.id)).not.toContain('user.input_submitted');
  });

  it('[S9-04] an interrupt reaches the same upstream task while it works', async () => {
    answers(
      () => stream(taskFrame('WORKING'), { hang: true }),
      () => stream(taskFrame('WORKING'), statusFrame('COMPLETED', 'Changed.')),
    );
    const before = sentTo('scripted').length;
    const task = await stage.client.submit('start', undefined, onScript);
    await expect.poll(() => kindsOf(task.id)).toContain('vendor.harn_gateway.upstream_bound');
    const said = await say(task.id, 'interrupt', 'do it otherwise');
    expect(said.status).toBe(201);
    await stage.client.until(task.id, 'COMPLETED');
    const [, interrupt] = sentTo('scripted').slice(before);
    expect(interrupt).toMatchObject({ taskId: 'r1', contextId: 'c1', messageId: said.body['id'] });
    const submitted = (await stage.client.events(`/v1/tasks/${task.id}/events`)).find(
      ({ event }) => event === 'user.input_submitted',
    );
    expect(submitted?.payload).toEqual({ kind: 'interrupt', message_id: said.body['id'] });
    expect(await lifecycle(task.id)).toEqual(['task.submitted', 'task.started', 'task.completed']);
  });

  it('[CORE-LIFE-02] [C4] what a state does not take is 400 invalid_state_transition with that state', async () => {
    const refused = async (task: string, kind: string, status: string) => {
      const answer = await say(task, kind);
      expect([kind, answer.status]).toEqual([kind, 400]);
      expect(answer.body).toMatchObject({
        error: {
          code: 'invalid_state_transition',
          type: 'request_error',
          param: 'kind',
          details: { status },
        },
      });
    };
    const { id } = await stage.client.session();
    const working = await stage.client.submit('slow 60', id);
    const queued = await stage.client.submit('x', id);
    const asking = await stage.client.submit('ask');
    const done = await stage.client.submit('hello');
    const failed = await stage.client.submit('fail');
    await stage.client.until(asking.id, 'INPUT_REQUIRED');
    await stage.client.until(done.id, 'COMPLETED');
    await stage.client.until(failed.id, 'FAILED');
    await refused(working.id, 'input', 'WORKING');
    await refused(queued.id, 'input', 'SUBMITTED');
    await refused(queued.id, 'interrupt', 'SUBMITTED');
    await refused(asking.id, 'interrupt', 'INPUT_REQUIRED');
    await stage.client.post(`/v1/sessions/${id}/close`);
    const ended = { [done.id]: 'COMPLETED', [failed.id]: 'FAILED', [working.id]: 'CANCELED' };
    for (const [task, status] of Object.entries(ended)) {
      for (const kind of ['input', 'interrupt', 'tool_confirmation']) await refused(task, kind, status);
    }
  });
});
