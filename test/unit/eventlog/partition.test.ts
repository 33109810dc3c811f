import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog, StreamScope } from '#eventlog/event-log.ts';
import { checkCursor } from '#eventlog/log-reader.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { append, findingsOf, LogDirectory, NOBODY, noted } from './log-harness.ts';

const PARTITION = '0003';
const id = (n: number) => eventIdOf(n, PARTITION);
const START = eventIdOf(0);
const S1: StreamScope = { kind: 'session', id: 's1' };
const said = (task: string, note: string) => noted(task, note, { session_id: 's1', task_id: task });

describe('the log of a partition that is not the first', () => {
  let directory: LogDirectory;
  beforeEach(() => {
    directory = new LogDirectory();
  });
  afterEach(() => directory.remove());

  const open = () => directory.open({ partition: PARTITION });
  const idsIn = async (log: EventLog, after = START) =>
    (await log.range(S1, after, 100)).map((bytes) => JSON.parse(bytes.toString()).id as string);
  async function findings(log: EventLog) {
    await log.close();
    const store = await directory.store();
    const found = await findingsOf(store);
    await store.close();
    return found;
  }

  it('begins each event id with its four digits, and goes on so after a restart', async () => {
    const log = await open();
    expect(await append(log, said('t1', 'a'), said('t1', 'b'))).toEqual([id(1), id(2)]);
    await log.close();
    const again = await open();
    expect(again.integrity).toEqual({ status: 'ok' });
    expect(await append(again, said('t1', 'c'))).toEqual([id(3)]);
    expect(await idsIn(again)).toEqual([id(1), id(2), id(3)]);
    expect(await findings(again)).toEqual([]);
  });

  it('is verified where its first commits have records and no event', async () => {
    const log = await open();
    await log.transact(NOBODY, (tx) => tx.record('f/t1/00000001', '{}'));
    expect(log.head.eventId).toBe(id(0));
    await log.close();
    const again = await open();
    expect(again.integrity).toEqual({ status: 'ok' });
    expect(await append(again, said('t1', 'a'))).toEqual([id(1)]);
    expect(await findings(again)).toEqual([]);
  });

  it('keeps its digits in the marks of what retention removed', async () => {
    const log = await open();
    await append(log, said('t1', 'a'), said('t1', 'b'), said('t2', 'c'));
    expect(await log.removeHistory({ sessionId: 's1', throughId: id(2) })).toBe(2);
    expect(await idsIn(log)).toEqual([id(2), id(3)]);
    expect(log.event(id(2))?.event).toBeUndefined();
    await append(log, said('t2', 'd'));
    expect(await findings(log)).toEqual([]);
  });

  it('begins a new epoch within the partition', async () => {
    const log = await open();
    await append(log, said('t1', 'a'));
    await log.acceptRestore({ actor: 'operator' });
    expect(log.head.eventId).toBe('00031022738240000001');
    await append(log, said('t1', 'b'));
    expect(await findings(log)).toEqual([]);
  });

  it('knows the cursor of another partition as one of another stream', async () => {
    const log = await open();
    await append(log, said('t1', 'a'), said('t1', 'b'));
    for (const cursor of [eventIdOf(1), eventIdOf(1, '0004')])
      expect(() => checkCursor(log, S1, cursor, 'after_event_id')).toThrow('another stream');
    expect(checkCursor(log, S1, id(1), 'after_event_id')).toBe(id(1));
    expect(await idsIn(log, id(1))).toEqual([id(2)]);
  });

  it('is not opened as that of another one', async () => {
    const log = await open();
    await append(log, said('t1', 'a'));
    await log.close();
    await expect(directory.open({ partition: '0004' })).rejects.toThrow('holds the log of partition 0003');
  });
});
