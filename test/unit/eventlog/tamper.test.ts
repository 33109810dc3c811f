import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLog } from '#eventlog/check-log.ts';
import { checkNumbering } from '#eventlog/commit-numbering.ts';
import type { CommitRecord } from '#eventlog/commit-record.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { SCHEMA_VERSION } from '#eventlog/log-meta.ts';
import { checkCursor } from '#eventlog/log-reader.ts';
import { StoreScratch } from '#eventlog/scratch.ts';
import { idempotencyKey, listKey, metaKey, resourceKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { checked, seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import {
  append,
  IS_REPLICATED,
  LogDirectory,
  NOBODY,
  noted,
  type Tally,
  tally,
  until,
} from './log-harness.ts';

const COMMIT_2 = 'c/0000000000000002';
const COMMIT_3 = 'c/0000000000000003';
const EVENT_2 = 'e/00000000000000000002';
const EVENT_3 = 'e/00000000000000000003';

const put = (store: Store, key: string, value: Buffer | string) => store.write([{ type: 'put', key, value }]);
/** A change that seals what it writes. */
const rewrite = (store: Store, key: string, content: string) => put(store, key, seal(content, key));
const del = (store: Store, ...keys: string[]) => store.write(keys.map((key) => ({ type: 'del', key })));
/** A state as it is stored, with its head. */
const stateRecord = (state: Partial<Tally> & { last: string }, sequence: number) =>
  JSON.stringify({ state, head: { sequence, event_id: state.last } });
async function flipBit(store: Store, key: string, at: number): Promise<void> {
  const value = Buffer.from(store.get(key) ?? '');
  value[at] = (value[at] ?? 0) ^ 1;
  await put(store, key, value);
}

describe('a log that somebody changed', () => {
  let directory: LogDirectory;
  /** The checkpoint as it was after the first commit, as if the process had died before the next one. */
  let firstCheckpoint: Buffer;
  beforeEach(async () => {
    directory = new LogDirectory();
    const log = await directory.open();
    await append(log, noted('t1', 'a', { session_id: 's1', task_id: 't1' }));
    directory.timers.fire();
    await until(() => existsSync(directory.checkpointPath));
    firstCheckpoint = readFileSync(directory.checkpointPath);
    await log.transact(NOBODY, (tx) => tx.record(idempotencyKey('gone'), 'x'));
    await append(log, noted('t1', 'b', { session_id: 's1' }));
    await log.transact(NOBODY, (tx) => {
      tx.append(noted('t2', 'c'));
      tx.record(idempotencyKey('kept'), 'y');
      tx.erase(idempotencyKey('gone'));
    });
    await log.close();
  });
  afterEach(() => directory.remove());

  /** Changes the closed store, then opens the log with the early checkpoint, so that the start verifies the change. */
  async function reopened(change: (store: Store) => Promise<unknown>): Promise<EventLog> {
    const store = await directory.store();
    await change(store);
    await store.close();
    writeFileSync(directory.checkpointPath, firstCheckpoint);
    return directory.open();
  }

  async function check(change: (store: Store) => Promise<unknown>): Promise<Finding[]> {
    const store = await directory.store();
    await change(store);
    const findings: Finding[] = [];
    for await (const step of checkLog({ store, projection: tally }))
      if (step.kind === 'finding') findings.push(step.finding);
    await store.close();
    return findings;
  }

  it('has no finding when nobody did', async () => {
    expect(await check(async () => undefined)).toEqual([]);
    expect((await reopened(async () => undefined)).integrity).toEqual({ status: 'ok' });
  });

  it('is checked alike with the rebuild on disk', async () => {
    const [store, scratch] = [
      await directory.store(),
      await openLevelStore({ path: join(directory.path, 'x') }),
    ];
    await del(store, resourceKey('task', 't2'));
    const steps = [];
    for await (const step of checkLog({ store, projection: tally, scratch: new StoreScratch(scratch) }))
      steps.push(step);
    expect(steps).toMatchObject([
      {
        kind: 'finding',
        finding: { problem: 'fold', where: resourceKey('task', 't2'), observed: 'no record' },
      },
      { kind: 'progress', commits: 4, events: 3 },
    ]);
    await scratch.close();
  });

  it.each([0, 31, 32, 100, 300])('names the event when bit flips at byte %i', async (at) => {
    const change = (store: Store) => flipBit(store, EVENT_2, at);
    const log = await reopened(change);
    expect(log.integrity).toMatchObject({ status: 'damaged', where: EVENT_2 });
    expect(() => log.event(EVENT_2.slice(2))).toThrowError(
      expect.objectContaining({ code: 'resource_locked' }),
    );
    await expect(log.range({ kind: 'all' }, '0'.repeat(20), 9)).rejects.toMatchObject({
      code: 'resource_locked',
    });
    await expect(log.range({ kind: 'session', id: 's1' }, '0'.repeat(20), 9)).rejects.toMatchObject({
      details: { reason: 'integrity' },
    });
    await expect(append(log, noted('t3', 'x'))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(log.event('00000000000000000001')?.event.id).toBe('00000000000000000001');
    await log.close();
    expect(await check(async () => undefined)).toMatchObject([{ problem: 'hash', where: EVENT_2 }]);
  });

  it('names an event that is gone, and one that was put', async () => {
    expect(await check((store) => del(store, EVENT_2))).toMatchObject([
      { problem: 'missing', where: EVENT_2 },
    ]);
    const stray = 'e/00000000000000000009';
    const findings = await check((store) => rewrite(store, stray, '{}'));
    expect(findings).toContainEqual(expect.objectContaining({ problem: 'extra', where: stray }));
    expect((await reopened(async () => undefined)).integrity).toMatchObject({ status: 'damaged' });
  });

  it('names the commit whose bytes changed', async () => {
    const change = (store: Store) => flipBit(store, COMMIT_3, 60);
    expect((await reopened(change)).integrity).toMatchObject({ status: 'damaged', where: COMMIT_3 });
  });

  it('names the commit that was rewritten with a matching hash of its own', async () => {
    const resealed = (store: Store) => {
      const commit = JSON.parse(unseal(store.get(COMMIT_3) ?? Buffer.alloc(0), COMMIT_3).toString());
      return rewrite(store, COMMIT_3, JSON.stringify({ ...commit, time: '2020-01-01T00:00:00.000Z' }));
    };
    expect((await reopened(resealed)).integrity).toMatchObject({ status: 'damaged', where: COMMIT_3 });
  });

  it('names a commit missing in the middle', async () => {
    expect(await check((store) => del(store, COMMIT_2))).toContainEqual(
      expect.objectContaining({ problem: 'missing', where: COMMIT_2 }),
    );
    expect((await reopened(async () => undefined)).integrity).toMatchObject({ where: COMMIT_2 });
  });

  it('names a primary record that changed, is gone, or that no commit made', async () => {
    const kept = idempotencyKey('kept');
    expect(await check((store) => rewrite(store, kept, 'z'))).toMatchObject([
      { problem: 'hash', where: kept },
    ]);
    expect(await check((store) => del(store, kept))).toMatchObject([{ problem: 'missing', where: kept }]);
    const back = idempotencyKey('gone');
    const restored = (store: Store) =>
      store.write([
        { type: 'put', key: kept, value: seal('y', kept) },
        { type: 'put', key: back, value: seal('x', back) },
      ]);
    expect(await check(restored)).toMatchObject([{ problem: 'extra', where: back }]);
  });

  it('refuses a state whose bytes changed, and finds it', async () => {
    const key = resourceKey('task', 't1');
    const log = await reopened((store) => flipBit(store, key, 40));
    expect(() => log.state(key)).toThrowError(expect.objectContaining({ code: 'resource_locked' }));
    await log.close();
    expect(await check(async () => undefined)).toMatchObject([{ problem: 'fold', where: key }]);
  });

  it('finds a state, a head and an index that are not what the events say', async () => {
    const change = (store: Store) =>
      store.write([
        {
          type: 'put',
          key: resourceKey('task', 't1'),
          value: checked(
            stateRecord({ count: 7, last: '00000000000000000002', note: 'b' }, 2),
            resourceKey('task', 't1'),
          ),
        },
        {
          type: 'put',
          key: resourceKey('task', 't2'),
          value: checked(
            stateRecord({ count: 1, last: '00000000000000000003', note: 'c' }, 4),
            resourceKey('task', 't2'),
          ),
        },
        { type: 'del', key: 'es/s1/00000000000000000002' },
        { type: 'put', key: listKey('task', 't9'), value: Buffer.alloc(0) },
      ]);
    const found = (await check(change)).map(({ problem, where }) => `${problem} ${where}`);
    expect(found).toEqual([
      'fold es/s1/00000000000000000002',
      'extra l/task/t9',
      'fold r/task/t1',
      'fold r/task/t2',
    ]);
  });

  it('takes a state with its members in another order for the same', async () => {
    const key = resourceKey('task', 't1');
    const record = stateRecord({ note: 'b', last: '00000000000000000002', count: 2 }, 2);
    expect(await check((store) => put(store, key, checked(record, key)))).toEqual([]);
  });

  it('serves reads only when its tail is cut, until the operator accepts that', async () => {
    const store = await directory.store();
    await del(store, 'c/0000000000000004', EVENT_3, idempotencyKey('kept'), resourceKey('task', 't2'));
    await del(store, listKey('task', 't2'));
    await rewrite(store, idempotencyKey('gone'), 'x');
    await store.close();
    const log = await directory.open();
    expect(log.integrity).toMatchObject({
      status: 'truncated',
      expected: { commit: 4, eventId: '00000000000000000003' },
      found: { commit: 3, eventId: '00000000000000000002' },
    });
    expect(await log.range({ kind: 'all' }, '0'.repeat(20), 9)).toHaveLength(2);
    await expect(append(log, noted('t3', 'x'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await log.acceptTruncation({ actor: 'operator' });
    // A new epoch: event 3 was told to somebody, and is lost.
    expect(log.event('00000000000000000003')).toBeUndefined();
    expect(log.event('00000001000000000004')?.event).toMatchObject({
      event: 'vendor.harn_gateway.truncation_accepted',
      actor: 'operator',
      payload: { expected: { commit: 4 }, found: { commit: 3 } },
    });
    await append(log, noted('t3', 'x'));
    const everything = { kind: 'all' } as const;
    for (const lost of ['00000000000000000003', '00000000000000000004', '00000001000000000003'])
      expect(() => checkCursor(log, everything, lost, 'cursor')).toThrow(
        expect.objectContaining({ code: 'cursor_expired' }),
      );
    const kept = checkCursor(log, everything, '00000000000000000002', 'cursor');
    const behind = (await log.range(everything, kept, 9)).map((bytes) => JSON.parse(bytes.toString()).id);
    expect(behind).toEqual(['00000001000000000004', '00000001000000000005']);
    await log.close();
    const again = await directory.open();
    expect(again.integrity).toEqual({ status: 'ok' });
    await append(again, noted('t3', 'y'));
    expect(again.head.eventId).toBe('00000001000000000006');
  });

  it('begins a new epoch of ids when the operator says that it was restored, and checks as whole', async () => {
    const log = await directory.open();
    await log.acceptRestore({ actor: 'operator' });
    // 10^15, 100 for each millisecond since 2020, and the gap: above what any other restore has given by then.
    expect(log.head.eventId).toBe('00001022738240000001');
    await append(log, noted('t3', 'x'));
    await log.close();
    const again = await directory.open();
    expect(again.integrity).toEqual({ status: 'ok' });
    await again.close();
    const findings = (await check(async () => undefined)).map(({ problem, where }) => `${problem} ${where}`);
    expect(findings).toEqual([]);
  });

  it('has a finding where ids were left out and no commit says so', () => {
    const commit: CommitRecord = {
      n: 2,
      prev_hash: '',
      time: '',
      event_id: '00000001000000000004',
      entries: [{ actor: null, trace_id: null, events: 1 }],
      records: [['e/00000001000000000004', '']],
      erased: [],
    };
    const before = { commit: 1, hash: '', eventId: '00000000000000000003' };
    expect(checkNumbering('c/2', commit, 2, before)).toMatchObject([{ problem: 'order' }]);
    expect(checkNumbering('c/2', { ...commit, skipped_ids: 10 ** 12 }, 2, before)).toEqual([]);
  });

  it.runIf(!IS_REPLICATED)('is truncated when the whole store is gone', async () => {
    rmSync(join(directory.path, 'log'), { recursive: true });
    expect((await directory.open()).integrity).toMatchObject({ status: 'truncated', found: { commit: 0 } });
  });

  it('does not trust a checkpoint that was changed, until the operator accepts that', async () => {
    const forged = { ...JSON.parse(firstCheckpoint.toString()), commit: 2 };
    writeFileSync(directory.checkpointPath, JSON.stringify(forged));
    const log = await directory.open();
    expect(log.integrity).toEqual({
      status: 'damaged',
      where: 'checkpoint.json',
      expected: 'a valid signature',
      observed: 'invalid_signature',
    });
    await log.acceptTruncation(NOBODY);
    await log.close();
    expect((await directory.open()).integrity).toEqual({ status: 'ok' });
  });

  it('does not trust the checkpoint of another log', async () => {
    const other = new LogDirectory();
    const log = await other.open();
    await append(log, noted('t1', 'a'));
    await log.close();
    const { checkpointPath } = other;
    const foreign = await directory.open({ checkpointPath, keys: other.keys() });
    expect(foreign.integrity).toMatchObject({ status: 'damaged', where: 'checkpoint.json' });
    await other.remove();
  });

  it('has nothing to accept when it is whole', async () => {
    const log = await directory.open();
    await expect(log.acceptTruncation(NOBODY)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('verifies everything when there is no checkpoint', async () => {
    rmSync(directory.checkpointPath);
    expect((await directory.open()).integrity).toEqual({ status: 'ok' });
  });

  it.each([SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])(
    'is refused when version %i of the stored form wrote it, and left as it is',
    async (found) => {
      const store = await directory.store();
      const meta = `{"log_id":"log_x","schema":${found}}`;
      await rewrite(store, metaKey('schema'), meta);
      await expect(directory.open({ store })).rejects.toMatchObject({ name: 'OtherSchemaError', found });
      expect(unseal(store.get(metaKey('schema')) ?? Buffer.alloc(0), metaKey('schema')).toString()).toBe(
        meta,
      );
    },
  );
});
