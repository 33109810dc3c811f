import { sha256Hex } from '#json/canonical.ts';
import { eventIdBehind } from '#protocol/ports.ts';
import { commitKey, SUMMARY_KEY } from '#store/keys.ts';
import { eventBefore, segmentsAfter } from './commit-numbering.ts';
import { type CommitRecord, parseCommit } from './commit-record.ts';
import type { CommitRange, CommitSummary } from './commit-summary.ts';
import type { EventLog } from './event-log.ts';

/** Commits looked at one after the other before a binary search: the events of one run are close together. */
const NEAR = 8;

/** What the commit chain says about one record. Hashes are lower-case hex SHA-256. */
export type RecordedHash =
  | { status: 'known'; sha256: string; segment?: { firstId: string; lastId: string } }
  /** The commit itself is not the one that the next commit, or the head, follows. */
  | { status: 'broken'; where: string; expected: string; observed: string }
  | { status: 'unknown' };

interface Commit {
  n: number;
  record: CommitRecord;
  records: ReadonlyMap<string, string>;
}

/**
 * The hashes that commits recorded of events and other records. A stored record that has another one was changed after its
 * commit, although it carries a right seal. Each commit looked at is held against the one after it.
 */
export class RecordedHashes {
  readonly #log: Pick<EventLog, 'record' | 'head'>;
  readonly #known = new Map<number, Commit | RecordedHash>();
  #near = 1;

  constructor(log: Pick<EventLog, 'record' | 'head'>) {
    this.#log = log;
  }

  /** Of the segment that was written with the event in it. */
  ofSegment(eventId: string): RecordedHash {
    const commit = this.#commitOf(eventId);
    if (commit === undefined || 'status' in commit) return commit ?? { status: 'unknown' };
    const before = { eventId: eventBefore(commit.record) };
    const own = segmentsAfter(before, commit.record).find(({ lastId }) => lastId >= eventId);
    if (own === undefined) return { status: 'unknown' };
    const { key, firstId, lastId } = own;
    return { status: 'known', sha256: commit.records.get(key) ?? '', segment: { firstId, lastId } };
  }

  /** A record written in a transaction that began behind the event `after` and appended `events` events. */
  ofRecord(key: string, after: string, events: number): RecordedHash {
    const { commit: last } = this.#log.head;
    const own = eventIdBehind(after, Math.min(1, events));
    for (let n = this.#numberOf(own); n <= last; n += 1) {
      const commit = this.#read(n);
      if ('status' in commit) {
        const removed = this.#rangeOf(n);
        if (removed === undefined) return commit;
        // Records that a removed commit had named are gone, or not read any more.
        n = removed.through;
        continue;
      }
      const sha256 = commit.records.get(key);
      if (sha256 !== undefined) return { status: 'known', sha256 };
      // Commits without events follow each other at the same place of the log.
      if (commit.record.event_id > own) break;
    }
    return { status: 'unknown' };
  }

  #commitOf(eventId: string): Commit | RecordedHash | undefined {
    const n = this.#numberOf(eventId);
    return n > this.#log.head.commit ? undefined : this.#read(n);
  }

  /** Number of the first commit that reaches the event. */
  #numberOf(eventId: string): number {
    let [low, high] = [1, this.#log.head.commit + 1];
    if (this.#reaches(this.#near, eventId)) high = this.#near;
    else low = this.#near + 1;
    for (let step = 0; step < NEAR && low < high; step += 1) {
      const n = low > this.#near ? low : high - 1;
      if (this.#reaches(n, eventId)) high = n;
      else low = n + 1;
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#reaches(middle, eventId)) high = middle;
      else low = middle + 1;
    }
    this.#near = Math.min(low, Math.max(1, this.#log.head.commit));
    return low;
  }

  #reaches(n: number, eventId: string): boolean {
    const commit = this.#read(n);
    if (!('status' in commit)) return commit.record.event_id >= eventId;
    // A removed commit has no event that is left; its range says where it stood.
    const range = this.#rangeOf(n);
    return range !== undefined && range.event_id >= eventId;
  }

  /** The removed commits among which this one is. */
  #rangeOf(n: number): CommitRange | undefined {
    return this.#ranges().find(({ from, through }) => from <= n && n <= through);
  }

  #ranges(): readonly CommitRange[] {
    const bytes = this.#log.record(SUMMARY_KEY);
    const summary: CommitSummary | undefined = bytes && JSON.parse(bytes.toString('utf8'));
    return summary?.ranges ?? [];
  }

  #read(n: number): Commit | RecordedHash {
    const known = this.#known.get(n) ?? this.#verified(n);
    this.#known.set(n, known);
    return known;
  }

  #verified(n: number): Commit | RecordedHash {
    const bytes = this.#log.record(commitKey(n));
    if (bytes === undefined) return { status: 'unknown' };
    const observed = sha256Hex(bytes);
    const expected = this.#nameOf(n);
    if (observed !== expected) return { status: 'broken', where: commitKey(n), expected, observed };
    const record = parseCommit(bytes);
    return { n, record, records: new Map(record.records) };
  }

  /** The hash by which its follower, or the head of the log, names a commit. */
  #nameOf(n: number): string {
    const { commit, hash } = this.#log.head;
    if (n >= commit) return hash;
    const next = this.#log.record(commitKey(n + 1));
    if (next !== undefined) return parseCommit(next).prev_hash;
    const range = this.#ranges().find(({ from }) => from === n + 1);
    return range?.prev_hash ?? 'a commit that follows';
  }
}
