import type { Event, NewEvent } from '#eventlog/event-log.ts';
import { buildEvent } from '#eventlog/fold-event.ts';
import { type Clean, type CleanObject, objectOf } from '#protocol/clean.ts';
import type { ImportedMark } from './fold-imported.ts';

/** An event of a bundle whose content was read by the redactor. */
export interface ImportedContent extends Event {
  payload: CleanObject;
  metadata: CleanObject;
}

/** An event of a bundle as the log takes it: in its own time, in the Workspace of the import. */
export function importedEvent(
  event: ImportedContent,
  mark: Clean<ImportedMark>,
  workspaceId: string,
): NewEvent {
  const { actor, trace_id, span_id, created_at, session_id, task_id, receipt_id, replay } = event;
  return {
    event: event.event,
    resource: event.resource,
    workspace_id: workspaceId,
    ...(session_id === null ? {} : { session_id }),
    ...(task_id === null ? {} : { task_id }),
    ...(receipt_id === undefined ? {} : { receipt_id }),
    ...(replay === undefined ? {} : { replay }),
    payload: event.payload,
    metadata: {
      ...event.metadata,
      original_event_id: mark.original_event_id,
      imported: objectOf<ImportedMark>(mark),
    },
    recorded: { actor, trace_id, span_id, created_at },
  };
}

/** The event as it would be appended, to be folded without effect. */
export function preview(event: ImportedContent, mark: Clean<ImportedMark>, workspaceId: string): Event {
  const input = importedEvent(event, mark, workspaceId);
  const content = { payload: input.payload, metadata: input.metadata ?? {} };
  const place = { id: event.id, sequence: 1, previousEventId: null, time: event.created_at };
  return buildEvent(input, content, { actor: event.actor }, place);
}
