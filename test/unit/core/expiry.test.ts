import { describe, expect, it } from 'vitest';
import { endExpired } from '#core/expiry.ts';
import type { DecisionTools } from '#core/facts.ts';
import type { EventLog, Transaction } from '#eventlog/event-log.ts';

const NOW = '2026-11-21T09:00:00.000Z';
const clock = { now: () => Date.parse(NOW), monotonic: () => 0 };

/** Ends what is in the list; the ids of each transaction. */
async function ended(keys: readonly string[], atOnce?: number): Promise<string[][]> {
  const transactions: string[][] = [];
  const log = {
    indexKeys: async ({ gt, lt, limit }: { gt: string; lt: string; limit: number }) =>
      keys.filter((key) => key > gt && key < lt).slice(0, limit),
    transact: async (_origin: object, work: (tx: Transaction) => void) => {
      transactions.push([]);
      work({} as Transaction);
    },
  } as unknown as EventLog;
  const end = (_tx: Transaction, _tools: DecisionTools, id: string) => transactions.at(-1)?.push(id);
  const expiry = { prefix: 'l/note-expiry/', end, ...(atOnce === undefined ? {} : { atOnce }) };
  const count = await endExpired(expiry, log, {} as DecisionTools, clock);
  expect(count).toBe(transactions.flat().length);
  return transactions;
}

describe('what has expired', () => {
  const list = ['2026-11-21T08:59:59.999Z/a', `${NOW}/b`, '2026-11-21T09:00:00.001Z/c'].map(
    (entry) => `l/note-expiry/${entry}`,
  );

  it('ends from its very time on, each in a transaction of its own', async () => {
    expect(await ended(list)).toEqual([['a'], ['b']]);
  });

  it('ends together where its room says so', async () => {
    expect(await ended(list, 2)).toEqual([['a', 'b']]);
  });
});
