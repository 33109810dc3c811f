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
}

/** Folds one event: the resource's head, then the resources. The same code runs live and in a rebuild. */
export function foldEvent(event: Event, states: FoldWriter, projection: Projection): void {
  states.moveHead(event.resource, { event_id: event.id, sequence: event.sequence });
  projection(event, states);
}
