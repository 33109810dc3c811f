import type { JsonObject } from '../protocol/json.ts';
import type { Event, StoredEvent } from './event-log.ts';

/** The kind that stands in the place of the last removed event of a stream. */
export const HISTORY_REMOVED = 'vendor.harn_gateway.history_removed';

/** Whether an event is one that happened, not the mark of those that are gone. */
export function isNoMark({ event }: Pick<Event, 'event'>): boolean {
  return event !== HISTORY_REMOVED;
}

/** What a mark is stored as: the members of its event that are not the same in every mark. */
type StoredMark = Pick<
  Event,
  'id' | 'created_at' | 'payload' | 'previous_event_id' | 'resource' | 'sequence'
> &
  Partial<Pick<Event, 'session_id' | 'task_id' | 'workspace_id'>>;

/**
 * The mark has the envelope of the last removed event, so that ids, sequences and links go on without a gap; the gateway is its
 * actor.
 */
export function encodeMark(last: Event, payload: JsonObject): string {
  const { id, created_at, previous_event_id, resource, sequence } = last;
  const { session_id, task_id, workspace_id } = last;
  return JSON.stringify({
    id,
    created_at,
    payload,
    previous_event_id,
    resource,
    sequence,
    ...(session_id === null ? {} : { session_id }),
    ...(task_id === null ? {} : { task_id }),
    ...(workspace_id === null ? {} : { workspace_id }),
  } satisfies StoredMark);
}

/** The event that a stored mark stands for, its members in RFC 8785 order. */
export function markEvent(content: Buffer): StoredEvent {
  const mark: StoredMark = JSON.parse(content.toString('utf8'));
  const event: Event = {
    actor: null,
    created_at: mark.created_at,
    event: HISTORY_REMOVED,
    id: mark.id,
    metadata: {},
    object: 'event',
    payload: mark.payload,
    previous_event_id: mark.previous_event_id,
    resource: mark.resource,
    sequence: mark.sequence,
    session_id: mark.session_id ?? null,
    span_id: null,
    task_id: mark.task_id ?? null,
    trace_id: null,
    updated_at: mark.created_at,
    workspace_id: mark.workspace_id ?? null,
  };
  return { event, bytes: Buffer.from(JSON.stringify(event)) };
}
