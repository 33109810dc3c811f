import type { NewEvent } from '../eventlog/event-log.ts';
import type { EmittedKind, PayloadOf } from '../protocol/event-payloads.ts';
import type { JsonObject } from '../protocol/json.ts';

/** Where an event belongs; decides the streams it appears in. */
export interface Place {
  workspace_id?: string | null;
  session_id?: string | null;
  task_id?: string | null;
}

/** An event with its payload checked by the compiler against the payload schema of its kind. */
export function newEvent<Kind extends EmittedKind>(
  kind: Kind,
  resource: { object: string; id: string },
  place: Place,
  payload: PayloadOf<Kind>,
): NewEvent {
  const event: NewEvent = { event: kind, resource, payload: payload as unknown as JsonObject };
  if (place.workspace_id) event.workspace_id = place.workspace_id;
  if (place.session_id) event.session_id = place.session_id;
  if (place.task_id) event.task_id = place.task_id;
  return event;
}

/** The place of everything that happens in a task. */
export function placeOfTask(task: { id: string; session_id: string; workspace_id: string }): Place {
  return { workspace_id: task.workspace_id, session_id: task.session_id, task_id: task.id };
}
