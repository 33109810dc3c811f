import type { JsonObject } from '#protocol/json.ts';

/** A primary record that a commit names. */
export interface NamedRecord {
  key: string;
  /** SHA-256 of its content as the commit names it, lower-case hex. */
  sha256: string;
  /** Undefined where the store does not hold this content: a later commit erased or rewrote it, or it is damaged. */
  content: Buffer | undefined;
}

/** A commit with the primary records it names; rows that are the base, which it names too, are given to `rows`. */
export interface StoredCommit {
  /** All members but those below, and `n` and `prev_hash`, which the new log sets. */
  members: JsonObject;
  records: NamedRecord[];
  /** Keys of primary records deleted for good. */
  erased: [string, string][];
}

/**
 * How a log comes from one stored form to the next. Pure, and it sees one commit at a time. A record whose content it leaves
 * alone keeps its hash; the hash of one with a new content is computed for it.
 */
export interface SchemaStep {
  /** The form it reads; it makes the next one. */
  readonly from: number;
  /** Events, receipts and frames have to come out the same. A record without content is passed on under its new key. */
  commit(commit: StoredCommit): StoredCommit;
  /**
   * The rows of the next form for a derived row, which is given and returned as it is stored, checksum included. Derived rows are
   * made again from the events, so it is asked only for those that are the base of what retention removed, and for all of them
   * where events are damaged.
   */
  rows(key: string, stored: Buffer): [key: string, stored: Buffer | string][];
}
