import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog, NewEvent, StoredEvent } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { idempotencyKey, listKey, resourceKey } from '#store/keys.ts';
import { FaultyStore } from '../../harness/faulty-store.ts';
import { append, LogDirectory, NOBODY, noted, START_MS, type Tally } from './log-harness.ts';

const state = (log: EventLog, id: string) => log.state<Tally>(resourceKey('task', id));
const lists = { gte: 'l/', lt: 'l0', limit: 100 };

describe('transact', () => {
  let directory: LogDirectory;
  beforeEach(() => {
    directory = new LogDirectory();
  });
  afterEach(() => directory.remove());

  it('numbers events from 1 over the log, and per resource with a link to the one before', async () => {
    const log = await directory.open();
    await append(log, noted('t1', 'a'), noted('t2', 'b'), noted('t1', 'c'));
    const events = await log.range({ kind: 'all' }, eventIdOf(0), 10);
    const parsed = events.map((bytes) => JSON.parse(bytes.toString()));
    expect(parsed.map(({ id, sequence, previous_event_id }) => [id, sequence, previous_event_id])).toEqual([
      ['00000000000000000001', 1, null],
      ['00000000000000000002', 1, null],
      ['00000000000000000003', 2, '00000000000000000001'],
    ]);
  });

  it('stores the envelope in RFC 8785 order, all members present', async () => {
    const log = await directory.open();
    const origin = { actor: 'user:a', traceId: 't'.repeat(32), spanId: 's'.repeat(16) };
    await log.transact(origin, (tx) =>
      tx.append({
        event: 'task.started',
        resource: { object: 'task', id: 't1' },
        workspace_id: 'w',
        session_id: 's',
        task_id: 't1',
        payload: fromLog({ a: 'é\n\u2028"', b: [1, null] }),
        metadata: { k: true },
      }),
    );
    const bytes = log.event('00000000000000000001')?.bytes.toString() ?? '';
    expect(bytes).toBe(canonicalJson(JSON.parse(bytes)));
    expect(Object.keys(JSON.parse(bytes))).toEqual([
      ...['actor', 'created_at', 'event', 'id', 'metadata', 'object', 'payload', 'previous_event_id'],
      ...[
        'resource',
        'sequence',
        'session_id',
        'span_id',
        'task_id',
        'trace_id',
        'updated_at',
        'workspace_id',
      ],
    ]);
  });

  it('leaves nothing behind when the decision throws', async () => {
    const log = await directory.open();
    const failing = log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'lost'));
      tx.record(idempotencyKey('a'), 'lost');
      throw new Error('decided against');
    });
    await expect(failing).rejects.toThrow('decided against');
    expect(await append(log, noted('t2', 'kept'))).toEqual(['00000000000000000001']);
    expect(state(log, 't1')).toBeUndefined();
    expect(log.record(idempotencyKey('a'))).toBeUndefined();
    expect(await log.indexKeys(lists)).toEqual([listKey('task', 't2')]);
  });

  it('lets a decision see earlier ones that are not durable yet', async () => {
    const log = await directory.open();
    const first = log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'first'));
      tx.record(idempotencyKey('a'), 'one');
    });
    const seen = await log.transact(NOBODY, (tx) => [
      tx.get<Tally>(resourceKey('task', 't1'))?.note,
      tx.recorded(idempotencyKey('a'))?.toString(),
    ]);
    await first;
    expect(seen).toEqual(['first', 'one']);
  });

  it('shows a decision its own appends, records and erasures', async () => {
    const log = await directory.open();
    await log.transact(NOBODY, (tx) => tx.record(idempotencyKey('a'), 'old'));
    await log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'mine'));
      expect(tx.get<Tally>(resourceKey('task', 't1'))?.count).toBe(1);
      expect(tx.recorded(idempotencyKey('a'))?.toString()).toBe('old');
      tx.erase(idempotencyKey('a'));
      expect(tx.recorded(idempotencyKey('a'))).toBeUndefined();
      tx.record(idempotencyKey('a'), 'new');
      expect(tx.recorded(idempotencyKey('a'))?.toString()).toBe('new');
    });
    expect(log.record(idempotencyKey('a'))?.toString()).toBe('new');
  });

  it('answers a decision that only read, or refused, after what it read is durable', async () => {
    const log = await directory.open();
    const commits: number[] = [];
    const note = () => void commits.push(log.head.commit);
    const writing = append(log, noted('t1', 'a')).then(note);
    const reading = log.transact(NOBODY, (tx) => tx.get(resourceKey('task', 't1'))).then(note);
    const refusing = log
      .transact(NOBODY, () => {
        throw new Error('refused');
      })
      .catch(note);
    await Promise.all([writing, reading, refusing]);
    expect(commits).toEqual([1, 1, 1]);
  });

  it('writes many transactions as one commit, so they share one fsync', async () => {
    const store = new FaultyStore(await directory.store());
    const log = await directory.open({ store });
    const before = store.calls('write');
    await Promise.all(Array.from({ length: 64 }, (_, n) => append(log, noted(`t${n}`, 'x'))));
    expect(store.calls('write') - before).toBe(1);
    expect(log.head).toMatchObject({ commit: 1, eventId: eventIdOf(64) });
  });

  it('runs afterCommit after the tail and after the caller went on', async () => {
    const log = await directory.open();
    const order: string[] = [];
    log.tail(() => void order.push('tail'));
    await log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'a'));
      tx.afterCommit(() => void order.push('after'));
      order.push('decided');
    });
    order.push('answered');
    expect(order).toEqual(['decided', 'tail', 'answered']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['decided', 'tail', 'answered', 'after']);
  });

  it('tells the tail each event once, in order, with the stored bytes', async () => {
    const log = await directory.open();
    const told: StoredEvent[] = [];
    log.tail((events) => void told.push(...events));
    const writers = Array.from({ length: 50 }, async (_, n) => {
      for (let turn = 0; turn < 4; turn += 1) await append(log, noted(`t${n}`, `${turn}`));
    });
    await Promise.all(writers);
    expect(told.map(({ event }) => event.id)).toEqual(
      Array.from({ length: 200 }, (_, n) => eventIdOf(n + 1)),
    );
    const stored = await log.range({ kind: 'all' }, eventIdOf(0), 1_000);
    expect(told.map(({ bytes }) => bytes.toString())).toEqual(stored.map(String));
  });

  it('goes on when a listener of the tail throws', async () => {
    const log = await directory.open();
    log.tail(() => {
      throw new Error('listener');
    });
    expect(await append(log, noted('t1', 'a'))).toHaveLength(1);
  });

  it('deletes a state and its index when the projection says so', async () => {
    const log = await directory.open();
    await append(log, noted('t1', 'a'));
    expect(state(log, 't1')).toMatchObject({ count: 1 });
    await append(log, { ...noted('t1', 'b'), payload: { drop: true } });
    expect(state(log, 't1')).toBeUndefined();
    expect(await log.indexKeys(lists)).toEqual([]);
  });

  it('never lets time go backwards, also over a restart', async () => {
    const log = await directory.open();
    const time = () => log.transact(NOBODY, (tx) => tx.append(noted('t1', 'a')).created_at);
    directory.clock.ms = START_MS + 5_000;
    expect(await time()).toBe('2026-11-21T00:00:05.000Z');
    directory.clock.ms = START_MS;
    expect(await time()).toBe('2026-11-21T00:00:05.000Z');
    await log.close();
    const again = await directory.open();
    expect(await again.transact(NOBODY, (tx) => tx.time)).toBe('2026-11-21T00:00:05.000Z');
  });

  it('goes on after a restart with the next id, sequence and commit', async () => {
    const log = await directory.open();
    await append(log, noted('t1', 'a'));
    const { head } = log;
    await log.close();
    const again = await directory.open();
    expect(again.head).toEqual(head);
    await append(again, noted('t1', 'b'));
    expect(again.event(eventIdOf(2))?.event).toMatchObject({ sequence: 2, previous_event_id: eventIdOf(1) });
    expect(again.head.commit).toBe(2);
  });

  it('takes no payload and no metadata that were not read by the redactor, and stores what it takes as it is', async () => {
    const log = await directory.open();
    const plain: JsonObject = { note: 'secret' };
    // @ts-expect-error: plain JSON is no content of an event.
    const told: NewEvent = { ...noted('t1', ''), payload: plain };
    // @ts-expect-error: nor is a text, in either of them.
    const described: NewEvent = { ...noted('t1', ''), metadata: { note: 'secret' } };
    const { payload, metadata } = { ...told, metadata: described.metadata ?? {} };
    await append(log, noted('t1', 'a', { payload, metadata }));
    expect(log.event(eventIdOf(1))?.event).toMatchObject({ payload: plain, metadata: plain });
  });

  it('refuses transactions once closing, and keeps what it took', async () => {
    const log = await directory.open();
    const last = append(log, noted('t1', 'a'));
    const closing = log.close();
    await expect(append(log, noted('t1', 'b'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await last).toEqual([eventIdOf(1)]);
    await closing;
    expect((await directory.open()).head.eventId).toBe(eventIdOf(1));
  });

  it('refuses a transaction inside a decision, and the decision with it', async () => {
    const log = await directory.open();
    const nested = log.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'a'));
      return log.transact(NOBODY, () => 1);
    });
    await expect(nested).rejects.toThrow('must not start a transaction');
    expect(state(log, 't1')).toBeUndefined();
  });
});

