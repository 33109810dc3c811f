import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { idempotencyKey, resourceKey } from '#store/keys.ts';
import { FaultyStore, type StoreFault } from '../../harness/faulty-store.ts';
import {
  append,
  findingsOf,
  LogDirectory,
  NOBODY,
  noted,
  type Tally,
  until,
  WRITES_AT_START,
} from './log-harness.ts';

const SECOND_COMMIT = WRITES_AT_START + 2;

describe('a log whose store fails to write', () => {
  let directory: LogDirectory;
  beforeEach(() => {
    directory = new LogDirectory();
  });
  afterEach(() => directory.remove());

  async function openFaulty(fault: StoreFault): Promise<{ log: EventLog; store: FaultyStore }> {
    const store = new FaultyStore(await directory.store(), fault);
    return { log: await directory.open({ store }), store };
  }
  /** Fires the reopen timers until the log serves again. */
  async function recovered(log: EventLog): Promise<void> {
    await until(() => {
      directory.timers.fire();
      return log.status === 'open';
    });
  }
  const unavailable = { status: 'rejected', reason: { code: 'service_unavailable' } };

  it('rejects everything that is not durable, and forgets what those transactions decided', async () => {
    const { log } = await openFaulty({ call: 'write', nth: SECOND_COMMIT, write: 'lost' });
    await append(log, noted('t1', 'acked'));
    const actions: string[] = [];
    const failing = log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'lost'));
      tx.afterCommit(() => void actions.push('ran'));
    });
    const staged = append(log, noted('t1', 'staged behind it'));
    expect(await Promise.allSettled([failing, staged])).toMatchObject([unavailable, unavailable]);
    expect(log.status).toBe('fenced');
    await expect(append(log, noted('t1', 'refused'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(log.state<Tally>(resourceKey('task', 't1'))?.note).toBe('acked');
    expect(actions).toEqual([]);
  });

  it('reopens by itself and goes on without a gap; nothing acknowledged is lost', async () => {
    const { log, store } = await openFaulty({ call: 'write', nth: SECOND_COMMIT, write: 'lost' });
    await append(log, noted('t1', 'acked'));
    await append(log, noted('t1', 'lost')).catch(() => undefined);
    let reopened = 0;
    log.onReopen(() => {
      reopened += 1;
    });
    await recovered(log);
    expect(await append(log, noted('t1', 'after'))).toEqual([eventIdOf(2)]);
    expect(reopened).toBe(1);
    expect(log.event(eventIdOf(2))?.event).toMatchObject({ sequence: 2, payload: { note: 'after' } });
    expect(await findingsOf(store)).toEqual([]);
  });

  it('finds the group again whose fsync failed although its bytes were written, and tells its events', async () => {
    const { log, store } = await openFaulty({ call: 'write', nth: SECOND_COMMIT, write: 'ghost' });
    await append(log, noted('t1', 'acked'));
    const told: string[] = [];
    log.tail((events) => void told.push(...events.map(({ event }) => event.id)));
    const ghost = log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'unknown'));
      tx.record(idempotencyKey('retry'), 'decided');
    });
    await expect(ghost).rejects.toMatchObject({ code: 'service_unavailable' });
    await recovered(log);
    const seen = await log.transact(NOBODY, (tx) => tx.recorded(idempotencyKey('retry'))?.toString());
    expect(seen).toBe('decided');
    expect(await append(log, noted('t1', 'after'))).toEqual([eventIdOf(3)]);
    expect(told).toEqual([eventIdOf(2), eventIdOf(3)]);
    expect(await findingsOf(store)).toEqual([]);
  });

  it('tries to reopen again, waiting longer each time', async () => {
    const store = new FaultyStore(await directory.store(), { call: 'write', nth: SECOND_COMMIT });
    const log = await directory.open({ store });
    await append(log, noted('t1', 'acked'));
    let refusals = 3;
    const { reopen } = store;
    store.reopen = async () => {
      refusals -= 1;
      if (refusals >= 0) throw new ProtocolError('service_unavailable', 'no room yet');
      await reopen.call(store);
    };
    await append(log, noted('t1', 'lost')).catch(() => undefined);
    const delays: number[] = [];
    await until(() => {
      delays.push(...directory.timers.delays.filter((ms) => ms !== 1_000));
      directory.timers.fire();
      return log.status === 'open';
    });
    expect(delays).toEqual([0, 100, 200, 400]);
    expect(await append(log, noted('t1', 'after'))).toEqual([eventIdOf(2)]);
  });

  it('is truncated, and takes nothing, when the store comes back with less than was acknowledged', async () => {
    const { log, store } = await openFaulty({ call: 'write', nth: SECOND_COMMIT + 1, write: 'lost' });
    await append(log, noted('t1', 'kept'));
    await append(log, noted('t1', 'acknowledged'));
    directory.timers.fire();
    await until(() => existsSync(directory.checkpointPath));
    const { reopen } = store;
    store.reopen = async () => {
      await reopen.call(store);
      const gone = ['c/0000000000000002', `e/${eventIdOf(2)}`];
      await store.write(gone.map((key) => ({ type: 'del', key })));
    };
    await append(log, noted('t1', 'lost')).catch(() => undefined);
    await recovered(log);
    expect(log.integrity).toMatchObject({
      status: 'truncated',
      expected: { commit: 2 },
      found: { commit: 1 },
    });
    await expect(append(log, noted('t1', 'x'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await log.range({ kind: 'all' }, eventIdOf(0), 10)).toHaveLength(1);
    directory.timers.fire();
    await log.close();
    expect((await directory.open()).integrity).toEqual(log.integrity);
  });

  it('can be closed while it is fenced', async () => {
    const { log } = await openFaulty({ call: 'write', nth: SECOND_COMMIT, write: 'lost' });
    await append(log, noted('t1', 'acked'));
    await append(log, noted('t1', 'lost')).catch(() => undefined);
    await log.close();
    expect(log.status).toBe('closed');
    const again = await directory.open();
    expect(again.integrity).toEqual({ status: 'ok' });
    expect(again.head.eventId).toBe(eventIdOf(1));
  });

  it('rejects a group whose state cannot be serialised, and goes on', async () => {
    const log = await directory.open({
      projection: (event, states) =>
        states.set(resourceKey('task', 't1'), event.payload['note'] === 'bad' ? { big: 1n } : { fine: true }),
    });
    await expect(append(log, noted('t1', 'bad'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await recovered(log);
    expect(await append(log, noted('t1', 'good'))).toEqual([eventIdOf(1)]);
  });
});
