import { sha256Hex } from '#json/canonical.ts';
import { commitKey, keysUnder, lastSegment } from '#store/keys.ts';
import { SEAL_BYTES, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { checkNumbering, eventBefore } from './commit-numbering.ts';
import { type CommitRecord, NO_COMMIT_HASH, parseCommit } from './commit-record.ts';
import { type CommitRange, headBehind, rangeAfter, readSummary } from './commit-summary.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';
import { NO_EVENT } from './segment.ts';

export const EMPTY_HEAD: LogHead = { commit: 0, hash: NO_COMMIT_HASH, eventId: NO_EVENT };

/** In place of the newest event after a commit that cannot be read; no event id is greater. */
const UNREAD = '?';

/** One commit of a walk: what it says when it can be read, the faults found, and the heads before and after it. */
export interface WalkedCommit {
  key: string;
  commit: CommitRecord | undefined;
  findings: Finding[];
  before: LogHead;
  head: LogHead;
}

/**
 * Walks the commits after `since` in order and checks number, hash, chain and event numbering of each. Does not stop at a
 * fault: the caller decides. The records a commit names are checked by RecordAudit.
 */
export async function* walkCommits(
  store: Pick<Store, 'get' | 'entries'>,
  since: LogHead,
): AsyncGenerator<WalkedCommit, void> {
  let head = since;
  const summary = readSummary(store);
  const { lt } = keysUnder('c/');
  for await (const page of store.entries({ gt: commitKey(since.commit), lt }))
    for (const [key, sealed] of page) {
      const range = rangeAfter(summary, head);
      const linked = range === undefined ? [] : brokenRange(range, head);
      if (range !== undefined) head = headBehind(range);
      const walked = checkCommit(key, sealed, head);
      walked.findings.unshift(...linked);
      yield walked;
      head = walked.head;
    }
}

function checkCommit(key: string, sealed: Buffer, since: LogHead): WalkedCommit {
  const n = Number(lastSegment(key));
  const findings: Finding[] = [];
  if (n !== since.commit + 1)
    findings.push({
      problem: 'missing',
      where: commitKey(since.commit + 1),
      expected: 'a commit',
      observed: `next is ${key}`,
    });
  const { commit, hash, fault } = readCommit(key, sealed);
  if (fault !== undefined) findings.push({ problem: 'hash', where: key, ...fault });
  if (commit === undefined)
    return { key, commit, findings, before: since, head: { commit: n, hash, eventId: UNREAD } };
  const before = since.eventId === UNREAD ? { ...since, eventId: eventBefore(commit) } : since;
  if (findings.length === 0 && commit.prev_hash !== before.hash) findings.push(brokenLink(before, commit));
  findings.push(...checkNumbering(key, commit, n, before));
  return { key, commit, findings, before, head: { commit: n, hash, eventId: commit.event_id } };
}

function brokenRange({ from, prev_hash }: CommitRange, { commit, hash, eventId }: LogHead): Finding[] {
  if (prev_hash === hash || eventId === UNREAD) return [];
  const where = commit === 0 ? commitKey(from) : commitKey(commit);
  return [{ problem: 'chain', where, expected: prev_hash, observed: hash }];
}

/** The successor vouches for the commit before it, so that is the one named. */
function brokenLink(before: LogHead, commit: CommitRecord): Finding {
  const where = before.commit === 0 ? commitKey(commit.n) : commitKey(before.commit);
  return { problem: 'chain', where, expected: commit.prev_hash, observed: before.hash };
}

export interface ReadCommit {
  /** Undefined when it is not what was written. */
  commit?: CommitRecord;
  hash: string;
  fault?: Pick<Finding, 'expected' | 'observed'>;
}

/** Bytes that are not what was sealed are not read: they could say anything. */
export function readCommit(key: string, sealed: Buffer): ReadCommit {
  const hash = sha256Hex(sealed.subarray(SEAL_BYTES));
  try {
    return { commit: parseCommit(unseal(sealed, key)), hash };
  } catch (error) {
    if (error instanceof IntegrityError)
      return { hash, fault: { expected: error.expected, observed: error.observed } };
    if (!(error instanceof SyntaxError)) throw error;
    return { hash, fault: { expected: 'a commit', observed: error.message } };
  }
}
