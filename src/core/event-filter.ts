import type { Caller } from '#auth/caller.ts';
import type { Event, StateReader, StreamScope } from '#eventlog/event-log.ts';
import { conceal, mayHoldHidden } from '#policy/access.ts';
import { load, loadWorkspace, seesEvent } from './load.ts';

export interface EventFilters {
  workspace_id?: string | undefined;
  session_id?: string | undefined;
  task_id?: string | undefined;
}

/** The narrowest stream that holds what the filters ask for, and the test that an event of it still has to pass. */
export function scopeOfFilters(
  filters: EventFilters,
  reader: StateReader,
  caller: Caller,
): { scope: StreamScope; matches: (event: Event) => boolean } {
  const { workspace_id, session_id, task_id } = filters;
  if (workspace_id) loadWorkspace(reader, caller, workspace_id, 'workspace_id');
  if (session_id) load(reader, caller, 'session', session_id, 'session_id');
  if (task_id) load(reader, caller, 'task', task_id, 'task_id');
  const matches = (event: Event) =>
    (!workspace_id || event.workspace_id === workspace_id) &&
    (!session_id || event.session_id === session_id) &&
    (!task_id || event.task_id === task_id) &&
    seesEvent(reader, caller, event);
  if (task_id) return { scope: { kind: 'task', id: task_id }, matches };
  if (session_id) return { scope: { kind: 'session', id: session_id }, matches };
  return { scope: { kind: 'all', ...(workspace_id ? { workspaceId: workspace_id } : {}) }, matches };
}

/** Stored bytes as they are, unless something in them is hidden from this reader. */
export function visibleTo(bytes: Buffer, seesInternal: boolean): Buffer {
  if (!mayHoldHidden(bytes)) return bytes;
  return Buffer.from(JSON.stringify(conceal(JSON.parse(bytes.toString()), seesInternal)));
}
