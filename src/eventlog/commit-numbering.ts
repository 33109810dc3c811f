import { eventIdBehind, eventIdOf, eventNumberOf, partitionOf } from '#protocol/ports.ts';
import { isEventKey, lastSegment } from '#store/keys.ts';
import { type CommitRecord, eventCount } from './commit-record.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';
import { NO_EVENT } from './segment.ts';

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
    `events up to ${eventIdBehind(beginning(before, commit), (commit.skipped_ids ?? 0) + events)}`,
    `events up to ${commit.event_id}`,
  );
  const last = segmentsAfter(before, commit).at(-1)?.lastId ?? before.eventId;
  if (events > 0) compare(`segments up to ${commit.event_id}`, `segments up to ${last}`);
  return findings;
}

/** The segments of the new events of a commit that follows `before`. Older ones that it names are what retention left. */
export function segmentsAfter(before: Pick<LogHead, 'eventId'>, commit: CommitRecord): SegmentPlace[] {
  let next = eventIdBehind(beginning(before, commit), (commit.skipped_ids ?? 0) + 1);
  return commit.records
    .filter(([key]) => isEventKey(key) && lastSegment(key) > before.eventId)
    .map(([key]) => {
      const lastId = lastSegment(key);
      const firstId = next;
      next = eventIdBehind(lastId, 1);
      return { key, firstId, lastId };
    });
}

/** The newest event before a commit, by what the commit says. */
export function eventBefore(commit: CommitRecord): string {
  const events = eventCount(commit) + (commit.skipped_ids ?? 0);
  return eventIdBehind(commit.event_id, -Math.min(events, eventNumberOf(commit.event_id)));
}

/** Where the ids of a commit go on; the first one of a log says itself in which partition. */
function beginning({ eventId }: Pick<LogHead, 'eventId'>, commit: CommitRecord): string {
  return eventId === NO_EVENT ? eventIdOf(0, partitionOf(commit.event_id)) : eventId;
}
