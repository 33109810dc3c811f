import { describe, expect, it } from 'vitest';
import { idsIn, tasksOfSession } from '#core/list-page.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { addSessionTask } from '#resources/session/fold.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { FoldedRows } from '../../../harness/folded-rows.ts';

const ID = 'session_1';
const idOf = (n: number) => `task_${String(n).padStart(26, '0')}`;

/** A session that got Tasks with ids of these numbers, in this order. */
function sessionOf(numbers: readonly number[]) {
  const states = new FoldedRows();
  const { rows, markers } = states;
  let reads = 0;
  const session = { resource: { id: ID }, internal: {} } as SessionFold;
  for (const n of numbers) addSessionTask(states, session, idOf(n));
  rows.set(sessionKeys.session(ID), session);
  const log: Pick<EventLog, 'indexKeys' | 'state'> = {
    state: <S extends object>(key: string) => {
      reads += 1;
      return states.get<S>(key);
    },
    indexKeys: async ({ gt = '', lt = '', reverse = false, limit }) => {
      const keys = [...markers].filter((key) => key > gt && key < lt).sort();
      return (reverse ? keys.reverse() : keys).slice(0, limit);
    },
  };
  return {
    rows: rows.size - 1 + markers.size,
    markers,
    readsOf: async (list: () => Promise<unknown>) => {
      reads = 0;
      await list();
      return reads;
    },
    ids: (range: { gt?: number; lt?: number; reverse?: boolean; limit?: number }) =>
      idsIn(log, tasksOfSession(log, ID), {
        limit: 100_000,
        ...(range.reverse === undefined ? {} : { reverse: range.reverse }),
        ...(range.gt === undefined ? {} : { gt: idOf(range.gt) }),
        ...(range.lt === undefined ? {} : { lt: idOf(range.lt) }),
        ...(range.limit === undefined ? {} : { limit: range.limit }),
      }),
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('the tasks of a session', () => {
  it('are listed in few rows, in the order of their ids, from either end', async () => {
    const { ids, rows } = sessionOf(upTo(100));
    expect(rows).toBe(7);
    expect(await ids({})).toEqual(upTo(100).map(idOf));
    expect(await ids({ reverse: true, limit: 2 })).toEqual([idOf(100), idOf(99)]);
    expect(await ids({ gt: 16, limit: 2 })).toEqual([idOf(17), idOf(18)]);
    expect(await ids({ lt: 17, reverse: true, limit: 2 })).toEqual([idOf(16), idOf(15)]);
    expect(await ids({ gt: 3, lt: 6 })).toEqual([idOf(4), idOf(5)]);
    expect(await ids({ gt: 100 })).toEqual([]);
    expect(await ids({ lt: 1, reverse: true })).toEqual([]);
  });

  it('stay in the order of their ids when one comes late, as the id of a replay does', async () => {
    const numbers = [10, 20, 30, 15, 40, 5, 35];
    const sorted = [5, 10, 15, 20, 30, 35, 40].map(idOf);
    const { ids, markers } = sessionOf(numbers);
    expect([...markers].sort()).toEqual([5, 15, 35].map((n) => `l/task/s/${ID}/${idOf(n)}`));
    expect(await ids({})).toEqual(sorted);
    expect(await ids({ reverse: true })).toEqual([...sorted].reverse());
    const paged: string[] = [];
    for (let last: number | undefined; ; ) {
      const [next] = await ids({ reverse: true, limit: 1, ...(last === undefined ? {} : { lt: last }) });
      if (next === undefined) break;
      paged.push(next);
      last = Number(next.slice('task_'.length));
    }
    expect(paged).toEqual([...sorted].reverse());
  });

  it('cost a page of a long session little more than one of a short one', async () => {
    const pageOf = async (count: number) => {
      const { ids, readsOf } = sessionOf(upTo(count));
      return readsOf(() => ids({ lt: Math.floor(count / 2), reverse: true, limit: 20 }));
    };
    expect(await pageOf(10_000)).toBeLessThan((await pageOf(100)) + 10);
  });

  it('are none in a session that has none, or is not there', async () => {
    expect(await sessionOf([]).ids({})).toEqual([]);
  });
});
