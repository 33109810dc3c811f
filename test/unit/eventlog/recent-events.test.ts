import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog, StreamScope } from '#eventlog/event-log.ts';
import { RecentEvents } from '#eventlog/group-commit.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { resourceKey } from '#store/keys.ts';
import { append, LogDirectory, noted } from './log-harness.ts';

const START = eventIdOf(0);
const T1: StreamScope = { kind: 'task', id: 't1' };
const S1: StreamScope = { kind: 'session', id: 's1' };
const id = (n: number) => eventIdOf(n);
const of = (task: string, note = '') => noted(task, note, { session_id: 's1', task_id: task });

describe('the newest events in memory', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    await append(log, of('t1', 'a'), of('t2', 'b'));
    await append(log, of('t1', 'c'));
  });
  afterEach(async () => {
    await log.close();
    directory.remove();
  });

  const recent = (scope: StreamScope, after = START, limit = 100) =>
    log.recent(scope, after, limit)?.map(({ event, bytes }) => {
      expect(JSON.parse(bytes.toString())).toEqual(event);
      return event.id;
    });
  const stored = async (scope: StreamScope, after = START, limit = 100) =>
    (await log.range(scope, after, limit)).map(
      (bytes) => (JSON.parse(bytes.toString()) as { id: string }).id,
    );

  it('are what a read of the store gives, from the beginning, behind a cursor and up to a limit', async () => {
    for (const [after, limit] of [
      [START, 100],
      [id(1), 100],
      [id(3), 100],
      [START, 1],
    ] as const) {
      expect(recent(T1, after, limit)).toEqual(await stored(T1, after, limit));
    }
    expect(recent(T1)).toEqual([id(1), id(3)]);
  });

  it('are asked for in vain by a cursor of another stream, and for a stream whose beginning they do not hold', () => {
    expect(recent(T1, id(2))).toBeUndefined();
    // s1 never was a resource here, so nothing says that it begins among them.
    expect(recent(S1)).toBeUndefined();
    expect(recent(S1, id(1))).toEqual([id(2), id(3)]);
    expect(recent({ kind: 'task', id: 't9' })).toBeUndefined();
    expect(recent({ kind: 'all' })).toBeUndefined();
  });

  it('are forgotten when history is removed, and again from then on', async () => {
    await log.removeHistory({ sessionId: 's1', throughId: id(1) });
    expect(recent(T1)).toBeUndefined();
    expect(recent(T1, id(1))).toBeUndefined();
    await append(log, of('t1', 'd'), of('t3', 'e'));
    expect(recent(T1)).toBeUndefined();
    expect(recent({ kind: 'task', id: 't3' })).toEqual([id(5)]);
    expect(await stored(T1)).toEqual([1, 3, 4].map(id));
  });

  it('are none after a restart', async () => {
    await log.close();
    log = await directory.open();
    expect(recent(T1)).toBeUndefined();
    expect(await stored(T1)).toEqual([id(1), id(3)]);
    expect(log.state(resourceKey('task', 't1'))).toMatchObject({ count: 2 });
  });

  it('are bounded: old commits are forgotten whole, and what is left has no gap', () => {
    const events = new RecentEvents();
    const stream = { kind: 'task', id: 'many' } as const;
    let next = 1;
    for (let commit = 0; commit < 1_000; commit += 1)
      events.add(
        [0, 1, 2].map((at) => {
          const event = {
            id: id(next++),
            task_id: 'many',
            resource: { object: 'message', id: `m${commit}${at}` },
          };
          return { event: event as never, bytes: Buffer.alloc(10) };
        }),
      );
    expect(events.range(stream, id(1), 10)).toBeUndefined();
    expect(events.range(stream, id(2_000), 5_000)).toHaveLength(1_000);
  });
});
