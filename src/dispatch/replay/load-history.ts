import { eventNumberOf, NO_EVENT } from '../../eventlog/event-id.ts';
import type { Event, EventLog } from '../../eventlog/event-log.ts';
import type { TaskState } from '../../projections/states.ts';
import type { History } from '../../replay/history.ts';
import { type RecordedFrame, readFrame } from '../../replay/recorded-frame.ts';
import { framesOf, keysUnder } from '../../store/keys.ts';

/** Events, and frame keys, read at once. */
const PAGE = 500;

/**
 * Reads what was recorded of a run up to an event of the log: what its agent says later is no part of it. Rejects with
 * `resource_locked` for a record that fails its hash.
 */
export async function loadHistory(
  log: EventLog,
  { resource, internal }: TaskState,
  throughId: string = log.head.eventId,
): Promise<History> {
  const events = await readEvents(log, resource.id);
  const frames = await readFrames(log, resource.id);
  const last = eventNumberOf(throughId);
  return {
    taskId: resource.id,
    sessionId: resource.session_id,
    route: internal.route,
    events: events.filter(({ id }) => id <= throughId),
    frames: frames.filter((frame) => eventNumberOf(frame.after) + frame.events <= last),
  };
}

export async function readEvents(log: EventLog, taskId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = NO_EVENT, size = PAGE; size === PAGE; after = events.at(-1)?.id ?? after) {
    const page = await log.range({ kind: 'task', id: taskId }, after, PAGE);
    for (const bytes of page) events.push(JSON.parse(bytes.toString('utf8')));
    size = page.length;
  }
  return events;
}

async function readFrames(log: EventLog, taskId: string): Promise<RecordedFrame[]> {
  const frames: RecordedFrame[] = [];
  const { gte, lt } = keysUnder(framesOf(taskId));
  let keys = await log.indexKeys({ gte, lt, limit: PAGE });
  while (keys.length > 0) {
    for (const key of keys) {
      const content = log.record(key);
      if (content !== undefined) frames.push(readFrame(content));
    }
    keys = await log.indexKeys({ gt: keys.at(-1) ?? lt, lt, limit: PAGE });
  }
  return frames;
}
