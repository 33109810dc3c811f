import type { JsonObject } from '../protocol/json.ts';
import type { Event, NewEvent, Origin } from './event-log.ts';

/** What the log adds to a new event. */
export interface EventPlace {
  id: string;
  sequence: number;
  previousEventId: string | null;
  time: string;
}

/** The clean content of a new event. */
export interface EventContent {
  payload: JsonObject;
  metadata: JsonObject;
}

/**
 * Builds the event as stored and sent. The keys are written in RFC 8785 order, so JSON.stringify of the envelope is
 * already canonical and the bytes need no second pass.
 */
export function buildEvent(input: NewEvent, content: EventContent, origin: Origin, place: EventPlace): Event {
  return {
    actor: origin.actor,
    created_at: place.time,
    event: input.event,
    id: place.id,
    metadata: content.metadata,
    object: 'event',
    payload: content.payload,
    previous_event_id: place.previousEventId,
    ...(input.receipt_id === undefined ? {} : { receipt_id: input.receipt_id }),
    ...(input.replay === undefined ? {} : { replay: input.replay, replayed: true }),
    resource: { id: input.resource.id, object: input.resource.object },
    sequence: place.sequence,
    session_id: input.session_id ?? null,
    span_id: origin.spanId ?? null,
    task_id: input.task_id ?? null,
    trace_id: origin.traceId ?? null,
    updated_at: place.time,
    workspace_id: input.workspace_id ?? null,
  };
}
