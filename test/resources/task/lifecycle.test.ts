import { describe, expect, it } from 'vitest';
import { TASK_STATUSES, TASK_TRANSITIONS } from '#protocol/task-states.ts';
import { stageOf } from '../../conformance/stage.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

/** Copied by hand from the narrative. */
const MOVES = {
  SUBMITTED: ['WORKING', 'CANCELED', 'FAILED'],
  WORKING: ['INPUT_REQUIRED', 'AUTH_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED'],
  INPUT_REQUIRED: ['WORKING', 'FAILED', 'CANCELED'],
  AUTH_REQUIRED: ['WORKING', 'FAILED', 'CANCELED'],
  COMPLETED: [],
  FAILED: [],
  CANCELED: [],
} as const;
const KIND = {
  WORKING: ['task.started', 'task.status_changed'],
  INPUT_REQUIRED: ['task.input_required'],
  AUTH_REQUIRED: ['task.auth_required'],
  COMPLETED: ['task.completed'],
  FAILED: ['task.failed'],
  CANCELED: ['task.canceled'],
} as const;

describe('the lifecycle', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({ agents: { scripted: () => startScriptedAgent(script) } });

  it('[CORE-LIFE-03] the table is the one of the narrative', () => {
    expect(TASK_TRANSITIONS).toEqual(MOVES);
    expect([...TASK_STATUSES].sort()).toEqual(Object.keys(MOVES).sort());
  });

  it.each([
    ['COMPLETED at once', ['COMPLETED']],
    ['FAILED at once', ['FAILED']],
    ['INPUT_REQUIRED at once', ['INPUT_REQUIRED']],
    ['REJECTED while working', ['WORKING', 'REJECTED']],
    ['CANCELED by itself', ['WORKING', 'CANCELED']],
    ['WORKING three times', ['WORKING', 'WORKING', 'WORKING', 'COMPLETED']],
    ['back to SUBMITTED', ['WORKING', 'SUBMITTED', 'COMPLETED']],
    ['on after its end', ['WORKING', 'COMPLETED', 'WORKING', 'FAILED']],
    ['AUTH_REQUIRED, then COMPLETED', ['WORKING', 'AUTH_REQUIRED', 'COMPLETED']],
    ['AUTH_REQUIRED, then INPUT_REQUIRED', ['WORKING', 'AUTH_REQUIRED', 'INPUT_REQUIRED']],
  ])(
    '[CORE-LIFE-01] [CORE-LIFE-03] an agent that goes %s makes legal moves, each with its event',
    async (_how, states) => {
      const [first = '', ...later] = states;
      script['SendStreamingMessage'] = () =>
        stream(taskFrame(first), ...later.map((state) => statusFrame(state)));
      const { id } = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
      const task = await stage.client.until(id, 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED');
      const moves = (await stage.client.events(`/v1/tasks/${id}/events`)).filter(
        ({ event, payload }) => event.startsWith('task.') && 'previous_status' in payload,
      );
      let at: keyof typeof MOVES = 'SUBMITTED';
      for (const { event, payload } of moves) {
        const status = payload['status'] as keyof typeof KIND;
        expect(payload['previous_status']).toBe(at);
        expect(MOVES[at]).toContain(status);
        expect(KIND[status]).toContain(event);
        at = status;
      }
      expect(task.status).toBe(at);
      const last = [...states]
        .reverse()
        .find((state) => ['COMPLETED', 'FAILED', 'REJECTED', 'CANCELED', 'INPUT_REQUIRED'].includes(state));
      expect(states.includes('COMPLETED') ? 'COMPLETED' : last?.replace('REJECTED', 'FAILED')).toBe(at);
    },
  );

  it('[CORE-LIFE-01] a step the agent skipped is told as made up', async () => {
    script['SendStreamingMessage'] = () =>
      stream(taskFrame('WORKING'), statusFrame('AUTH_REQUIRED'), statusFrame('COMPLETED'));
    const { id } = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    await stage.client.until(id, 'COMPLETED');
    const events = await stage.client.events(`/v1/tasks/${id}/events`);
    const made = events.filter(({ payload }) => payload['synthesized'] === true).map(({ event }) => event);
    expect(made).toEqual(['task.status_changed']);
  });

  it('[C24] no poller sees a task jump: every answer of a fast task is a legal next state', async () => {
    const seen: string[] = [];
    const task = await stage.client.submit('hello');
    seen.push(task.status);
    while (seen.at(-1) !== 'COMPLETED') {
      const { status } = await stage.client.get<{ status: string }>(`/v1/tasks/${task.id}`);
      if (status !== seen.at(-1)) seen.push(status);
    }
    expect(seen).toEqual(['WORKING', 'COMPLETED']);
  });
});
