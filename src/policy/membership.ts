import type { Caller } from '../auth/caller.ts';
import type { WorkspaceState } from '../projections/states.ts';

/** Whether the caller may know that this workspace exists. Absent and hidden must look the same outside. */
export function isMember(caller: Caller, workspace: WorkspaceState | undefined): workspace is WorkspaceState {
  if (!workspace || workspace.internal.tenant !== caller.tenant) return false;
  return (
    caller.workspaces.includes('*') ||
    caller.workspaces.includes(workspace.resource.id) ||
    workspace.internal.members.includes(caller.actor)
  );
}

/** The workspace of a call that names none: the first of the actor's (contract section 7). */
export function defaultWorkspace(caller: Caller): string {
  return caller.workspaces.find((id) => id !== '*') ?? 'workspace_default';
}
