import { eventIdOf, eventKey } from '../store/keys.ts';
import type { CommitRecord } from './commit-record.ts';
import { eventNumberOf } from './event-id.ts';
import type { LogHead } from './event-log.ts';
import type { Finding } from './finding.ts';

/** Checks that a commit has its own number and that its event ids follow those before it without a gap. */
export function checkNumbering(key: string, commit: CommitRecord, n: number, before: LogHead): Finding[] {
  const findings: Finding[] = [];
  if (commit.n !== n)
    findings.push({ problem: 'order', where: key, expected: `commit ${n}`, observed: `commit ${commit.n}` });
  let next = eventNumberOf(before.eventId) + 1;
  for (const entry of commit.entries) {
    const expected = entry.events === 0 ? null : eventIdOf(next);
    if (entry.first_event !== expected)
      findings.push(order(key, `first_event ${expected}`, `first_event ${entry.first_event}`));
    next += entry.events;
  }
  if (commit.event_id !== eventIdOf(next - 1))
    findings.push(order(key, `event_id ${eventIdOf(next - 1)}`, `event_id ${commit.event_id}`));
  return [...findings, ...checkEventKeys(key, commit, before)];
}

/** The event records of a commit are exactly the ids it counts. */
function checkEventKeys(key: string, commit: CommitRecord, before: LogHead): Finding[] {
  let next = eventNumberOf(before.eventId) + 1;
  for (const [record] of commit.records) {
    if (!record.startsWith('e/')) continue;
    const expected = eventKey(eventIdOf(next));
    if (record !== expected) return [order(key, expected, record)];
    next += 1;
  }
  const last = eventIdOf(next - 1);
  return last === commit.event_id
    ? []
    : [order(key, `events up to ${commit.event_id}`, `events up to ${last}`)];
}

function order(where: string, expected: string, observed: string): Finding {
  return { problem: 'order', where, expected, observed };
}
