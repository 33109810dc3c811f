import { eventIdOf, isEventKey, lastSegment } from '#store/keys.ts';
import { type CommitRecord, eventCount } from './commit-record.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';
import { eventNumberOf } from './segment.ts';

/** Where a segment of a commit has to lie. */
export interface SegmentPlace {
  key: string;
  firstId: string;
  lastId: string;
}

/**
 * Checks that a commit has its own number and that its events and segments follow those before it, without a gap that it does
 * not name.
 */
export function checkNumbering(key: string, commit: CommitRecord, n: number, before: LogHead): Finding[] {
  const findings: Finding[] = [];
  const compare = (expected: string, observed: string) => {
    if (expected !== observed) findings.push({ problem: 'order', where: key, expected, observed });
  };
  const events = eventCount(commit);
  compare(`commit ${n}`, `commit ${commit.n}`);
  compare(
    `events up to ${eventIdOf(eventNumberOf(before.eventId) + (commit.skipped_ids ?? 0) + events)}`,
    `events up to ${commit.event_id}`,
  );
  const last = segmentsAfter(before, commit).at(-1)?.lastId ?? before.eventId;
  if (events > 0) compare(`segments up to ${commit.event_id}`, `segments up to ${last}`);
  return findings;
}

/** The segments of the new events of a commit that follows `before`. Older ones that it names are what retention left. */
export function segmentsAfter(before: Pick<LogHead, 'eventId'>, commit: CommitRecord): SegmentPlace[] {
  let next = eventNumberOf(before.eventId) + (commit.skipped_ids ?? 0) + 1;
  return commit.records
    .filter(([key]) => isEventKey(key) && lastSegment(key) > before.eventId)
    .map(([key]) => {
      const lastId = lastSegment(key);
      const firstId = eventIdOf(next);
      next = eventNumberOf(lastId) + 1;
      return { key, firstId, lastId };
    });
}

/** The newest event before a commit, by what the commit says. */
export function eventBefore(commit: CommitRecord): string {
  const before = eventNumberOf(commit.event_id) - eventCount(commit) - (commit.skipped_ids ?? 0);
  return eventIdOf(Math.max(0, before));
}
