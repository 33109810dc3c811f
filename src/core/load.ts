import type { Caller } from '#auth/caller.ts';
import type { Event, StateReader } from '#eventlog/event-log.ts';
import { holdsScope, isMember } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { apiKeyKeys, type CleanApiKeyState } from '#resources/api-key/state.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import type { AssetState } from '#resources/artifact/stored-content.ts';
import { branchKeys, type CleanBranchState } from '#resources/branch/state.ts';
import { type CleanMemoryState, memoryKeys } from '#resources/memory/state.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type CleanPersonaState, personaKeys } from '#resources/persona/state.ts';
import { type CleanReceiptState, receiptKeys } from '#resources/receipt/state.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { type CleanVaultState, vaultKeys } from '#resources/vault/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';

/** Ids that can be in a key; anything else names nothing. */
export const ID = /^[A-Za-z0-9_.-]{1,128}$/;

const STATES = {
  session: sessionKeys.session,
  task: taskKeys.task,
  message: messageKeys.message,
  artifact: artifactKeys.artifact,
  branch: branchKeys.branch,
  permission_request: permissionKeys.permissionRequest,
  memory: memoryKeys.memory,
  persona: personaKeys.persona,
  vault: vaultKeys.vault,
  api_key: apiKeyKeys.apiKey,
  receipt: receiptKeys.receipt,
} as const;

/** Resources that are loaded by their name and id. */
export type ResourceName = keyof StateOf;

interface StateOf {
  session: CleanSessionFold;
  task: CleanTaskState;
  message: CleanMessageState;
  artifact: CleanArtifactState;
  branch: CleanBranchState;
  permission_request: CleanPermissionRequestState;
  memory: CleanMemoryState;
  persona: CleanPersonaState;
  vault: CleanVaultState;
  api_key: CleanApiKeyState;
  receipt: CleanReceiptState;
}

/** The one answer for what is absent and for what is hidden. */
export function notFound(object: string, param?: string): ProtocolError {
  const message = `No ${object} with this id is visible to you. Check the id and the workspaces of your key.`;
  return new ProtocolError('resource_not_found', message, param === undefined ? {} : { param });
}

export function loadWorkspace(
  reader: StateReader,
  caller: Caller,
  id: string,
  param?: string,
): CleanWorkspaceState {
  const state = ID.test(id) ? reader.get<CleanWorkspaceState>(workspaceKeys.workspace(id)) : undefined;
  if (!isMember(caller, state)) throw notFound('workspace', param);
  return state;
}

/** A resource in a workspace the caller is a member of, or of its tenant; `param` names the field that referred to it. */
export function load<Name extends keyof StateOf>(
  reader: StateReader,
  caller: Caller,
  object: Name,
  id: string,
  param?: string,
): StateOf[Name] {
  const state = ID.test(id) ? reader.get<StateOf[Name]>(STATES[object](id)) : undefined;
  if (state && isVisible(reader, caller, state)) return state;
  const copy = object === 'artifact' && ID.test(id) ? copyOf(reader, caller, id) : undefined;
  if (!copy) throw notFound(object, param);
  // Only for an artifact there is one.
  return copy as StateOf[Name];
}

/** What an import brought under this id into a workspace of the caller. */
function copyOf(reader: StateReader, caller: Caller, id: string): CleanArtifactState | undefined {
  const copies = Object.entries(reader.get<AssetState>(artifactKeys.asset(id))?.copies ?? {});
  const own = copies.find(([workspaceId]) => isMemberOf(reader, caller, workspaceId));
  return own && reader.get<CleanArtifactState>(artifactKeys.artifact(own[1]));
}

/** A Memory that has not expired at `time` (RFC 3339); an expired one is absent. */
export function loadMemory(
  reader: StateReader,
  caller: Caller,
  id: string,
  time: string,
  param?: string,
): CleanMemoryState {
  const state = load(reader, caller, 'memory', id, param);
  if (isExpired(state.resource, time)) throw notFound('memory', param);
  return state;
}

export function isExpired({ expires_at }: { expires_at: string | null }, time: string): boolean {
  return expires_at !== null && expires_at <= time;
}

/** A branch of this workspace that still takes work. */
export function loadBranch(
  reader: StateReader,
  caller: Caller,
  id: string,
  workspaceId: string,
  param = 'branch_id',
): CleanBranchState {
  const state = load(reader, caller, 'branch', id, param);
  if (state.resource.workspace_id !== workspaceId) throw notFound('branch', param);
  refuseEndedBranch(state);
  return state;
}

/** A merged or abandoned branch takes nothing more. */
export function refuseEndedBranch({ internal }: CleanBranchState): void {
  if (internal.state === 'open') return;
  throw new ProtocolError('conflict', `The branch was ${internal.state}. Use another one.`, {
    param: 'branch_id',
    details: { state: internal.state },
  });
}

/** What belongs to what: the workspace or the tenant of the resource of this id; neither when nothing has it. */
export function targetOf(
  reader: StateReader,
  id: string,
): { workspace?: CleanWorkspaceState | undefined; tenant?: string | undefined } {
  if (!ID.test(id)) return {};
  const asWorkspace = reader.get<CleanWorkspaceState>(workspaceKeys.workspace(id));
  if (asWorkspace) return { workspace: asWorkspace };
  for (const keyOf of Object.values(STATES)) {
    const state = reader.get<Owned>(keyOf(id));
    if (state === undefined) continue;
    const { resource, internal } = state;
    const workspaceId = 'workspace_id' in resource ? resource.workspace_id : null;
    if (typeof workspaceId === 'string')
      return { workspace: reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId)) };
    return { tenant: 'tenant' in internal ? String(internal.tenant) : undefined };
  }
  return {};
}

interface Owned {
  resource: object;
  internal: object;
}

/** What belongs to a workspace is for its members, what belongs to none is for its tenant. */
function isVisible(reader: StateReader, caller: Caller, { resource, internal }: Owned): boolean {
  const workspaceId = 'workspace_id' in resource ? resource.workspace_id : null;
  if (typeof workspaceId === 'string') return isMemberOf(reader, caller, workspaceId);
  return 'tenant' in internal && internal.tenant === caller.tenant;
}

/** Whether the caller may see an event: by its workspace, or by the tenant of what belongs to no workspace. */
export function seesEvent(
  reader: StateReader,
  caller: Caller,
  { workspace_id, metadata, resource }: Event,
): boolean {
  if (workspace_id !== null) return isMemberOf(reader, caller, workspace_id);
  if (resource.object === 'api_key') return seesEventsOfKey(reader, caller, resource.id);
  return metadata['tenant_id'] === caller.tenant;
}

/** They name an actor and its workspaces, so they are for whoever may administer the key. */
function seesEventsOfKey(reader: StateReader, caller: Caller, id: string): boolean {
  const state = reader.get<CleanApiKeyState>(apiKeyKeys.apiKey(id));
  if (state?.internal.tenant !== caller.tenant || !holdsScope(caller, 'admin')) return false;
  return state.resource.workspaces.every((workspace) => isMemberOf(reader, caller, workspace));
}

/** Whether something of this workspace may be shown to the caller. */
export function isMemberOf(reader: StateReader, caller: Caller, workspaceId: string | null): boolean {
  if (workspaceId === null) return false;
  return isMember(caller, reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId)));
}
