import { headKey, sessionEventKey, taskEventKey } from '../store/keys.ts';
import type { Event, Projection, StateWriter } from './event-log.ts';

/** Newest event of one resource; gives the next event its `sequence` and `previous_event_id`. */
export interface ResourceHead {
  event_id: string;
  sequence: number;
}

/** Folds one event: the resource's head, the stream indexes, then the resources. The same code runs live and in a rebuild. */
export function foldEvent(event: Event, states: StateWriter, projection: Projection): void {
  const head: ResourceHead = { event_id: event.id, sequence: event.sequence };
  states.set(headKey(event.resource.object, event.resource.id), head);
  if (event.session_id !== null) states.index(sessionEventKey(event.session_id, event.id));
  if (event.task_id !== null) states.index(taskEventKey(event.task_id, event.id));
  projection(event, states);
}
