import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLog } from '#eventlog/check-log.ts';
import { type CommitRange, SetHash, withRange } from '#eventlog/commit-summary.ts';
import type { EventLog, StreamScope } from '#eventlog/event-log.ts';
import { RecordedHashes } from '#eventlog/recorded-hashes.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { commitKey, eventKey, keysUnder, SUMMARY_KEY } from '#store/keys.ts';
import { seal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { append, LogDirectory, NOBODY, noted, tally } from './log-harness.ts';

const id = eventIdOf;
const of = (session: string, note: string) =>
  noted(`t-${session}`, note, { session_id: session, task_id: `t-${session}`, workspace_id: 'w' });

describe('a set hash', () => {
  it('is the same for the same members in any order, and gives them back', () => {
    const [one, other] = [new SetHash(), new SetHash()];
    one.add('a', '1');
    one.add('b', '2');
    one.add('c', '3');
    one.remove('b', '2');
    other.add('c', '3');
    other.add('a', '1');
    expect(one.digest).toBe(other.digest);
    expect(new SetHash(one.toString()).digest).toBe(one.digest);
    other.add('a', '1');
    expect(one.digest).not.toBe(other.digest);
    other.remove('a', '1');
    expect(one.digest).toBe(other.digest);
  });
});

describe('ranges of removed commits', () => {
  const range = (from: number, through: number): CommitRange => ({
    from,
    through,
    prev_hash: `before ${from}`,
    last_hash: `of ${through}`,
    event_id: id(through),
  });

  it('are joined with their neighbours', () => {
    expect(withRange([range(2, 4), range(9, 9)], range(5, 8))).toEqual([
      { ...range(9, 9), from: 2, prev_hash: 'before 2' },
    ]);
    expect(withRange([range(2, 4)], range(6, 7))).toEqual([range(2, 4), range(6, 7)]);
  });
});

describe('the summary of removed commits', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    // Commits 1 to 40: the first and the twentieth are of a session that stays.
    for (let n = 1; n <= 40; n += 1)
      await append(log, of(n === 1 || n === 20 ? 'kept' : 'gone', `event ${n}`));
    await log.transact(NOBODY, (tx) => tx.record('rc/one', 'a receipt'));
    await log.transact(NOBODY, (tx) => tx.record('o/session/other', '{}'));
    await append(log, of('kept', 'the end'));
  });
  afterEach(() => directory.remove());

  const commits = async (store: Store): Promise<number[]> => {
    const found: number[] = [];
    for await (const page of store.keys(keysUnder('c/')))
      found.push(...page.map((key) => Number(key.slice(2))));
    return found;
  };

  async function reopen(): Promise<Store> {
    await log.close();
    const store = await directory.store();
    log = await directory.open({ store });
    return store;
  }

  /** Removes what is to go, with a checkpoint behind it, and puts the summary in the place of its commits. */
  async function summarise(): Promise<number> {
    await log.removeHistory({ sessionId: 'gone', throughId: id(40) });
    await reopen();
    let count = 0;
    for (let more = await log.summariseCommits(); more > 0; more = await log.summariseCommits())
      count += more;
    return count;
  }

  async function check(
    change: (store: Store) => Promise<unknown> = async () => undefined,
  ): Promise<string[]> {
    await log.close();
    const store = await directory.store();
    await change(store);
    const findings: string[] = [];
    for await (const step of checkLog({ store, projection: tally, keys: directory.keys() })) {
      expect(step.kind).not.toBe('folds_not_compared');
      if (step.kind === 'finding') findings.push(`${step.finding.problem} ${step.finding.where}`);
    }
    await store.close();
    return findings;
  }

  it('stands for the commits of whose events none is left; the others are chained to it', async () => {
    const before = [...Array(43).keys()].map((n) => n + 1);
    expect(await commits(await reopen())).toEqual(before);
    // Those with other records go too, when nothing has to look them up.
    expect(await summarise()).toBe(18 + 22);
    const store = await reopen();
    expect(await commits(store)).toEqual([1, 20, 43, 44, 45, 46]);
    expect(log.integrity).toEqual({ status: 'ok' });
    expect(await check()).toEqual([]);
  });

  it('grows when more is removed, over a restart, and the log goes on', async () => {
    await summarise();
    for (let n = 0; n < 12; n += 1) await append(log, of('later', `event ${n}`));
    await log.transact(NOBODY, (tx) => tx.record('o/session/other', '{"changed":true}'));
    await log.transact(NOBODY, (tx) => tx.erase('rc/one'));
    await append(log, of('kept', 'more'));
    await log.removeHistory({ sessionId: 'later', throughId: id(53) });
    await reopen();
    expect(await log.summariseCommits()).toBeGreaterThan(12);
    expect(await log.summariseCommits()).toBe(0);
    expect(await check()).toEqual([]);
    log = await directory.open();
    await append(log, of('kept', 'and more'));
    expect(await check()).toEqual([]);
  });

  it('leaves alone what is not behind the checkpoint, and what is too little to be worth it', async () => {
    await log.removeHistory({ sessionId: 'gone', throughId: id(40) });
    expect(await log.summariseCommits()).toBe(0);
    const few = new LogDirectory();
    const other = await few.open();
    await append(other, of('kept', 'a'));
    for (let n = 0; n < 5; n += 1) await append(other, of('gone', 'b'));
    await append(other, of('kept', 'c'));
    await other.removeHistory({ sessionId: 'gone', throughId: id(6) });
    await other.close();
    const again = await few.open();
    expect(await again.summariseCommits()).toBe(0);
    await few.remove();
  });

  it('vouches for the records that the removed commits had named', async () => {
    await summarise();
    const put = (key: string, content: string) => (store: Store) =>
      store.write([{ type: 'put', key, value: seal(content, key) }]);
    expect(await check(put('rc/one', 'another receipt'))).toEqual([`hash ${SUMMARY_KEY}`]);
    expect(await check(put('rc/one', 'a receipt'))).toEqual([]);
    expect(await check((store) => store.write([{ type: 'del', key: 'rc/one' }]))).toEqual([
      `hash ${SUMMARY_KEY}`,
    ]);
    await check(put('rc/one', 'a receipt'));
    expect(await check(put('rc/two', 'one more'))).toEqual([`hash ${SUMMARY_KEY}`]);
  });

  describe('where commits stay that had named what removed ones erased or rewrote', () => {
    const MIXED = [id(42), id(43)];
    beforeEach(async () => {
      // One commit with an event that goes and one that stays, and records that change later.
      await log.transact(NOBODY, (tx) => {
        for (const session of ['gone', 'kept']) tx.append(of(session, 'together'));
        tx.record('rc/two', 'as it was');
        tx.record('rc/three', 'erased later');
      });
      for (let n = 0; n < 12; n += 1)
        await log.transact(NOBODY, (tx) => {
          tx.append(of('gone', `event ${n}`));
          tx.record('rc/two', `changed ${n}`);
          if (n === 0) tx.erase('rc/three');
        });
      await log.removeHistory({ sessionId: 'gone', throughId: id(42) });
      await append(log, of('gone', 'the last'));
      await log.removeHistory({ sessionId: 'gone', throughId: id(56) });
      await reopen();
      expect(await log.summariseCommits()).toBeGreaterThan(12);
    });

    it('finds nothing wrong with them', async () => {
      expect(log.event(MIXED[0] ?? '')).toBeUndefined();
      expect(log.event(MIXED[1] ?? '')).toBeDefined();
      expect(await check()).toEqual([]);
    });

    /** What else the sum would have vouched for is told, too. */
    const told = async (change: (store: Store) => Promise<unknown>): Promise<string[]> => {
      await log.close();
      const store = await directory.store();
      await change(store);
      const steps: string[] = [];
      for await (const step of checkLog({ store, projection: tally, keys: directory.keys() }))
        steps.push(step.kind === 'finding' ? `${step.finding.problem} ${step.finding.where}` : step.kind);
      await store.close();
      return steps;
    };

    it.each<[string, string, (store: Store) => Promise<unknown>]>([
      ['brought back', 'hash cs/commits', (store) => store.write([record('as it was')])],
      ['damaged', 'hash rc/two', (store) => store.write([{ ...record(''), value: Buffer.alloc(40) }])],
      [
        'gone',
        `missing ${eventKey(id(43))}`,
        (store) => store.write([{ type: 'del', key: eventKey(id(43)) }]),
      ],
    ])('finds what is %s', async (_, finding, change) => {
      expect(await told(change)).toEqual(
        expect.arrayContaining([finding, `hash ${SUMMARY_KEY}`, 'folds_not_compared']),
      );
    });

    const record = (content: string) => ({
      type: 'put' as const,
      key: 'rc/two',
      value: seal(content, 'rc/two'),
    });
  });

  it('takes the commits of a span that did nothing but remove, and leaves those beside them', async () => {
    for (let n = 0; n < 10; n += 1) {
      await log.transact(NOBODY, (tx) => tx.record(`f/t1/0000000${n}`, `frame ${n}`));
      await append(log, of('kept', `after ${n}`));
    }
    const from = log.head.commit + 1;
    for (let through = 2; through <= 40; through += 2)
      await log.removeHistory({ sessionId: 'gone', throughId: id(through) });
    const through = log.head.commit;
    await log.transact(NOBODY, (tx) => tx.record('f/t1/00000010', 'the last frame'));
    await append(log, of('kept', 'behind'));
    await reopen();
    expect(await log.summariseCommits(undefined, [])).toBe(18 + 22);
    expect(await log.summariseCommits(undefined, [{ from, through }])).toBe(through - from + 1);
    expect(await log.summariseCommits(undefined, [{ from, through }])).toBe(0);
    const store = await reopen();
    expect(await commits(store)).toEqual(expect.arrayContaining([from - 1, through + 1, through + 2]));
    const hashes = new RecordedHashes(log);
    expect(hashes.ofRecord('f/t1/00000009', id(50), 0)).toMatchObject({ status: 'known' });
    expect(hashes.ofRecord('f/t1/00000010', id(51), 0)).toMatchObject({ status: 'known' });
    expect(await check()).toEqual([]);
  });

  it('is signed, and is found when it is changed', async () => {
    await summarise();
    const found = await check(async (store) => {
      const summary = JSON.parse(String(store.get(SUMMARY_KEY)?.subarray(36)));
      summary.ranges[0].through -= 1;
      await store.write([
        { type: 'put', key: SUMMARY_KEY, value: seal(JSON.stringify(summary), SUMMARY_KEY) },
      ]);
    });
    expect(found).toEqual(expect.arrayContaining([`hash ${SUMMARY_KEY}`]));
    const gone = await check((store) => store.write([{ type: 'del', key: SUMMARY_KEY }]));
    expect(gone).toEqual(expect.arrayContaining([`missing ${SUMMARY_KEY}`, `missing ${commitKey(2)}`]));
  });

  it('lets the hash of an event that is left be found in its commit', async () => {
    await summarise();
    const hashes = new RecordedHashes(log);
    expect(hashes.ofSegment(id(20))).toMatchObject({ status: 'known', segment: { firstId: id(20) } });
    expect(hashes.ofSegment(id(41))).toMatchObject({ status: 'known' });
    expect(log.segment(id(20))?.key).toBe(eventKey(id(20)));
    const scope: StreamScope = { kind: 'session', id: 'kept' };
    expect((await log.range(scope, id(0), 10)).length).toBe(3);
  });
});
