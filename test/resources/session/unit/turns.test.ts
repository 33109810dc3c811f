import { describe, expect, it } from 'vitest';
import { copyTurns, cutTurns, putTurn, turnAt } from '#resources/session/transcript/turns.ts';
import { FoldedRows } from '../../../harness/folded-rows.ts';

const turn = (at: number) => ({
  message_id: `message_${at}`,
  event_id: String(1_000 + at).padStart(20, '0'),
  events: at * 4,
  bytes: at * 54,
});

function transcript(count: number): FoldedRows {
  const rows = new FoldedRows();
  for (let at = 0; at < count; at += 1) putTurn(rows, 'session_1', at, turn(at));
  return rows;
}

const turnsOf = (rows: FoldedRows, session: string, count: number) =>
  Array.from({ length: count }, (_, at) => turnAt(rows, session, at));

describe('the turns of a transcript', () => {
  it('are told at their positions, sixteen of them in a row', () => {
    const rows = transcript(40);
    expect(turnsOf(rows, 'session_1', 41)).toEqual([
      ...Array.from({ length: 40 }, (_, at) => turn(at)),
      undefined,
    ]);
    expect([...rows.rows.keys()]).toEqual([0, 1, 2].map((block) => `x/turns/session_1/00000${block}`));
    expect(turnAt(rows, 'session_1', -1)).toBeUndefined();
    expect(turnAt(rows, 'session_2', 0)).toBeUndefined();
  });

  it('cost the same for the ten-thousandth as for the first sixteen', () => {
    const rows = transcript(10_000);
    const longest = (from: number, to: number) =>
      Math.max(...rows.written.slice(from, to).map((state) => JSON.stringify(state).length));
    expect(rows.written.length).toBe(10_000);
    expect(longest(9_984, 10_000)).toBeLessThan(longest(0, 16) * 1.5);
  });

  it.each([0, 1, 15, 16, 17, 31, 32, 39])('lose those behind the %ith, and go on there', (kept) => {
    const rows = transcript(40);
    const removed = cutTurns(rows, 'session_1', kept, 40);
    expect([...removed]).toEqual(Array.from({ length: 40 - kept }, (_, at) => `message_${kept + at}`));
    expect(turnsOf(rows, 'session_1', 40).filter((found) => found !== undefined).length).toBe(kept);
    const next = { ...turn(99), message_id: 'message_next' };
    putTurn(rows, 'session_1', kept, next);
    expect(turnAt(rows, 'session_1', kept)).toEqual(next);
    expect(turnAt(rows, 'session_1', kept + 1)).toBeUndefined();
    const one = transcript(kept);
    putTurn(one, 'session_1', kept, next);
    expect(rows.rows).toEqual(one.rows);
  });

  it.each([0, 1, 16, 20, 40])(
    'are copied up to the %ith for a fork, which no event of its own put there',
    (count) => {
      const rows = transcript(40);
      const last = copyTurns(rows, 'session_1', 'session_2', count);
      const copied = (at: number) => ({ ...turn(at), events: 0 });
      expect(last).toEqual(count === 0 ? undefined : copied(count - 1));
      expect(turnsOf(rows, 'session_2', 40)).toEqual(
        Array.from({ length: 40 }, (_, at) => (at < count ? copied(at) : undefined)),
      );
      putTurn(rows, 'session_2', count, turn(77));
      expect(turnsOf(rows, 'session_1', 40)).toEqual(Array.from({ length: 40 }, (_, at) => turn(at)));
    },
  );

  it('may begin in the middle, where the first ones are elsewhere', () => {
    const rows = new FoldedRows();
    putTurn(rows, 'session_1', 21, turn(21));
    expect(turnAt(rows, 'session_1', 21)).toEqual(turn(21));
    expect(turnAt(rows, 'session_1', 20)).toBeUndefined();
    expect([...cutTurns(rows, 'session_1', 10, 22)]).toEqual(['message_21']);
    expect(rows.rows.size).toBe(0);
  });
});
