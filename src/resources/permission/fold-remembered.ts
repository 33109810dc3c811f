import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { payload } from '#resources/payload.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';
import type { RememberedRequestState, RememberedState } from '#resources/states.ts';

/**
 * An answer for good takes the place of the one before it about the same. Everything here is of the workspace: it outlives the
 * history of the session that it was given in.
 */
export function foldPermissionRemembered(event: Event, states: StateWriter): void {
  const { request_id, approved, owner, ...about } = payload(
    event,
    'vendor.harn_gateway.permission_remembered',
  );
  const key = stateKey.rememberedPermission(owner, about);
  const before = states.get<RememberedState>(key);
  if (before) forgetIn(event, states, before.request_id);
  states.set(key, { request_id, approved } satisfies RememberedState);
  const resource = { id: request_id, workspace_id: event.workspace_id };
  const state: RememberedRequestState = { resource, internal: { key } };
  states.set(stateKey.rememberedRequest(request_id), state);
  states.index(listed(event, request_id));
}

export function foldPermissionForgotten(event: Event, states: StateWriter): void {
  forgetIn(event, states, payload(event, 'vendor.harn_gateway.permission_forgotten').request_id);
}

function forgetIn(event: Event, states: StateWriter, requestId: string): void {
  const state = states.get<RememberedRequestState>(stateKey.rememberedRequest(requestId));
  if (state === undefined) return;
  states.set(state.internal.key, undefined);
  states.set(stateKey.rememberedRequest(requestId), undefined);
  states.unindex(listed(event, requestId));
}

function listed({ workspace_id }: Event, requestId: string): string {
  return listPrefix.rememberedInWorkspace(workspace_id ?? '') + requestId;
}
