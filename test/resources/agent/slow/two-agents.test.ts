import { describe, expect, it } from 'vitest';
import { BEHAVIOURS } from '../../../../config/sample-agent/behaviours.ts';
import { stageOf } from '../../../conformance/stage.ts';
import { startAgent03 } from '../../../harness/peers/agent-03.ts';
import { comparable, play, type Story } from '../../../interop/same-story.ts';

const STORIES: readonly (Story & { ends: string })[] = [
  { title: 'any text', turns: ['The quick brown fox'], ends: 'task.completed' },
  { title: 'a greeting without a task', turns: ['hello'], ends: 'task.completed' },
  { title: 'one chunk', turns: ['stream 1'], ends: 'task.completed' },
  { title: 'many chunks', turns: ['stream 25'], ends: 'task.completed' },
  { title: 'a file and data', turns: ['file'], ends: 'task.completed' },
  { title: 'a question', turns: ['ask', 'blue'], ends: 'task.completed' },
  { title: 'a sign-in', turns: ['login', 'done'], ends: 'task.completed' },
  { title: 'slow work', turns: ['slow 0.1'], ends: 'task.completed' },
  { title: 'slow work that is canceled', turns: ['slow 60'], isCanceled: true, ends: 'task.canceled' },
  { title: 'a refusal', turns: ['refuse'], ends: 'task.failed' },
  { title: 'a failure', turns: ['fail'], ends: 'task.failed' },
];

describe('two A2A agents behind one gateway, @a2a-js/sdk 1.3 and 0.3.14', () => {
  const stage = stageOf({ agents: { older: startAgent03 } });

  it('tells every behaviour of the sample agent', () => {
    const told = STORIES.map(({ turns }) => turns[0]?.split(' ')[0]);
    expect(Object.keys(BEHAVIOURS).filter((word) => !told.includes(word))).toEqual([]);
  });

  it.each(STORIES)('[S9-07] $title gives the same log at both', async (story) => {
    const [newer, older] = await Promise.all([
      play(stage.client, 'a2a:sample', story),
      play(stage.client, 'a2a:older', story),
    ]);
    expect(newer.map(({ event }) => event)).toContain(story.ends);
    expect(comparable(older, 'a2a:older')).toEqual(comparable(newer, 'a2a:sample'));
  });

  it('[CORE-RES-11] both give the same artifacts, to the byte', async () => {
    const contents = await Promise.all(
      ['a2a:sample', 'a2a:older'].map(async (route) => {
        const task = await stage.client.submit('stream 25', undefined, { route });
        const { outcome_id } = await stage.client.until(task.id, 'COMPLETED');
        const outcome = await stage.client.get<{ artifacts: { id: string; sha256: string }[] }>(
          `/v1/outcomes/${outcome_id}`,
        );
        const [artifact] = outcome.artifacts;
        const { text } = await stage.client.call('GET', `/v1/artifacts/${artifact?.id}/content`);
        return { sha256: artifact?.sha256, text };
      }),
    );
    expect(contents[0]?.text).toContain('chunk 25 of 25');
    expect(contents[1]).toEqual(contents[0]);
  });

  it('each agent is spoken to in its own version', async () => {
    expect((await stage.peer('sample').arrived('SendStreamingMessage')).headers['a2a-version']).toBe('1.0');
    await stage.peer('older').arrived('message/stream');
  });
});
