import { describe, expect, it } from 'vitest';
import { operations, signal, stageHands } from '../harness/a2a-stage.ts';
import { statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { json, result, rpcError, stream } from '../harness/peers/script.ts';
import { textMessage } from '../harness/upstream-stage.ts';

const { stage } = stageHands();

describe('canceling', () => {
  const begun = { SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }) };

  async function running(script: Parameters<typeof stage>[0]) {
    // The only connection for turns is taken by the stream; a cancel must get through all the same.
    const staged = await stage({ ...begun, ...script }, { limits: { concurrency: 1 } });
    const caller = new AbortController();
    const run = staged.task.play(staged.task.turn('start', textMessage('hi')), caller.signal);
    await staged.task.saw(1);
    const finish = () => {
      caller.abort();
      return run;
    };
    return { ...staged, finish };
  }

  it('ends the task with what the agent answers', async () => {
    const { task: shown, finish } = await running({ CancelTask: result(task('CANCELED')) });
    await shown.cancel();
    expect(shown.past.status).toBe('CANCELED');
    await finish();
  });

  it('takes the end of a task that cannot be canceled any more', async () => {
    const { task: shown, finish } = await running({
      CancelTask: rpcError(-32002, 'Too late.'),
      GetTask: result(task('COMPLETED')),
    });
    await shown.cancel();
    expect(shown.past).toMatchObject({ status: 'COMPLETED', notes: ['cancel_refused'] });
    await finish();
  });

  it('does not fail the task when the agent does not answer', async () => {
    const { task: shown, finish } = await running({ CancelTask: json({}, 500) });
    await shown.cancel();
    expect(shown.past).toMatchObject({ status: 'WORKING', notes: ['cancel_failed'] });
    await finish();
  });

  it('is not sent for a task that the agent has not named', async () => {
    const { task: shown, peer } = await stage({});
    await shown.cancel();
    expect(operations(peer)).toEqual([]);
    expect(shown.frames).toEqual([]);
    expect(shown.past.status).toBe('WORKING');
  });
});

describe('a gateway that comes back', () => {
  it('follows a running task from its snapshot to its end', async () => {
    const gate = signal();
    const script = {
      SubscribeToTask: stream(taskFrame('WORKING'), { until: gate.given }, statusFrame('COMPLETED', 'there')),
    };
    const { task: shown, peer } = await stage(script);
    shown.past.binding = { task_id: 'r1', context_id: 'c1' };
    shown.past.sessionBinding = { context_id: 'c1' };
    void shown.saw(1).then(gate.give);
    await shown.reattach();
    expect(shown.past).toMatchObject({ status: 'COMPLETED', texts: ['there'] });
    expect(operations(peer)).toEqual(['SubscribeToTask']);
  });

  it('fails a task that the agent no longer knows', async () => {
    const { task: shown } = await stage({ SubscribeToTask: rpcError(-32001, 'Who?') });
    shown.past.binding = { task_id: 'r1' };
    await shown.reattach();
    expect(shown.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { a2a_error: 'TaskNotFound' },
    });
  });

  it('waits for an agent that restarts at the same time', async () => {
    const down = json({}, 503);
    const { task: shown, peer } = await stage({
      SubscribeToTask: [down, down, stream(taskFrame('COMPLETED'))],
    });
    shown.past.binding = { task_id: 'r1' };
    await shown.reattach();
    expect(shown.past.status).toBe('COMPLETED');
    expect(operations(peer)).toHaveLength(3);
  });
});
