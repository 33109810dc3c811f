import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent, Projection } from '#eventlog/event-log.ts';
import { resourceKey } from '#store/keys.ts';
import { LogDirectory, NOBODY, noted } from './log-harness.ts';

interface Counted {
  resource: { count: number };
  internal: { notes: string[] };
}

const KEY = resourceKey('task', 't1');

/** Counts in place, and remembers which objects it was given to change. */
function counting(drafts: object[]): Projection {
  return (event, states) => {
    const draft = states.draft<Counted>(KEY);
    if (draft === undefined) {
      states.set(KEY, { resource: { count: 1 }, internal: { notes: [] } } satisfies Counted);
      return;
    }
    drafts.push(draft);
    draft.resource.count += 1;
    draft.internal.notes = [...draft.internal.notes, String(event.payload['note'])];
  };
}

const said = (...notes: string[]): NewEvent[] => notes.map((note) => noted('t1', note));

describe('a state that a transaction changes in place', () => {
  let directory: LogDirectory;
  let drafts: object[];
  const open = () => {
    drafts = [];
    return directory.open({ projection: counting(drafts) });
  };
  beforeEach(() => {
    directory = new LogDirectory();
  });
  afterEach(() => directory.remove());

  it('is copied once, however much the transaction changes', async () => {
    const log = await open();
    await log.transact(NOBODY, (tx) => said('first').map((event) => tx.append(event)));
    await log.transact(NOBODY, (tx) => said('a', 'b', 'c').map((event) => tx.append(event)));
    expect(drafts.length).toBe(3);
    expect(new Set(drafts).size).toBe(1);
    expect(log.state<Counted>(KEY)).toEqual({ resource: { count: 4 }, internal: { notes: ['a', 'b', 'c'] } });
    await log.close();
  });

  it('leaves alone what earlier transactions and readers hold, durable or not', async () => {
    const log = await open();
    const held: Counted[] = [];
    const hold = (state: Counted | undefined) => {
      if (state !== undefined) held.push(state);
    };
    const writes = ['first', 'a', 'b'].map((note) =>
      log.transact(NOBODY, (tx) => {
        for (const event of said(note)) tx.append(event);
        hold(tx.get<Counted>(KEY));
      }),
    );
    await Promise.all(writes);
    hold(log.state<Counted>(KEY));
    await log.transact(NOBODY, (tx) => said('c', 'd').map((event) => tx.append(event)));
    expect(held.map(({ resource, internal }) => [resource.count, internal.notes])).toEqual([
      [1, []],
      [2, ['a']],
      [3, ['a', 'b']],
      [3, ['a', 'b']],
    ]);
    await log.close();
  });

  it('leaves alone what a decision has read, whatever it appends afterwards', async () => {
    const log = await open();
    const read = await log.transact(NOBODY, (tx) => {
      const seen: (Counted | undefined)[] = [];
      for (const event of said('first', 'a', 'b', 'c')) {
        tx.append(event);
        seen.push(tx.get<Counted>(KEY));
      }
      return seen;
    });
    expect(read.map((state) => state?.resource.count)).toEqual([1, 2, 3, 4]);
    expect(read.map((state) => state?.internal.notes.length)).toEqual([0, 1, 2, 3]);
    await log.close();
  });

  it('is as it was when the transaction fails', async () => {
    const log = await open();
    await log.transact(NOBODY, (tx) => said('first').map((event) => tx.append(event)));
    const failing = log.transact(NOBODY, (tx) => {
      for (const event of said('a', 'b')) tx.append(event);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await log.transact(NOBODY, (tx) => said('c').map((event) => tx.append(event)));
    expect(log.state<Counted>(KEY)).toEqual({ resource: { count: 2 }, internal: { notes: ['c'] } });
    await log.close();
  });
});
