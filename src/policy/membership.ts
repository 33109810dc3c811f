import type { Caller } from '../auth/caller.ts';
import type { WorkspaceState } from '../projections/states.ts';

type Member = Pick<Caller, 'actor' | 'tenant' | 'workspaces'>;

/** Whether the caller may know that this workspace exists. Absent and hidden must look the same outside. */
export function isMember(caller: Member, workspace: WorkspaceState | undefined): workspace is WorkspaceState {
  return (
    workspace !== undefined && sharesTenant(caller, workspace.internal.tenant) && belongsTo(caller, workspace)
  );
}

/** What is absent is of no tenant. */
export function sharesTenant(caller: Pick<Caller, 'tenant'>, tenant: string | undefined): boolean {
  return tenant === caller.tenant;
}

/** By the credential, or because the workspace lists the actor. */
export function belongsTo(caller: Omit<Member, 'tenant'>, { resource, internal }: WorkspaceState): boolean {
  return (
    caller.workspaces.includes('*') ||
    caller.workspaces.includes(resource.id) ||
    internal.members.includes(caller.actor)
  );
}

/** The workspace of a call that names none: the first of the actor's (contract section 7). */
export function defaultWorkspace(caller: Pick<Caller, 'workspaces'>): string {
  return caller.workspaces.find((id) => id !== '*') ?? 'workspace_default';
}
