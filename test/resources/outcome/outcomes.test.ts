import { describe, expect, it } from 'vitest';
import type { Outcome } from '#resources/outcome/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Answer, rpcError, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

describe('outcomes', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({ agents: { scripted: () => startScriptedAgent(script) } });
  const ended = async (text: string, route?: string) => {
    const task = await stage.client.submit(text, undefined, route === undefined ? undefined : { route });
    return stage.client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
  };

  it.each([
    ['hello', 'COMPLETED', 'SUCCEEDED', 'Hello, I am the sample agent.'],
    ['stream 2', 'COMPLETED', 'SUCCEEDED', 'Streaming 2 chunks.'],
    ['refuse', 'FAILED', 'FAILED', 'I do not take this task.'],
    ['fail', 'FAILED', 'FAILED', 'It failed, as you asked.'],
  ] as const)(
    '[C13] [CORE-RES-13] "%s" ends %s with one outcome %s',
    async (text, status, outcome, summary) => {
      const task = await ended(text);
      expect(task.status).toBe(status);
      const { data } = await stage.client.get<{ data: Outcome[] }>(`/v1/outcomes?task_id=${task.id}`);
      expect(data.length).toBe(1);
      expect(data[0]).toMatchObject({
        id: task.outcome_id,
        object: 'outcome',
        task_id: task.id,
        status: outcome,
      });
      expect(data[0]?.summary).toContain(summary);
      expect(data[0]?.failure).toEqual(task.failure);
      expect(await stage.client.get(`/v1/outcomes/${task.outcome_id}`)).toEqual(data[0]);
    },
  );

  it('an outcome holds what the agent said and made', async () => {
    const task = await ended('stream 3');
    const outcome = await stage.client.get<Outcome>(`/v1/outcomes/${task.outcome_id}`);
    expect(outcome.messages.map(({ role }) => role)).toEqual(['agent']);
    const { data } = await stage.client.get<{ data: object[] }>(`/v1/artifacts?task_id=${task.id}`);
    expect(outcome.artifacts).toEqual(data);
    expect(data.length).toBe(1);
  });

  it('[CORE-ERR-03] a refusal of the agent is a failed task with code rejected, seen in task and span events', async () => {
    const task = await ended('refuse');
    expect(task.failure).toMatchObject({ code: 'rejected', message: 'I do not take this task.' });
    const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
    const kinds = events.map(({ event }) => event);
    expect(kinds).toContain('task.failed');
    expect(kinds).toContain('span.failed');
    expect(events.find(({ event }) => event === 'task.failed')?.payload['failure']).toEqual(task.failure);
  });

  it.each<[string, Answer, object]>([
    ['an error of the protocol', rpcError(-32603, 'Broken inside.'), { type: 'upstream_error' }],
    ['a stream without an end', () => stream(taskFrame('WORKING')), { code: 'upstream_unavailable' }],
    ['an HTTP 500', { status: 500, actions: [{ send: 'oops' }] }, { code: 'upstream_unavailable' }],
    ['a broken connection', () => ({ actions: [{ reset: true }] }), { code: 'upstream_unavailable' }],
  ])('[CORE-ERR-03] %s from the agent ends as a failure, not as silence', async (_why, answer, failure) => {
    script['SendStreamingMessage'] = answer;
    script['SendMessage'] = answer;
    script['GetTask'] = rpcError(-32001, 'Gone.');
    script['SubscribeToTask'] = rpcError(-32001, 'Gone.');
    const task = await ended('x', 'a2a:scripted');
    expect(task.status).toBe('FAILED');
    expect(task.failure).toMatchObject(failure);
    expect(task.outcome_id).not.toBeNull();
  });

  it('[CORE-VER-05] a state the gateway does not know never completes a task', async () => {
    script['SendStreamingMessage'] = () => stream(taskFrame('WORKING'), statusFrame('TRIUMPHANT', 'Ta-da.'));
    script['SubscribeToTask'] = rpcError(-32001, 'Gone.');
    script['GetTask'] = rpcError(-32001, 'Gone.');
    const task = await ended('x', 'a2a:scripted');
    expect(task.status).toBe('FAILED');
    expect(JSON.stringify(task.metadata)).toContain('TASK_STATE_TRIUMPHANT');
  });
});
