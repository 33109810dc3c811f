import { streamOf } from '../store/keys.ts';
import type { Event, Projection, ResourcePointer, StateWriter } from './event-log.ts';

/** Newest event of one resource; gives the next event its `sequence` and `previous_event_id`. */
export interface ResourceHead {
  event_id: string;
  sequence: number;
}

/** What a fold of the log itself writes besides the states of the projection. */
export interface FoldWriter extends StateWriter {
  head(resource: ResourcePointer): ResourceHead | undefined;
  moveHead(resource: ResourcePointer, head: ResourceHead): void;
  /** Adds an event to a stream, named by its key prefix. */
  enter(stream: string, eventId: string): void;
}

/** Folds one event: the resource's head, its streams, then the resources. The same code runs live and in a rebuild. */
export function foldEvent(event: Event, states: FoldWriter, projection: Projection): void {
  states.moveHead(event.resource, { event_id: event.id, sequence: event.sequence });
  if (event.session_id !== null) states.enter(streamOf('session', event.session_id), event.id);
  if (event.task_id !== null) states.enter(streamOf('task', event.task_id), event.id);
  projection(event, states);
}
