import type { Caller } from '#auth/caller.ts';
import { GATEWAY_SCOPES } from '#protocol/scopes.ts';
import type { OperationRow } from '#resources/operations.ts';
import type { WorkspaceState } from '#resources/workspace/state.ts';
import { type Checks, type Decision, decideBy } from './decision.ts';
import { RULES } from './rules.ts';

/** What a call is about: something of a workspace, or of a tenant only. Both undefined: it is absent. */
export interface Target {
  workspace?: WorkspaceState | undefined;
  tenant?: string | undefined;
}

interface AccessQuestion {
  caller: Pick<Caller, 'actor' | 'tenant' | 'scopes' | 'workspaces'>;
  scope: OperationRow['scope'];
  /** Undefined for an operation that names nothing. */
  target?: Target | undefined;
}

/** The policy of calls, in the order in which every face checks it. A refusal by scope reveals nothing about the resource. */
export const ACCESS_CHECKS = [
  ['scope', refusedByScope],
  ['tenant', refusedByTenant],
  ['workspace', refusedByWorkspace],
  ['granted', granted],
] as const satisfies Checks<AccessQuestion>;

export function decideAccess(question: AccessQuestion): Decision {
  return decideBy(ACCESS_CHECKS, question);
}

/** The refusal of a caller without the scope of an operation; undefined for everybody else. */
export function refusedByScope({
  caller,
  scope,
}: Pick<AccessQuestion, 'caller' | 'scope'>): Decision | undefined {
  if (scope === 'public' || scope === 'signature' || holdsScope(caller, scope)) return undefined;
  return RULES['scope.missing'];
}

function refusedByTenant({ caller, target }: AccessQuestion): Decision | undefined {
  if (target === undefined) return undefined;
  const tenant = target.workspace?.internal.tenant ?? target.tenant;
  return sharesTenant(caller, tenant) ? undefined : RULES['tenant.foreign'];
}

function refusedByWorkspace({ caller, target }: AccessQuestion): Decision | undefined {
  if (target?.workspace === undefined || belongsTo(caller, target.workspace)) return undefined;
  return RULES['workspace.foreign'];
}

function granted({ scope }: AccessQuestion): Decision {
  return scope === 'public' || scope === 'signature' ? RULES[`scope.${scope}`] : RULES['scope.held'];
}

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

/** The workspace of a call that names none: the first of the actor's. */
export function defaultWorkspace(caller: Pick<Caller, 'workspaces'>): string {
  return caller.workspaces.find((id) => id !== '*') ?? 'workspace_default';
}

/**
 * Exact words only: no prefix and no substring matches. `*` is every scope of a tenant's work, `admin` is not; the scopes of
 * the gateway itself are held by name, or by `operator`.
 */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (caller.scopes.has(scope)) return true;
  return caller.scopes.has(GATEWAY_SCOPES.includes(scope) ? 'operator' : '*');
}
