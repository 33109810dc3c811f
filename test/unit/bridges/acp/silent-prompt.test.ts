import { expect, it } from 'vitest';
import type { Frame } from '#protocol-client.ts';
import { PromptTurn } from '../../../../bridges/acp/client/prompt-turn.ts';
import { queuedFrames } from '../../../../bridges/wire/turn.ts';
import { handTimers } from '../../../harness/hand-timers.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a prompt that falls silent keeps what the agent had said, is cancelled, and waits for nothing more', async () => {
  let cancels = 0;
  const prompt = new PromptTurn({
    taskId: 'task_1',
    maxBytes: 1_000,
    sendCancel: () => {
      cancels += 1;
    },
    host: () => undefined,
    judge: () => undefined,
    remembers: () => false,
    heardCalls: new Set(),
  });
  const content = { type: 'text', text: 'half an answer' };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  prompt.update({ method: 'session/update', params: { sessionId: 's', update } }, 100, []);
  const timers = handTimers();
  const limits = { timers, idleMs: 10, totalMs: 100 };
  const frames: Frame[] = [];
  const reading = (async () => {
    for await (const frame of queuedFrames(prompt, new AbortController().signal, limits)) frames.push(frame);
  })();
  const pass = async (ms: number) => {
    await settled();
    for (const waiting of timers.waiting.values()) if (waiting.ms === ms) waiting.run();
    await settled();
  };
  await pass(2); // Frames are gathered for so long.
  await pass(10);
  await reading;
  expect(frames.map((frame) => (frame.kind === 'message' ? frame.body : frame))).toMatchObject([
    { op: 'update' },
    { op: 'said', blocks: [content] },
    { kind: 'fault', code: 'deadline_exceeded', details: { timeout: 'idle' } },
  ]);
  expect(cancels).toBe(1);
  expect(prompt.frames.isClosed).toBe(true);
});
