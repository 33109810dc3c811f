import { eventIdOf } from '../store/keys.ts';
import { type CommitRecord, eventHashes } from './commit-record.ts';
import { eventNumberOf } from './event-id.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';

/** Checks that a commit has its own number and that its event ids follow those before it, without a gap that it does not name. */
export function checkNumbering(key: string, commit: CommitRecord, n: number, before: LogHead): Finding[] {
  const findings: Finding[] = [];
  const compare = (expected: string, observed: string) => {
    if (expected !== observed) findings.push({ problem: 'order', where: key, expected, observed });
  };
  const events = commit.entries.reduce((sum, entry) => sum + entry.events, 0);
  compare(`commit ${n}`, `commit ${commit.n}`);
  compare(
    `events up to ${eventIdOf(eventNumberOf(before.eventId) + (commit.skipped_ids ?? 0) + events)}`,
    `events up to ${commit.event_id}`,
  );
  compare(`${events} event hashes`, `${eventHashes(commit).length} event hashes`);
  return findings;
}

/** Ids of the events of a commit that follows `before`. */
export function eventIdsAfter(before: LogHead, commit: CommitRecord): string[] {
  const first = eventNumberOf(before.eventId) + (commit.skipped_ids ?? 0) + 1;
  return eventHashes(commit).map((_, at) => eventIdOf(first + at));
}
