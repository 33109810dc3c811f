import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { PermissionRequestState, RememberedState, TaskState } from './states.ts';

/** An answer for good takes the place of the one before it about the same. */
export function foldRemembered(event: Event, states: StateWriter, requestId: string): void {
  const request = states.get<PermissionRequestState>(stateKey.permissionRequest(requestId));
  const { remembered, approved } = request?.resource.response ?? {};
  const subject = request?.internal.subject_sha256;
  const task = states.get<TaskState>(stateKey.task(event.task_id ?? ''));
  if (!request || !task || remembered === undefined || approved === undefined || subject === undefined)
    return;
  const { session_id, workspace_id, created_by } = task.resource;
  const owner = remembered === 'session' ? session_id : workspace_id;
  const key = stateKey.rememberedPermission(owner, {
    actor: created_by,
    route: task.internal.route,
    subject,
  });
  const before = states.get<RememberedState>(key);
  if (before) forgetIn(states, before.request_id);
  states.set(key, { request_id: requestId, approved } satisfies RememberedState);
  states.index(listed(request));
  const internal = { ...request.internal, remembered_as: key };
  states.set(stateKey.permissionRequest(requestId), {
    ...request,
    internal,
  } satisfies PermissionRequestState);
}

export function foldPermissionForgotten(event: Event, states: StateWriter): void {
  forgetIn(states, payload(event, 'vendor.harn_gateway.permission_forgotten').request_id);
}

function forgetIn(states: StateWriter, requestId: string): void {
  const request = states.get<PermissionRequestState>(stateKey.permissionRequest(requestId));
  if (!request?.resource.response || request.internal.remembered_as === undefined) return;
  const { remembered_as, ...internal } = request.internal;
  const { remembered, ...response } = request.resource.response;
  states.set(remembered_as, undefined);
  states.unindex(listed(request));
  const resource = { ...request.resource, response };
  states.set(stateKey.permissionRequest(requestId), { resource, internal } satisfies PermissionRequestState);
}

function listed({ resource: { id, workspace_id } }: PermissionRequestState): string {
  return listPrefix.rememberedInWorkspace(workspace_id) + id;
}
