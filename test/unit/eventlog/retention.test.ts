import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLog } from '#eventlog/check-log.ts';
import type { Event, EventLog, StreamScope } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { baseKey, eventKey, resourceKey, streamCutKey, streamOf } from '#store/keys.ts';
import { seal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { FaultyStore } from '../../harness/faulty-store.ts';
import { append, LogDirectory, noted, type Tally, tally, until } from './log-harness.ts';

const START = eventIdOf(0);
const S1: StreamScope = { kind: 'session', id: 's1' };
const T1: StreamScope = { kind: 'task', id: 't1' };
const ALL: StreamScope = { kind: 'all' };
const id = (n: number) => eventIdOf(n);

/** An event of a run; the place decides its streams. */
const of = (session: string, task: string, note: string) =>
  noted(task, note, { session_id: session, task_id: task, workspace_id: `w-${session}` });

describe('the removal of history', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    // Ids 1 to 8: two runs in s1, one in s2 between them, and one event of no session.
    await append(log, of('s1', 't1', 'a'), of('s2', 't3', 'b'), of('s1', 't1', 'c'));
    await append(log, of('s1', 't2', 'd'), of('s2', 't3', 'e'), noted('t9', 'f'));
    await append(log, of('s1', 't2', 'g'), of('s1', 't1', 'late'));
  });
  afterEach(() => directory.remove());

  const read = async (scope: StreamScope, after = START): Promise<Event[]> =>
    (await log.range(scope, after, 100)).map((bytes) => JSON.parse(bytes.toString()) as Event);
  const ids = async (scope: StreamScope, after = START) =>
    (await read(scope, after)).map((event) => event.id);

  async function check(
    change: (store: Store) => Promise<unknown> = async () => undefined,
  ): Promise<Finding[]> {
    await log.close();
    const store = await directory.store();
    await change(store);
    const findings: Finding[] = [];
    for await (const step of checkLog({ store, projection: tally })) {
      expect(step.kind).not.toBe('folds_not_compared');
      if (step.kind === 'finding') findings.push(step.finding);
    }
    await store.close();
    return findings;
  }

  it('takes the beginning of a session and leaves one mark in each of its streams', async () => {
    expect(await log.removeHistory({ sessionId: 's1', throughId: id(4) })).toBe(3);
    expect(await ids(S1)).toEqual([id(4), id(7), id(8)]);
    expect(await ids(T1)).toEqual([id(3), id(8)]);
    expect(log.event(id(1))).toBeUndefined();
    const [mark] = await read(S1);
    expect(mark).toMatchObject({
      event: 'vendor.harn_gateway.history_removed',
      id: id(4),
      sequence: 1,
      payload: {
        event: 'task.submitted',
        removed_at: '2026-11-21T00:00:00.000Z',
        streams: [{ object: 'session', id: 's1', first_event_id: id(1), events: 3 }],
      },
    });
    const [ofTask] = await read({ kind: 'task', id: 't2' });
    expect(ofTask?.payload['streams']).toEqual([
      { object: 'task', id: 't2', first_event_id: id(4), events: 1 },
    ]);
    expect(log.isCut('s2')).toBe(false);
    expect(await check()).toEqual([]);
  });

  it('cuts a segment in the middle, and what is left of it is read, followed and checked', async () => {
    const [first] = await append(
      log,
      ...['one', 'two', 'three', 'four'].map((note, at) => of('s4', at === 2 ? 't5' : 't4', note)),
    );
    expect(first).toBe(id(9));
    const scope: StreamScope = { kind: 'session', id: 's4' };
    expect(await log.removeHistory({ sessionId: 's4', throughId: id(10) })).toBe(2);
    expect(await ids(scope)).toEqual([id(10), id(11), id(12)]);
    expect(await ids({ kind: 'task', id: 't4' })).toEqual([id(10), id(12)]);
    expect(await ids({ kind: 'task', id: 't5' })).toEqual([id(11)]);
    expect([9, 10, 11, 12].map((n) => log.event(id(n))?.event.id)).toEqual([
      undefined,
      undefined,
      id(11),
      id(12),
    ]);
    expect(log.segment(id(12))).toMatchObject({ firstId: id(11), lastId: id(12) });
    expect([9, 10, 11, 12].map((n) => log.holds(scope, id(n)))).toEqual([false, true, true, true]);
    await append(log, of('s4', 't4', 'five'));
    expect((await ids(scope, id(11))).length).toBe(2);
    expect(await check()).toEqual([]);
    const changed = await check((store) =>
      store.write([
        put(eventKey(id(12)), String(store.get(eventKey(id(12)))?.subarray(36)).replace('four', 'more')),
      ]),
    );
    expect(changed.map(({ problem, where }) => `${problem} ${where}`)).toContain(`hash ${eventKey(id(12))}`);
  });

  it('goes on from its mark, counts from the first removed event, and does nothing twice', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(1) });
    await log.removeHistory({ sessionId: 's1', throughId: id(4) });
    expect(await log.removeHistory({ sessionId: 's1', throughId: id(4) })).toBe(0);
    expect(await log.removeHistory({ sessionId: 's1', throughId: id(7) })).toBe(1);
    expect(await ids(S1)).toEqual([id(7), id(8)]);
    const [mark] = await read(S1);
    expect(mark?.payload['streams']).toContainEqual({
      object: 'session',
      id: 's1',
      first_event_id: id(1),
      events: 4,
    });
    expect((await read({ kind: 'task', id: 't2' })).map((event) => event.id)).toEqual([id(7)]);
    expect((await read(T1))[0]?.payload['streams']).toEqual([
      { object: 'task', id: 't1', first_event_id: id(1), events: 2 },
    ]);
    expect(log.event(id(4))).toBeUndefined();
    expect(await check()).toEqual([]);
  });

  it('keeps what the events had folded to, and the next event goes on from there', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(8) });
    expect(log.state<Tally>(resourceKey('task', 't1'))).toEqual({ count: 3, last: id(8), note: 'late' });
    await append(log, of('s1', 't1', 'next'));
    expect((await read(T1)).at(-1)).toMatchObject({ sequence: 4, previous_event_id: id(8) });
    expect(log.state<Tally>(resourceKey('task', 't1'))?.count).toBe(4);
    expect(await check()).toEqual([]);
  });

  it('checks alike when a removed run had deleted its own state', async () => {
    await append(log, { ...of('s1', 't1', 'x'), payload: { drop: true } });
    await log.removeHistory({ sessionId: 's1', throughId: id(8) });
    await log.removeHistory({ sessionId: 's1', throughId: id(9) });
    expect(log.state(resourceKey('task', 't1'))).toBeUndefined();
    expect(await check()).toEqual([]);
  });

  it('expires cursors behind the removal and keeps the others', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(4) });
    expect([1, 3, 4, 7].map((at) => log.holds(S1, id(at)))).toEqual([false, false, true, true]);
    expect([1, 3, 8].map((at) => log.holds(T1, id(at)))).toEqual([false, true, true]);
    expect([2, 5].map((at) => log.holds({ kind: 'session', id: 's2' }, id(at)))).toEqual([true, true]);
    await expect(log.range(S1, id(1), 10)).rejects.toMatchObject({ code: 'cursor_expired' });
    await expect(log.range(ALL, id(2), 10)).rejects.toMatchObject({ code: 'cursor_expired' });
    expect(await ids(S1, id(4))).toEqual([id(7), id(8)]);
  });

  it('begins a read over all sessions where nothing is missing any more, for each workspace by itself', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(4) });
    expect(await ids(ALL)).toEqual([4, 5, 6, 7, 8].map(id));
    expect((await ids({ kind: 'all', workspaceId: 'w-s2' }))[0]).toBe(id(2));
    expect((await ids({ kind: 'all', workspaceId: 'w-s1' }))[0]).toBe(id(4));
    expect(log.holds({ kind: 'all', workspaceId: 'w-s2' }, id(2))).toBe(true);
    expect(log.holds({ kind: 'all', workspaceId: 'w-s1' }, id(2))).toBe(false);
  });

  it('survives a restart that verifies the removal from an older checkpoint', async () => {
    directory.timers.fire();
    await until(() => existsSync(directory.checkpointPath));
    const older = readFileSync(directory.checkpointPath);
    await log.removeHistory({ sessionId: 's1', throughId: id(4) });
    await log.removeHistory({ sessionId: 's1', throughId: id(8) });
    await log.close();
    writeFileSync(directory.checkpointPath, older);
    log = await directory.open();
    expect(log.integrity).toEqual({ status: 'ok' });
    expect(await ids(S1)).toEqual([id(8)]);
    await log.removeHistory({ sessionId: 's2', throughId: id(5) });
    expect(await check()).toEqual([]);
  });

  it.each(['lost', 'ghost'] as const)('is there whole or not at all when its write is %s', async (write) => {
    await log.close();
    const store = new FaultyStore(await directory.store(), { call: 'write', nth: 1, write });
    log = await directory.open({ store });
    const removal = { sessionId: 's1', throughId: id(4) };
    await expect(log.removeHistory(removal)).rejects.toMatchObject({ code: 'service_unavailable' });
    const reopened = new Promise<void>((resolve) => log.onReopen(resolve));
    while (log.status === 'fenced') {
      directory.timers.fire();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await reopened;
    expect(await log.removeHistory(removal)).toBe(write === 'ghost' ? 0 : 3);
    expect(await ids(S1)).toEqual([id(4), id(7), id(8)]);
    expect(await check()).toEqual([]);
  });

  it('is checked: what comes back, is changed or goes besides is found', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(4) });
    const faults = await check(async (store) => {
      const bytes = (key: string) => String(store.get(key)?.subarray(36));
      await store.write([
        { type: 'put', key: eventKey(id(1)), value: seal('{}', eventKey(id(1))) },
        put(streamCutKey('session', 's1'), bytes(streamCutKey('session', 's1')).replace('t2', 't8')),
        put(baseKey(resourceKey('task', 't1')), '{"state":{"count":9}}'),
        { type: 'put', key: `${streamOf('task', 't1')}${id(3)}`, value: '' },
      ]);
    });
    expect(faults.map(({ problem, where }) => `${problem} ${where}`)).toEqual(
      expect.arrayContaining([
        `extra ${eventKey(id(1))}`,
        `hash ${streamCutKey('session', 's1')}`,
        `hash ${baseKey(resourceKey('task', 't1'))}`,
        `extra ${streamOf('task', 't1')}${id(3)}`,
      ]),
    );
  });
});

function put(key: string, content: string) {
  return { type: 'put' as const, key, value: seal(content, key) };
}
