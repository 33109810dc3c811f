import type { NewEvent } from '#eventlog/event-log.ts';
import { asCleanObject, type Clean, type CleanText } from '#protocol/clean.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { EmittedKind, PayloadOf } from '#resources/event-payloads.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';

/** Where an event belongs; decides the streams it appears in. */
export interface Place {
  workspace_id?: CleanText | null;
  session_id?: CleanText | null;
  task_id?: CleanText | null;
  /** Path the change came from; named in the metadata of its events and artifacts. */
  branch_id?: CleanText | null;
  /** For what belongs to no workspace: the tenant whose callers may see the event. */
  tenant_id?: CleanText;
}

/** What an event is about, by the name of its kind. */
export interface Pointer {
  object: string;
  id: CleanText;
}

/** Kinds that make their resource: its id was drawn in the same transaction. */
const FIRST: ReadonlySet<EmittedKind> = new Set([
  'session.created',
  'task.submitted',
  'user.message',
  'agent.message',
  'artifact.created',
  'branch.created',
  'tool.approval_required',
  'vendor.harn_gateway.permission_requested',
  'receipt.issued',
  'vendor.harn_gateway.trust_recorded',
]);

/** An event with its payload checked by the compiler against the payload schema of its kind. */
export function newEvent<Kind extends EmittedKind>(
  kind: Kind,
  resource: Pointer,
  place: Place,
  payload: Clean<PayloadOf<Kind>>,
  receiptId?: CleanText,
): NewEvent {
  const event: NewEvent = { event: kind, resource, payload: asCleanObject<PayloadOf<Kind>>(payload) };
  if (FIRST.has(kind)) event.isFirst = true;
  if (receiptId !== undefined) event.receipt_id = receiptId;
  if (place.workspace_id) event.workspace_id = place.workspace_id;
  if (place.session_id) event.session_id = place.session_id;
  if (place.task_id) event.task_id = place.task_id;
  if (place.branch_id) event.metadata = { branch_id: place.branch_id };
  if (place.tenant_id !== undefined) event.metadata = { ...event.metadata, tenant_id: place.tenant_id };
  return event;
}

/** The place of everything that happens in a task. */
export function placeOfTask(
  task: Pick<Clean<Task>, 'id' | 'session_id' | 'workspace_id' | 'branch_id'>,
): SessionPlace {
  const { id, session_id, workspace_id, branch_id } = task;
  return { workspace_id, session_id, task_id: id, branch_id };
}

/** The place of what happens to an artifact. */
export function placeOfArtifact(artifact: Clean<Artifact>): Place {
  const { workspace_id, session_id, task_id, metadata } = artifact;
  const branch = metadata['branch_id'];
  return { workspace_id, session_id, task_id, branch_id: typeof branch === 'string' ? branch : null };
}

/** A place inside a session. */
export type SessionPlace = Place & { workspace_id: CleanText; session_id: CleanText };

/** The place of what happens in a session outside a task. */
export function placeOfSession(
  session: Pick<Clean<Session>, 'id' | 'workspace_id' | 'branch_id'>,
): SessionPlace {
  return { workspace_id: session.workspace_id, session_id: session.id, branch_id: session.branch_id };
}
