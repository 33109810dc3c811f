import { describe, expect, it } from 'vitest';
import { eventIdOf } from '#protocol/ports.ts';
import { FaultyStore, type StoreCall } from '../harness/faulty-store.ts';
import { append, findingsOf, LogDirectory, noted, until } from '../unit/eventlog/log-harness.ts';

/** The first write of a new log is its schema record. */
const SECOND_COMMIT = 3;

describe('a log whose store fails at any call', () => {
  const calls: StoreCall[] = ['write', 'get', 'getMany', 'entries', 'keys', 'reopen'];
  it.each(calls)('keeps every acknowledged event whichever %s call fails', async (call) => {
    let reached = 0;
    for (let nth = 1; ; nth += 1) {
      const round = new LogDirectory();
      const [write, other] = nth % 2 === 0 ? (['ghost', 'lost'] as const) : (['lost', 'ghost'] as const);
      // The inner fault makes every story go through a reopen.
      const fenced = new FaultyStore(await round.store(), {
        call: 'write',
        nth: SECOND_COMMIT,
        write: other,
      });
      const store = new FaultyStore(fenced, { call, nth, write });
      const acked = await story(round, store);
      const log = await round.open();
      expect(log.integrity).toEqual({ status: 'ok' });
      for (const id of acked) expect(log.event(id)?.event.id).toBe(id);
      await log.close();
      const check = await round.store();
      expect(await findingsOf(check)).toEqual([]);
      await round.remove();
      if (!store.happened) break;
      reached = nth;
    }
    expect(reached).toBeGreaterThan(0);
  });

  /** Opens, appends in three turns with a forced reopen between, closes. Returns the acknowledged ids. */
  async function story(round: LogDirectory, store: FaultyStore): Promise<string[]> {
    const acked: string[] = [];
    const log = await round.open({ store }).catch(() => undefined);
    for (let turn = 0; turn < 3 && log !== undefined; turn += 1) {
      const answers = await Promise.allSettled([
        append(log, noted(`t${turn}`, 'a', { session_id: 's' })),
        append(log, noted('t0', 'b'), noted('t1', 'c')),
      ]);
      for (const answer of answers) if (answer.status === 'fulfilled') acked.push(...answer.value);
      await until(() => {
        round.timers.fire();
        return log.status === 'open';
      });
    }
    await log?.range({ kind: 'session', id: 's' }, eventIdOf(0), 10).catch(() => []);
    await (log ?? store).close().catch(() => undefined);
    await store.close();
    return acked;
  }
});
