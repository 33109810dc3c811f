import type { Event, StateWriter } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Folds } from '#resources/payload.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import type { SessionImported } from './events.ts';
import { bundleKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.session_imported': [foldSessionImported],
};

/** What an event was where it was recorded, and what became of it here; in its metadata under `imported`. */
export interface ImportedMark {
  original_event_id: string;
  previous_event_id: string | null;
  sequence: number;
  workspace_id: string | null;
  /** Of the event as it was recorded. */
  sha256: string;
  /** Something was taken out of it on its way: it cannot be replayed. */
  withheld?: true;
  /** What was taken out leaves nothing to fold. */
  opaque?: true;
  /** Of `session.created`: the tenant there. */
  tenant_id?: string | null;
  /** Of `session.created`: the public keys that verify the receipts. */
  signing_keys?: JsonObject;
  /** Place of its receipt in the receipt log of this gateway. */
  log_index?: number;
  /** The content of its Artifact did not come along. */
  content_omitted?: true;
}

/** Undefined for an event of this gateway. Only an import writes this member. */
export function importMarkOf({ metadata }: Pick<Event, 'metadata'>): ImportedMark | undefined {
  return metadata['imported'] as unknown as ImportedMark | undefined;
}

/** The event as it was recorded, byte for byte; of this gateway's own the same object. */
export function originalEvent(event: Event): Event {
  const mark = importMarkOf(event);
  if (mark === undefined) return event;
  const { imported, original_event_id, ...metadata } = event.metadata;
  const { previous_event_id, sequence, workspace_id } = mark;
  return { ...event, id: mark.original_event_id, previous_event_id, sequence, workspace_id, metadata };
}

/** The Workspace that a Session was recorded in elsewhere. */
export function originalWorkspace({ imported }: SessionFold['internal']): string | undefined {
  return imported?.workspace_id;
}

/** Lists of what still has something to do; nothing that came from elsewhere has. */
const DUE = ['l/task/open/', 'l/session-expiry/', 'l/permission-expiry/', 'l/push/'];

/** Folds of an imported event write what they always write, but nothing that would set this gateway to work. */
export function importedStates(states: StateWriter): StateWriter {
  return {
    get: (key) => states.get(key),
    draft: (key) => states.draft(key),
    set: (key, state) => states.set(key, state),
    said: (event, value) => states.said(event, value),
    unindex: (key) => states.unindex(key),
    index: (key) => {
      if (!DUE.some((prefix) => key.startsWith(prefix))) states.index(key);
    },
  };
}

/** The event as the folds of this gateway read it: in the Workspace it has here, without what only meant something there. */
export function localEvent(event: Event, mark: ImportedMark): Event {
  const place = LOCAL_PAYLOADS[event.event];
  const payload = inWorkspace(event.payload, event.workspace_id);
  return { ...event, payload: place ? place(payload, event, mark) : payload };
}

/** Resources stand one level deep in a payload. */
function inWorkspace(payload: JsonObject, workspace: string | null): JsonObject {
  const moved = Object.entries(payload).map(([name, value]) => [
    name,
    isObject(value) && typeof value['workspace_id'] === 'string'
      ? { ...value, workspace_id: workspace }
      : value,
  ]);
  return Object.fromEntries(moved);
}

type Localize = (payload: JsonObject, event: Event, mark: ImportedMark) => JsonObject;

const LOCAL_PAYLOADS: Partial<Record<Event['event'], Localize>> = {
  // A fork would copy turns of a Session that is another one here; an import does not expire.
  'session.created': ({ forked, key, memory_ids, ...payload }) => ({
    ...payload,
    session: { ...(payload['session'] as JsonObject), expires_at: null, state: 'IDLE' },
  }),
  // Quotas are counted where the work was done.
  'task.submitted': ({ quota_ids, quota_reservations, replay, ...payload }, { id }) =>
    isObject(replay) ? { ...payload, replay: { ...replay, through_event_id: id } } : payload,
  'receipt.issued': (payload, _, { log_index }) => ({ ...payload, log_index: log_index ?? -1 }),
  'artifact.created': withoutContent,
  'artifact.updated': withoutContent,
  // What an agent there remembers is unknown to any agent here.
  'vendor.harn_gateway.upstream_bound': (payload) => ({ ...payload, session_binding: null }),
};

function withoutContent(payload: JsonObject, _: Event, { content_omitted }: ImportedMark): JsonObject {
  return content_omitted ? { ...payload, store: 'none' } : payload;
}

/** Counts what is imported of a Session, so that an import that was cut can go on; the Session remembers where it was. */
export function foldImported(event: Event, mark: ImportedMark, states: StateWriter): void {
  const { session_id } = event;
  if (session_id === null) return;
  const key = bundleKeys.sessionImport(session_id);
  const before = states.get<ImportState>(key);
  states.set(key, {
    workspace_id: event.workspace_id ?? '',
    newest_original: mark.original_event_id,
    signing_keys: mark.signing_keys ?? before?.signing_keys ?? { keys: [] },
    events: (before?.events ?? 0) + 1,
    done: before?.done ?? null,
  } satisfies ImportState);
  if (event.event === 'task.submitted') markTask(event.resource.id, states);
  const session = states.get<SessionFold>(sessionKeys.session(session_id));
  if (session === undefined || session.internal.imported || mark.workspace_id === null) return;
  const imported = { workspace_id: mark.workspace_id, tenant_id: mark.tenant_id ?? null };
  const internal = { ...session.internal, imported };
  states.set(sessionKeys.session(session_id), { ...session, internal });
}

function markTask(id: string, states: StateWriter): void {
  const state = states.get<TaskState>(taskKeys.task(id));
  if (state) states.set(taskKeys.task(id), { ...state, internal: { ...state.internal, imported: true } });
}

/** The last event of an import: from now on it is whole. */
function foldSessionImported(event: Event, states: StateWriter): void {
  const key = bundleKeys.sessionImport(event.resource.id);
  const state = states.get<ImportState>(key);
  if (state) states.set(key, { ...state, done: event.payload as unknown as ImportState['done'] });
}

/** How far the import of a Session has come. */
export interface ImportState {
  workspace_id: string;
  /** Events so far, and the id that the newest of them had where it was recorded. */
  events: number;
  newest_original: string;
  /** A JWKS document that the bundle brought. */
  signing_keys: JsonObject;
  /** What the import ended with; null while it is not whole. */
  done: SessionImported | null;
}
