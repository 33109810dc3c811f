import type { Caller } from '#auth/caller.ts';
import type { Event, StateReader } from '#eventlog/event-log.ts';
import { holdsScope, isMember } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { apiKeyKeys, type CleanApiKeyState } from '#resources/api-key/state.ts';
import type { CleanBranchState } from '#resources/branch/state.ts';
import { type CleanErasedState, erasureKeys } from '#resources/erasure/state.ts';
import { type Copies, type StateKey, type Together, together } from '#resources/room.ts';
import * as ROOMS from '#resources/rooms.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { wasErased } from './erased.ts';

/** Ids that can be in a key; anything else names nothing. */
export const ID = /^[A-Za-z0-9_.-]{1,128}$/;

type Room = (typeof ROOMS)[keyof typeof ROOMS];
type StatesOf<Of> = Of extends { states: infer States extends object } ? States : never;
type States = Together<StatesOf<Room>>;
/** What is loaded, by its name: each room says under which key its states are. */
type StateOf = {
  [Name in keyof States]: States[Name] extends StateKey<infer State extends Owned> ? State : never;
};

const STATES: States = together(
  Object.values(ROOMS).flatMap((room) => ('states' in room ? [room.states] : [])),
);
const COPIES: ReadonlyMap<string, StateKey<Copies>> = new Map(
  Object.values(ROOMS).flatMap((room) => ('copies' in room ? Object.entries(room.copies) : [])),
);

/** Resources that are loaded by their name and id. */
export type ResourceName = keyof StateOf;

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
  if (!ID.test(id)) throw notFound(object, param);
  const keyOf = STATES[object];
  const state = reader.get<StateOf[Name]>(keyOf(id));
  if (state && isVisible(reader, caller, state)) return state;
  const copy = copyOf(reader, caller, object, id);
  const own = copy === undefined ? undefined : reader.get<StateOf[Name]>(keyOf(copy));
  if (own) return own;
  const erased = state ? undefined : erasedOf(reader, caller, id);
  throw erased === undefined ? notFound(object, param) : wasErased(object, erased, param);
}

/** What is known of an erased Session, Task or Receipt to members of its workspace; undefined for what was not erased. */
export function erasedOf(reader: StateReader, caller: Caller, id: string): CleanErasedState | undefined {
  const erased = ID.test(id) ? reader.get<CleanErasedState>(erasureKeys.erased(id)) : undefined;
  return erased && isMemberOf(reader, caller, erased.workspace_id) ? erased : undefined;
}

/** The id of what an import brought under this id into a workspace of the caller. */
function copyOf(reader: StateReader, caller: Caller, object: string, id: string): string | undefined {
  const key = COPIES.get(object)?.(id);
  const copies = Object.entries((key && reader.get<Copies>(key)?.copies) ?? {});
  return copies.find(([workspaceId]) => isMemberOf(reader, caller, workspaceId))?.[1];
}

/** Whether `time` (RFC 3339) is past the end of what has one. */
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
  { event, workspace_id, metadata, resource }: Event,
): boolean {
  if (workspace_id !== null) return isMemberOf(reader, caller, workspace_id);
  if (resource.object === 'api_key') return seesEventsOfKey(reader, caller, resource.id);
  if (resource.object === 'log') return seesEventsOfLog(caller, event);
  return metadata['tenant_id'] === caller.tenant;
}

/** What becomes of the whole log is for operators; that it lost its end, or was restored, for the admins of every tenant. */
function seesEventsOfLog(caller: Caller, event: string): boolean {
  const isLoss = event === 'vendor.harn_gateway.truncation_accepted';
  return holdsScope(caller, 'operator') || (isLoss && holdsScope(caller, 'admin'));
}

/** They name an actor and its workspaces, so only callers that may administer the key read them. */
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
