import { describe, expect, it } from 'vitest';
import type { ProtocolClient } from '#protocol-client.ts';
import type { A2aClientConfig } from '../../bridges/a2a/index.ts';
import { keeper } from '../harness/keeper.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import { startHarnServeAgent } from '../harness/peers/harn-serve-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { a2aUpstream, TaskOnStage, textMessage } from '../harness/upstream-stage.ts';

const { kept } = keeper();

interface Stage {
  peer: Peer;
  upstream: ProtocolClient;
  task(): TaskOnStage;
}

async function stage(start: () => Promise<Peer>, config: Partial<A2aClientConfig> = {}): Promise<Stage> {
  const peer = await start();
  const upstream = a2aUpstream({ card: peer.cardUrl, ...config });
  kept(peer);
  kept(upstream);
  return { peer, upstream, task: () => new TaskOnStage(upstream) };
}

const PEERS: [string, () => Promise<Stage>][] = [
  ['1.3 over JSON-RPC 1.0', () => stage(startSampleAgent)],
  ['1.3 over HTTP+JSON 1.0', () => stage(startSampleAgent, { binding: 'HTTP+JSON' })],
  ['1.3 over JSON-RPC 0.3', () => stage(startSampleAgent, { protocol: '0.3' })],
  ['0.3.14 over JSON-RPC 0.3', () => stage(startAgent03)],
  ['0.3.14 over HTTP+JSON 0.3', () => stage(() => startAgent03({ binding: 'HTTP+JSON' }))],
  ['0.3.14 over gRPC 0.3', () => stage(() => startAgent03({ binding: 'GRPC' }))],
  ['1.3 over gRPC 1.0', () => stage(startGrpcAgent)],
];

describe.each(PEERS)('the sample agent on @a2a-js/sdk %s', (_name, prepare) => {
  it('completes a task with its artifact and keeps the remote ids', async () => {
    const { task, peer } = await prepare();
    const { past } = await task().start('The quick brown fox');
    expect(past.status).toBe('COMPLETED');
    expect([...past.artifacts.keys()]).toHaveLength(1);
    expect(past.binding).toMatchObject({ task_id: expect.any(String), context_id: expect.any(String) });
    expect(past.sessionBinding).toEqual({ context_id: past.binding?.['context_id'] });
    expect(peer.requests.at(-1)?.body).toContain('"messageId":"message-The quick brown fox"');
  });

  it('streams one artifact in chunks that are appended, the last one marked', async () => {
    const { task } = await prepare();
    const shown = await task().start('stream 3');
    expect(shown.past.status).toBe('COMPLETED');
    const [parts] = [...shown.past.artifacts.values()];
    expect(parts).toHaveLength(3);
    expect([...shown.past.closed]).toEqual([...shown.past.artifacts.keys()]);
    expect(shown.frames.length).toBeGreaterThan(4);
  });

  it('answers with a message alone as a completed task', async () => {
    const { task } = await prepare();
    const { past } = await task().start('hello');
    expect(past.states).toEqual(['COMPLETED']);
    expect(past.messages).toHaveLength(1);
    expect(past.metadata).toContainEqual({ a2a: { message_only: true } });
  });

  it.each([
    ['ask', 'INPUT_REQUIRED'],
    ['login', 'AUTH_REQUIRED'],
  ])('waits after %s in %s and goes on with the next message in the same task', async (word, state) => {
    const { task, upstream } = await prepare();
    const shown = task();
    const first = upstream.run(shown.turn('start', textMessage(word)), new AbortController().signal);
    for await (const frame of first) {
      shown.see(frame);
      if (shown.past.status === state) break;
    }
    expect(shown.past.states.at(-1)).toBe(state);
    const remote = shown.past.binding;
    await shown.continue('blue');
    expect(shown.past.status).toBe('COMPLETED');
    expect(shown.past.binding).toEqual(remote);
  });

  it('keeps a file as bytes and structured data as JSON', async () => {
    const { task } = await prepare();
    const { past } = await task().start('file');
    const types = [...past.artifacts.values()].flat().map((part) => part.type);
    expect(types).toContain('bytes');
    expect(types).toContain('json');
  });

  it('fails a rejected task with the code rejected and a failed one with the reason of the agent', async () => {
    const { task } = await prepare();
    expect((await task().start('refuse')).past.failure).toMatchObject({
      code: 'rejected',
      type: 'upstream_error',
      details: { a2a_state: 'TASK_STATE_REJECTED' },
    });
    const { past } = await task().start('fail');
    expect(past.status).toBe('FAILED');
    expect(past.failure?.message).toBe(past.texts.at(-1));
  });

  it('cancels slow work', async () => {
    const { task, upstream } = await prepare();
    const shown = task();
    const frames = upstream.run(shown.turn('start', textMessage('slow 60')), new AbortController().signal);
    let isCanceling = false;
    for await (const frame of frames) {
      shown.see(frame);
      if (shown.past.binding === undefined || isCanceling) continue;
      isCanceling = true;
      await shown.cancel();
    }
    expect(shown.past.states.at(-1)).toBe('CANCELED');
  });

  it('takes up a running task by its remote id after a restart', async () => {
    const { task, upstream } = await prepare();
    const before = task();
    const frames = upstream.run(
      before.turn('start', textMessage('stream 4 100')),
      new AbortController().signal,
    );
    for await (const frame of frames) {
      before.see(frame);
      if (before.past.artifacts.size > 0) break;
    }
    await before.reattach();
    expect(before.past.status).toBe('COMPLETED');
    expect([...before.past.artifacts.values()][0]).toHaveLength(4);
  });

  it('sends the second task of a session in the context of the first', async () => {
    const { task } = await prepare();
    const first = await task().start('one');
    const second = task();
    second.past.sessionBinding = first.past.sessionBinding;
    await second.start('two');
    expect(second.past.binding?.['context_id']).toBe(first.past.binding?.['context_id']);
    expect(second.past.notes).not.toContain('context_changed');
  });
});

describe.each(['type', 'member'] as const)('the dialect of harn serve, frames told apart by %s', (frames) => {
  const prepare = () => stage(() => startHarnServeAgent({ frames }));

  it('completes, asks, fails and cancels', async () => {
    const { task, upstream } = await prepare();
    const done = (await task().start('hi')).past;
    expect(done).toMatchObject({ status: 'COMPLETED', texts: ['harn says: hi'], notes: [] });
    const asked = await task().start('ask');
    expect(asked.past).toMatchObject({ status: 'INPUT_REQUIRED', texts: ['Which one?'] });
    expect((await asked.continue('this')).past.status).toBe('COMPLETED');
    expect((await task().start('fail')).past.failure).toMatchObject({ message: 'It failed.' });
    const slow = task();
    for await (const frame of upstream.run(
      slow.turn('start', textMessage('slow')),
      new AbortController().signal,
    )) {
      slow.see(frame);
      if (slow.past.binding !== undefined) break;
    }
    expect((await slow.cancel()).past.status).toBe('CANCELED');
  });
});
