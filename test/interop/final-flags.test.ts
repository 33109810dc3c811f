import { describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { type Action, type Answer, json, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';

const task = (state: string) => ({ kind: 'task', id: 'r1', contextId: 'c1', status: { state } });
const status = (state: string, final?: boolean): Action => ({
  result: {
    kind: 'status-update',
    taskId: 'r1',
    contextId: 'c1',
    status: { state },
    ...(final === undefined ? {} : { final }),
  },
});

/** What a 0.3 agent streams, what it says when it is asked again, and how the task ends. */
const ROWS: [how: string, frames: Action[], asked: string, ends: string][] = [
  ['marks the end as final', [status('working', false), status('completed', true)], 'completed', 'COMPLETED'],
  ['never says final', [status('working'), status('completed')], 'completed', 'COMPLETED'],
  [
    'calls the end not final',
    [status('working', false), status('completed', false)],
    'completed',
    'COMPLETED',
  ],
  ['says final while it works, and has completed', [status('working', true)], 'completed', 'COMPLETED'],
  ['says final while it works, and has failed', [status('working', true)], 'failed', 'FAILED'],
  ['asks without final', [status('input-required', false)], 'input-required', 'INPUT_REQUIRED'],
  ['asks with final', [status('input-required', true)], 'input-required', 'INPUT_REQUIRED'],
  [
    'goes on after a final end',
    [status('completed', true), status('working', false)],
    'completed',
    'COMPLETED',
  ],
  ['ends its stream without a word', [], 'completed', 'COMPLETED'],
];

describe('a 0.3 agent that', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({ agents: { older: () => startScriptedAgent(script, { card: cards.v03 }) } });

  it.each(ROWS)('[CORE-LIFE-03] %s', async (_how, frames, asked, ends) => {
    script['message/stream'] = () => stream({ result: task('submitted') }, ...frames);
    script['tasks/resubscribe'] = ({ id }) =>
      json({ jsonrpc: '2.0', id, error: { code: -32004, message: 'No.' } });
    script['tasks/get'] = ({ id }) => json({ jsonrpc: '2.0', id, result: task(asked) });
    const { id } = await stage.client.submit('go', undefined, { route: 'a2a:older' });
    const reached = await stage.client.until(id, 'COMPLETED', 'FAILED', 'INPUT_REQUIRED');
    expect(reached.status).toBe(ends);
    const kinds = (await stage.client.events(`/v1/tasks/${id}/events`)).map(({ event }) => event);
    expect(kinds.filter((kind) => ['task.completed', 'task.failed'].includes(kind)).length).toBe(
      ends === 'INPUT_REQUIRED' ? 0 : 1,
    );
  });
});
