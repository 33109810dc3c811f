import { eventIdOf, eventNumberOf, FIRST_PARTITION, partitionOf } from '#protocol/ports.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { Event, StoredEvent } from './event-log.ts';

/** The kind that replaces the last removed event of a stream. */
export const HISTORY_REMOVED = 'vendor.harn_gateway.history_removed';

/** Whether an event is one that happened, not the mark of those that are gone. */
export function isNoMark({ event }: Pick<Event, 'event'>): boolean {
  return event !== HISTORY_REMOVED;
}

/** What a mark says besides the place of the last removed event. */
export interface RemovedPart {
  object: 'session' | 'task';
  firstId: string;
  events: number;
  removedAt: string;
  /** Newest event of the log when they were removed: there the commit is found that vouches for what is left. */
  removedBehindId: string;
}

/** The number of an event id of the first partition; any other id as it is. */
type StoredId = number | string;

/** What a mark is stored as. There is one for each task, so its members have no names. */
type StoredMark = [
  id: StoredId,
  created_at: string,
  event: string,
  previous_event_id: StoredId | null,
  resource: [object: string, id: string],
  sequence: number,
  session_id: string | null,
  task_id: string | null,
  workspace_id: string | null,
  object: RemovedPart['object'],
  first_event_id: StoredId,
  events: number,
  removed_at: string,
  removed_behind_event_id: StoredId,
];

const RESOURCE = 4;

/**
 * The mark has the envelope of the last removed event, so that ids, sequences and links go on without a gap; the gateway is its
 * actor.
 */
export function encodeMark(last: Event, part: RemovedPart): string {
  return JSON.stringify([
    storedId(last.id),
    last.created_at,
    last.event,
    last.previous_event_id === null ? null : storedId(last.previous_event_id),
    [last.resource.object, last.resource.id],
    last.sequence,
    last.session_id,
    last.task_id,
    last.workspace_id,
    part.object,
    storedId(part.firstId),
    part.events,
    part.removedAt,
    storedId(part.removedBehindId),
  ] satisfies StoredMark);
}

function storedId(id: string): StoredId {
  return partitionOf(id) === FIRST_PARTITION ? eventNumberOf(id) : id;
}

function eventId(stored: StoredId): string {
  return typeof stored === 'number' ? eventIdOf(stored) : stored;
}

/**
 * The event that a stored mark stands for, its members in RFC 8785 order, and what it says. Throws IntegrityError for what is no
 * mark: who can write to the disk can seal anything.
 */
export function markEvent(key: string, content: Buffer): StoredEvent & { part: RemovedPart } {
  const stored: StoredMark = JSON.parse(content.toString('utf8'));
  if (!Array.isArray(stored) || !Array.isArray(stored[RESOURCE]))
    throw new IntegrityError(key, 'a mark of removed events', 'another record');
  const [id, created_at, removedEvent, previous, [resourceObject, resourceId], sequence, ...rest] = stored;
  const [session_id, task_id, workspace_id, object, first, events, removedAt, removedBehind] = rest;
  const part = {
    object,
    firstId: eventId(first),
    events,
    removedAt,
    removedBehindId: eventId(removedBehind),
  };
  const event: Event = {
    actor: null,
    created_at,
    event: HISTORY_REMOVED,
    id: eventId(id),
    metadata: {},
    object: 'event',
    payload: {
      event: removedEvent,
      removed_at: removedAt,
      removed_behind_event_id: part.removedBehindId,
      streams: [
        { object, id: object === 'session' ? session_id : task_id, first_event_id: part.firstId, events },
      ],
    },
    previous_event_id: previous === null ? null : eventId(previous),
    resource: { id: resourceId, object: resourceObject },
    sequence,
    session_id,
    span_id: null,
    task_id,
    trace_id: null,
    updated_at: created_at,
    workspace_id,
  };
  return { event, bytes: Buffer.from(JSON.stringify(event)), part };
}
