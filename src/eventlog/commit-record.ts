/** What one transaction added to a commit; `first_event` is null when it appended none. */
export interface CommitEntry {
  actor: string | null;
  trace_id: string | null;
  first_event: string | null;
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
  entries: CommitEntry[];
  /** Primary records written: key and hex SHA-256 of the content. */
  records: [string, string][];
  /** Primary records deleted for good. */
  erased: string[];
}

export const NO_COMMIT_HASH = '0'.repeat(64);

/** Reads stored commit bytes; throws SyntaxError when they are no JSON. */
export function parseCommit(bytes: Buffer): CommitRecord {
  return JSON.parse(bytes.toString('utf8'));
}
