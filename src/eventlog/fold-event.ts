import type { JsonObject } from '#protocol/json.ts';
import type {
  Event,
  NewEvent,
  Origin,
  Projection,
  ResourcePointer,
  State,
  StateWriter,
} from './event-log.ts';

/** Newest event of one resource; gives the next event its `sequence` and `previous_event_id`. */
export interface ResourceHead {
  event_id: string;
  sequence: number;
}

/** What a fold of the log itself writes besides the states of the projection. */
export interface FoldWriter extends StateWriter {
  head(resource: ResourcePointer): ResourceHead | undefined;
  moveHead(resource: ResourcePointer, head: ResourceHead): void;
}

/** Folds one event: the resource's head, then the resources. The same code runs live and in a rebuild. */
export function foldEvent(event: Event, states: FoldWriter, projection: Projection): void {
  states.moveHead(event.resource, { event_id: event.id, sequence: event.sequence });
  projection(event, states);
}

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

/**
 * States that one transaction changes in place, by their keys. The first change of a state copies it; later ones change that
 * copy, until a decision has read it. What is set as a whole is nobody's draft: it may be part of an event.
 */
export type Drafts = Map<string, State>;

/** A state of its own down to the members of its `resource` and `internal`; what these hold is shared. */
export function copyOf<S extends State>(state: S): S {
  const copy: S & { resource?: object; internal?: object } = { ...state };
  if (copy.resource !== undefined) copy.resource = { ...copy.resource };
  if (copy.internal !== undefined) copy.internal = { ...copy.internal };
  return copy;
}
