import { sha256Hex } from '#json/canonical.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import { commitKey, eventKey, keysUnder, lastSegment } from '#store/keys.ts';
import { SEAL_BYTES } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { EMPTY_HEAD, readCommit, walkCommits } from './commit-walk.ts';
import type { Integrity, LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';
import { newestEventId } from './log-reader.ts';
import { RecordAudit } from './record-audit.ts';
import { NO_EVENT } from './segment.ts';

export interface TailVerdict {
  integrity: Integrity;
  /** Newest commit in the store as it claims to be. */
  head: LogHead;
  /** Time of the newest commit, epoch milliseconds. */
  timeMs: number;
}

/**
 * Verifies the store from a trusted head (a signed checkpoint, or the last head this process saw durable) to its end: the
 * trusted commit is there unchanged, every later commit is chained to it, and every record those name has its hash.
 */
export async function verifyTail(store: Store, trusted: LogHead): Promise<TailVerdict> {
  const newest = await newestOrDamage(store, trusted);
  if ('integrity' in newest) return newest;
  const verdict = (integrity: Integrity): TailVerdict => ({ ...newest, integrity });
  if (newest.head.commit < trusted.commit)
    return verdict({ status: 'truncated', expected: trusted, found: newest.head });
  try {
    const finding = checkTrusted(store, trusted) ?? (await firstFinding(store, trusted, newest.head));
    return verdict(finding === undefined ? { status: 'ok' } : damaged(finding));
  } catch (error) {
    if (error instanceof IntegrityError) return verdict(damaged(error));
    throw error;
  }
}

/** Where the newest commit cannot be read, the trusted one is the head: what is before it can be served. */
async function newestOrDamage(store: Store, trusted: LogHead): Promise<NewestCommit | TailVerdict> {
  try {
    return await newestCommit(store);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    return { head: trusted, timeMs: 0, integrity: damaged(error) };
  }
}

function damaged({ where, expected, observed }: Omit<Finding, 'problem'>): Integrity {
  return { status: 'damaged', where, expected, observed };
}

function checkTrusted(store: Store, trusted: LogHead): Finding | undefined {
  if (trusted.commit === 0) return undefined;
  const where = commitKey(trusted.commit);
  const sealed = store.get(where);
  if (sealed === undefined)
    return { problem: 'missing', where, expected: trusted.hash, observed: 'no commit' };
  const observed = sha256Hex(sealed.subarray(SEAL_BYTES));
  return observed === trusted.hash ? undefined : { problem: 'hash', where, expected: trusted.hash, observed };
}

async function firstFinding(store: Store, trusted: LogHead, head: LogHead): Promise<Finding | undefined> {
  const audit = new RecordAudit(store);
  for await (const { commit, findings, before } of walkCommits(store, trusted)) {
    if (findings[0] !== undefined) return findings[0];
    if (commit !== undefined) await audit.take(commit, before);
  }
  const suspect = audit.findings()[0];
  if (suspect !== undefined) return suspect;
  const newest = await newestEventId(store);
  // A log without events names its partition all the same.
  if (newest === head.eventId || (newest === NO_EVENT && eventNumberOf(head.eventId) === 0)) return undefined;
  return newest > head.eventId
    ? {
        problem: 'extra',
        where: eventKey(newest),
        expected: `events up to ${head.eventId}`,
        observed: newest,
      }
    : {
        problem: 'missing',
        where: eventKey(head.eventId),
        expected: head.eventId,
        observed: `events up to ${newest}`,
      };
}

interface NewestCommit {
  head: LogHead;
  timeMs: number;
}

/** Head and time by the newest commit record; a record that cannot be read leaves the event ids to the events. */
async function newestCommit(store: Store): Promise<NewestCommit> {
  for await (const [entry] of store.entries({ ...keysUnder('c/'), reverse: true, limit: 1 })) {
    if (entry === undefined) break;
    const [key, sealed] = entry;
    const commit = Number(lastSegment(key));
    const { commit: record, hash } = readCommit(key, sealed);
    if (record === undefined)
      return { head: { commit, hash, eventId: await newestEventId(store) }, timeMs: 0 };
    return { head: { commit, hash, eventId: record.event_id }, timeMs: Date.parse(record.time) };
  }
  return { head: EMPTY_HEAD, timeMs: 0 };
}
