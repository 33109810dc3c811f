import { describe, expect, it } from 'vitest';
import { idOfSaid, saidUnder, withSaid } from '#resources/message/fold.ts';
import type { SaidMessage } from '#resources/message/state.ts';
import type { TaskState } from '#resources/task/state.ts';
import { FoldedRows } from '../../../harness/folded-rows.ts';

/** A Task whose agent says one thing after the other. */
function talk() {
  const states = new FoldedRows();
  const { rows } = states;
  let said: SaidMessage[] = [];
  const task = () => ({ resource: { id: 'task_1' }, internal: { said } }) as unknown as TaskState;
  return {
    rows,
    say: (id: string, upstreamId?: string) => {
      said = withSaid(states, task(), id, upstreamId);
    },
    shown: () => said.map(idOfSaid),
    under: (upstreamId: string) => saidUnder(states, task(), upstreamId),
  };
}

const times = (count: number, say: (n: number) => void) => {
  for (let n = 1; n <= count; n += 1) say(n);
};

describe('what the agent of a task said', () => {
  it('is found under the ids of the agent, with no row of its own while it is little', () => {
    const { say, under, rows } = talk();
    times(16, (n) => say(`message_${n}`, `said-${n}`));
    expect(under('said-1')).toBe('message_1');
    expect(under('said-16')).toBe('message_16');
    expect(under('said-17')).toBeUndefined();
    expect(rows.size).toBe(0);
  });

  it('is found however much was said since', () => {
    const { say, under, shown, rows } = talk();
    times(200, (n) => say(`message_${n}`, `said-${n}`));
    times(200, (n) => expect([n, under(`said-${n}`)]).toEqual([n, `message_${n}`]));
    expect(rows.size).toBe(184);
    expect(shown()).toEqual(Array.from({ length: 50 }, (_, at) => `message_${151 + at}`));
  });

  it('is the newest under an id that was used again, near or long ago', () => {
    const { say, under } = talk();
    say('message_first', 'again');
    say('message_second', 'again');
    expect(under('again')).toBe('message_second');
    times(40, (n) => say(`message_${n}`));
    expect(under('again')).toBe('message_second');
    say('message_third', 'again');
    expect(under('again')).toBe('message_third');
  });

  it('keeps messages without an id of the agent in their order', () => {
    const { say, shown, rows } = talk();
    times(20, (n) => say(`message_${n}`, n % 2 === 0 ? `said-${n}` : undefined));
    expect(shown()).toEqual(Array.from({ length: 20 }, (_, at) => `message_${at + 1}`));
    expect([...rows.keys()]).toEqual(['x/um/task_1/said-2', 'x/um/task_1/said-4']);
  });
});