describe('range', () => {
  it('gives the events of one session or task after a cursor, at most the limit', async () => {
    const directory = new LogDirectory();
    const log = await directory.open();
    await append(
      log,
      noted('t1', 'a', { session_id: 's1', task_id: 't1' }),
      noted('t2', 'b', { session_id: 's1', task_id: 't2' }),
      noted('t3', 'c', { session_id: 's2', task_id: 't3' }),
      noted('t1', 'd', { session_id: 's1', task_id: 't1' }),
    );
    const ids = async (scope: Parameters<EventLog['range']>[0], after = 0, limit = 10) =>
      (await log.range(scope, eventIdOf(after), limit)).map((bytes) =>
        Number(JSON.parse(bytes.toString()).id),
      );
    expect(await ids({ kind: 'session', id: 's1' })).toEqual([1, 2, 4]);
    expect(await ids({ kind: 'session', id: 's1' }, 1, 1)).toEqual([2]);
    expect(await ids({ kind: 'task', id: 't1' })).toEqual([1, 4]);
    expect(await ids({ kind: 'all' }, 2)).toEqual([3, 4]);
    expect(await ids({ kind: 'session', id: 'none' })).toEqual([]);
    await directory.remove();
  });

  it('gives the same events whether they lie close together or far apart', async () => {
    const directory = new LogDirectory();
    const log = await directory.open();
    const streams = Array.from({ length: 200 }, (_, n) => (n < 100 ? `s${n % 2}` : `s${2 + (n % 20)}`));
    await append(log, ...streams.map((id) => noted('t', id, { session_id: id })));
    for (const id of new Set(streams)) {
      const events = await log.range({ kind: 'session', id }, eventIdOf(0), 1_000);
      const expected = streams.flatMap((stream, at) => (stream === id ? [at + 1] : []));
      expect(events.map((bytes) => Number(JSON.parse(bytes.toString()).id))).toEqual(expected);
    }
    await directory.remove();
  });
});
