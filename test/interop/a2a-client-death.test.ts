import { describe, expect, it } from 'vitest';
import { operations, signal, stageHands, WAITS } from '../harness/a2a-stage.ts';
import { artifactFrame, statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { startFaultProxy } from '../harness/peers/fault-proxy.ts';
import { json, rpcError, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { a2aUpstream, hastyTimers, TaskOnStage } from '../harness/upstream-stage.ts';

const { kept, stage } = stageHands();

describe('an agent that dies in the middle', () => {
  const begun = [taskFrame('WORKING'), artifactFrame('one ', false), statusFrame('WORKING', 'first')];

  it('is subscribed to again, and the snapshot adds only what is missing', async () => {
    const snapshot = taskFrame('WORKING', {
      artifacts: [{ artifactId: 'a1', parts: [{ text: 'one ' }, { text: 'two ' }] }],
      history: [
        { messageId: 'message-hi', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
        { messageId: 'm-first', role: 'ROLE_AGENT', parts: [{ text: 'first' }] },
        { messageId: 'm-second', role: 'ROLE_AGENT', parts: [{ text: 'second' }] },
      ],
    });
    const gate = signal();
    const { task, peer } = await stage({
      SendStreamingMessage: stream(...begun, { until: gate.given }, { reset: true }),
      SubscribeToTask: stream(
        snapshot,
        artifactFrame('three', true, true),
        statusFrame('COMPLETED', 'third'),
      ),
    });
    void task.saw(3).then(gate.give);
    await task.start('hi');
    expect(task.past).toMatchObject({ status: 'COMPLETED', texts: ['first', 'second', 'third'], notes: [] });
    expect(task.past.textOf('a1')).toBe('one two three');
    expect(operations(peer)).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });

  it.each([
    ['refuses to be subscribed to', rpcError(-32004, 'No.')],
    ['subscribes without a snapshot', stream(artifactFrame('x', true), { hang: true })],
    ['ends the subscription at once', stream(taskFrame('WORKING'))],
  ])('is polled when it %s', async (_how, subscription) => {
    const finished = task('COMPLETED', {
      artifacts: [{ artifactId: 'a1', parts: [{ text: 'one ' }, { text: 'two' }] }],
    });
    const { task: shown, peer } = await stage({
      SendStreamingMessage: stream(...begun),
      SubscribeToTask: subscription,
      GetTask: [
        json({ jsonrpc: '2.0', id: null, result: task('WORKING') }),
        json({ jsonrpc: '2.0', id: null, result: finished }),
      ],
    });
    await shown.start('hi');
    expect(shown.past.status).toBe('COMPLETED');
    expect(shown.past.textOf('a1')).toBe('one two');
    expect(peer.requests.filter(({ operation }) => operation === 'GetTask')).toHaveLength(2);
  });

  it('and stays away is upstream_unavailable after a bounded number of attempts, its work kept', async () => {
    const proxy = kept(await startFaultProxy());
    const death = signal();
    const script = { SendStreamingMessage: stream(...begun, { until: death.given }, { reset: true }) };
    const peer = kept(await startScriptedAgent(script, { publicUrl: proxy.url }));
    proxy.forwardTo(peer.url);
    const upstream = kept(
      a2aUpstream(
        { card: `${proxy.url}/.well-known/agent-card.json` },
        { timers: hastyTimers(...WAITS.reconnect) },
      ),
    );
    const shown = new TaskOnStage(upstream);
    const running = shown.start('hi');
    await shown.saw(3);
    await proxy.set({ kind: 'refuse' });
    death.give();
    await running;
    expect(shown.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'refused' },
    });
    expect(shown.past.textOf('a1')).toBe('one ');
  });

  it('before it named its task fails at once: nothing is sent twice', async () => {
    const { task, peer } = await stage({ SendStreamingMessage: stream({ reset: true }) });
    await task.start('hi');
    expect(task.past.failure).toMatchObject({ code: 'upstream_unavailable', details: { reason: 'lost' } });
    expect(peer.requests.filter(({ operation }) => operation === 'SendStreamingMessage')).toHaveLength(1);
  });

  it('and forgets the task is upstream_unavailable', async () => {
    const { task } = await stage({
      SendStreamingMessage: stream(...begun),
      SubscribeToTask: rpcError(-32001, 'Who?'),
    });
    await task.start('hi');
    expect(task.past.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { a2a_error: 'TaskNotFound' },
    });
  });
});
