import { isObject } from '#protocol/json-shape.ts';
import { isEventId } from './segment.ts';

/** Who caused one transaction of a commit, and how many of the commit's events it appended, in their order. */
export interface CommitEntry {
  actor: string | null;
  trace_id: string | null;
  events: number;
}

/**
 * One commit: what was written atomically. Self-contained, so that the log can move to another store as one message per
 * commit. Its hash is the SHA-256 of its stored bytes, and `prev_hash` chains it to the commit before.
 */
export interface CommitRecord {
  n: number;
  prev_hash: string;
  time: string;
  /** Newest event id after this commit. */
  event_id: string;
  /** Only where a new epoch of ids begins: how many were left out before the first event of this commit. */
  skipped_ids?: number;
  entries: CommitEntry[];
  /** Primary records written: key and hex SHA-256 of the content. The segments of its new events come first, in order. */
  records: [string, string][];
  /** Primary records that are no more: key and hash of what was deleted for good, or written over. */
  erased: [string, string][];
}

export const NO_COMMIT_HASH = '0'.repeat(64);

/** How many events a commit added. */
export function eventCount({ entries }: CommitRecord): number {
  return entries.reduce((sum, { events }) => sum + events, 0);
}

/** Reads stored commit bytes; throws SyntaxError when they are no JSON or no commit. */
export function parseCommit(bytes: Buffer): CommitRecord {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isCommit(value)) throw new SyntaxError('The bytes are JSON, but no commit.');
  return value;
}

type Unknown<Shape> = { [Name in keyof Shape]?: unknown };

/** Who can write to the disk can write any JSON there, under a hash of its own. */
function isCommit(value: unknown): value is CommitRecord {
  if (!isObject(value)) return false;
  const { n, skipped_ids, entries, records, erased, ...texts }: Unknown<CommitRecord> = value;
  return (
    Number.isSafeInteger(n) &&
    (skipped_ids === undefined || isCount(skipped_ids)) &&
    isText(texts.event_id) &&
    isEventId(texts.event_id) &&
    [texts.prev_hash, texts.time].every(isText) &&
    isListOf(entries, (entry) => isObject(entry) && isCount(entry['events'])) &&
    [records, erased].every((list) =>
      isListOf(list, (record) => isListOf(record, isText) && record.length === 2),
    )
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf = (value: unknown, holds: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(holds);
