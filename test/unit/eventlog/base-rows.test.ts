import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLog } from '#eventlog/check-log.ts';
import type { CommitRecord } from '#eventlog/commit-record.ts';
import type { EventLog, Projection } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { baseKey, commitKey, foldKey, keysUnder, listKey, resourceKey, SUMMARY_KEY } from '#store/keys.ts';
import { checked } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { append, LogDirectory, NOBODY, noted, tally } from './log-harness.ts';

const id = eventIdOf;
/** How many events there are, of all sessions. */
const TOTAL = foldKey('total');
const TASK = resourceKey('task', 't1');
const LISTED = listKey('task', 't1');

/** The tally, and what all sessions count together. */
const counting: Projection = (event, states) => {
  tally(event, states);
  const total = states.draft<{ total: number }>(TOTAL);
  if (total === undefined) states.set(TOTAL, { total: 1 });
  else total.total += 1;
};

const of = (session: string, task: string, note: string, drop = false) => ({
  ...noted(task, note, { session_id: session, task_id: task, workspace_id: 'w' }),
  ...(drop ? { payload: { drop: true } } : {}),
});

describe('a derived row that stands as removed events left it', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open({ projection: counting });
    // Ids 1 to 4.
    await append(log, of('s1', 't1', 'a'), of('s2', 't2', 'b'));
    await append(log, of('s1', 't1', 'c'), of('s2', 't2', 'd'));
  });
  afterEach(() => directory.remove());

  const remove = (sessionId: string, through: number) =>
    log.removeHistory({ sessionId, throughId: id(through) });
  const newest = (): CommitRecord =>
    JSON.parse(log.record(commitKey(log.head.commit))?.toString('utf8') ?? '');
  const kept = (key: string) => log.record(baseKey(key))?.toString('utf8');

  async function inBase(): Promise<string[]> {
    const keys: string[] = [];
    for (const prefix of ['l/', 'r/', 'x/']) for await (const key of log.baseKeys(prefix)) keys.push(key);
    return keys;
  }

  async function opened<T>(use: (store: Store) => Promise<T>): Promise<T> {
    await log.close();
    const store = await directory.store();
    const result = await use(store);
    await store.close();
    log = await directory.open({ projection: counting });
    return result;
  }

  const check = (change: (store: Store) => Promise<unknown> = async () => undefined): Promise<string[]> =>
    opened(async (store) => {
      await change(store);
      const findings: string[] = [];
      for await (const step of checkLog({ store, projection: counting, keys: directory.keys() })) {
        expect(step.kind).not.toBe('folds_not_compared');
        if (step.kind === 'finding') findings.push(`${step.finding.problem} ${step.finding.where}`);
      }
      return findings;
    });

  const rows = (prefix: string) =>
    opened(async (store) => {
      const found: [string, string][] = [];
      for await (const page of store.entries(keysUnder(prefix)))
        found.push(...page.map(([key, value]): [string, string] => [key, value.toString('latin1')]));
      return found;
    });

  it('is the base itself: its commit names it, and nothing is kept besides', async () => {
    await remove('s1', 3);
    await remove('s2', 4);
    expect(await inBase()).toEqual([LISTED, listKey('task', 't2'), TASK, resourceKey('task', 't2'), TOTAL]);
    expect(await rows('p/')).toEqual([]);
    const task = { head: { event_id: id(4), sequence: 2 }, state: { count: 2, last: id(4), note: 'd' } };
    expect(newest().records).toContainEqual([
      resourceKey('task', 't2'),
      sha256Hex(JSON.stringify({ ...task, isBase: true })),
    ]);
    expect(newest().records).toContainEqual([TOTAL, sha256Hex('{"total":4,"isBase":true}')]);
    expect(newest().records).toContainEqual([listKey('task', 't2'), sha256Hex('p')]);
    // Readers see nothing of it.
    expect(log.state(TOTAL)).toEqual({ total: 4 });
    expect(log.state(TASK)).toEqual({ count: 2, last: id(3), note: 'c' });
    expect(await check()).toEqual([]);
  });

  it('keeps what it was as soon as an event changes it, and is so again when that is removed too', async () => {
    await remove('s1', 3);
    const named = newest().records.find(([key]) => key === TASK);
    expect(kept(TOTAL)).toBe('{"fold":{"total":2}}');
    await append(log, of('s1', 't1', 'e'));
    expect(kept(TASK)).toBe(
      JSON.stringify({
        fold: { head: { event_id: id(3), sequence: 2 }, state: { count: 2, last: id(3), note: 'c' } },
      }),
    );
    expect(newest().erased).toEqual([named]);
    expect(await inBase()).toEqual([LISTED, TASK, TOTAL]);
    expect(await check()).toEqual([]);
    await remove('s1', 5);
    expect(kept(TASK)).toBeUndefined();
    expect(kept(TOTAL)).toBe('{"fold":{"total":3}}');
    expect(await check()).toEqual([]);
    await remove('s2', 4);
    expect(await rows('p/')).toEqual([]);
    expect(await check()).toEqual([]);
  });

  it('is kept besides where it goes: a list key that is taken off, a state that is deleted', async () => {
    await remove('s1', 3);
    await append(log, of('s1', 't1', '', true));
    expect(kept(LISTED)).toBe('{"marker":true}');
    expect(kept(TASK)).toContain('"count":2');
    expect(await check()).toEqual([]);
    await append(log, of('s1', 't1', 'again'));
    expect(await log.indexKeys({ ...keysUnder('l/task/'), limit: 9 })).toContain(LISTED);
    expect(await check()).toEqual([]);
    await remove('s1', 6);
    expect([kept(LISTED), kept(TASK)]).toEqual([undefined, undefined]);
    expect(await check()).toEqual([]);
  });

  it('is right where removal and change are one commit, or the change comes while the removal is written', async () => {
    // The removal reads before it is staged, so all of them end in one group or in two that follow each other.
    const removing = remove('s1', 3);
    const changes = [...Array(20).keys()].map(
      async (n) => await append(log, of('s1', 't1', `e${n}`), of('s2', 't2', `f${n}`)),
    );
    await Promise.all([removing, ...changes]);
    expect(await check()).toEqual([]);
    const again = [remove('s1', 43), append(log, of('s1', 't1', 'x')), append(log, of('s1', 't1', '', true))];
    await Promise.all(again);
    expect(await check()).toEqual([]);
    await remove('s2', 100);
    await remove('s1', 100);
    expect(await rows('p/')).toEqual([]);
    expect(await check()).toEqual([]);
  });

  it('goes for good with removed rows, and a shared one keeps being the base without its part', async () => {
    await remove('s1', 3);
    await remove('s2', 4);
    const less = ({ total }: { total?: number }) => ({ total: (total ?? 0) - 2 });
    const removal = { rows: [TASK, LISTED], changes: new Map([[TOTAL, less]]), erased: () => [] };
    expect(await log.removeRows(removal)).toBe(true);
    expect(new Set(newest().erased.map(([key]) => key))).toEqual(new Set([TASK, LISTED, TOTAL]));
    expect(log.state(TOTAL)).toEqual({ total: 2 });
    expect(await inBase()).toEqual([listKey('task', 't2'), resourceKey('task', 't2'), TOTAL]);
    expect(await rows('p/')).toEqual([]);
    expect(await check()).toEqual([]);
    await append(log, of('s2', 't2', 'kept'));
    const later = { rows: [resourceKey('task', 't2')], changes: new Map(), erased: () => [] };
    expect(await log.removeRows(later)).toBe(false);
  });

  it('costs a removal no more the more was removed before', async () => {
    for (let n = 0; n < 30; n += 1) await append(log, of('s1', `u${n}`, 'one'), of('s1', `u${n}`, 'two'));
    const sizes: number[] = [];
    for (let through = 6; through <= 64; through += 2) {
      await remove('s1', through);
      const { records, erased } = newest();
      sizes.push(records.length + erased.length);
    }
    expect(Math.max(...sizes.slice(1))).toBe(Math.min(...sizes.slice(1)));
    expect(await check()).toEqual([]);
  });

  const put = (key: string, json: string) => ({ type: 'put' as const, key, value: checked(json, key) });

  const CHANGES: [string, (store: Store) => Promise<unknown>][] = [
    ['another state', (store) => store.write([put(TASK, '{"state":{"count":9},"isBase":true}')])],
    ['not the base any more', (store) => store.write([put(TASK, '{"state":{"count":2}}')])],
    ['gone', (store) => store.write([{ type: 'del', key: TASK }])],
    ['damaged', (store) => store.write([{ type: 'put', key: TASK, value: '00000000{"isBase":true}' }])],
  ];

  it.each(CHANGES)('is found by its key when it is %s', async (_, change) => {
    await remove('s1', 3);
    const found = await check(change);
    expect(found.filter((finding) => /^(hash|missing) r\/task\/t1$/.test(finding))).toHaveLength(1);
  });

  it.each(CHANGES)('is found when it is %s and a summary stands for its commit', async (_, change) => {
    for (let n = 0; n < 10; n += 1) await append(log, of('s1', 't1', `${n}`));
    await remove('s1', 14);
    expect(await check()).toEqual([]);
    expect(await log.summariseCommits()).toBeGreaterThan(8);
    expect(await check()).toEqual([]);
    expect(await check(change)).toContain(`hash ${SUMMARY_KEY}`);
  });

  it('is found where a row says so and no commit does', async () => {
    await remove('s1', 3);
    const key = resourceKey('task', 't2');
    const found = await check((store) =>
      store.write([
        put(
          key,
          '{"head":{"event_id":"00000000000000000004","sequence":2},"state":{"count":7},"isBase":true}',
        ),
        put(foldKey('made-up'), '{"isBase":true}'),
        { type: 'put', key: listKey('task', 't9'), value: 'p' },
      ]),
    );
    for (const where of [key, foldKey('made-up'), listKey('task', 't9')])
      expect(found.some((finding) => finding.endsWith(` ${where}`))).toBe(true);
  });

  it('is verified from the checkpoint on, and after a restart', async () => {
    await remove('s1', 3);
    await append(log, of('s1', 't1', 'e'));
    await opened(async () => undefined);
    expect(log.integrity).toEqual({ status: 'ok' });
    await log.transact(NOBODY, (tx) => tx.record('rc/one', 'a receipt'));
    expect(await check()).toEqual([]);
  });
});
