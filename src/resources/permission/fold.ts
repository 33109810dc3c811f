import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { foldOpenRequest } from '#resources/task/fold.ts';
import { addRunFact } from '#resources/task/fold-run.ts';
import {
  type ApprovedCallState,
  type PermissionRequestState,
  permissionKeys,
  type RememberedRequestState,
  type RememberedState,
  type UpstreamRequestState,
} from './state.ts';

/**
 * An answer for good takes the place of the one before it about the same. Everything here is of the workspace: it outlives the
 * history of the session that it was given in.
 */
function foldPermissionRemembered(event: Event, states: StateWriter): void {
  const { request_id, approved, owner, rule, ...about } = payload(
    event,
    'vendor.harn_gateway.permission_remembered',
  );
  const key = permissionKeys.rememberedPermission(owner, about);
  const before = states.get<RememberedState>(key);
  if (before) forgetIn(event, states, before.request_id);
  states.set(key, { request_id, approved } satisfies RememberedState);
  const resource = { id: request_id, workspace_id: event.workspace_id };
  const state: RememberedRequestState = {
    resource,
    internal: { key, ...(rule === undefined ? {} : { rule }) },
  };
  states.set(permissionKeys.rememberedRequest(request_id), state);
  states.index(listed(event, request_id));
}

function foldPermissionForgotten(event: Event, states: StateWriter): void {
  forgetIn(event, states, payload(event, 'vendor.harn_gateway.permission_forgotten').request_id);
}

function forgetIn(event: Event, states: StateWriter, requestId: string): void {
  const state = states.get<RememberedRequestState>(permissionKeys.rememberedRequest(requestId));
  if (state === undefined) return;
  states.set(state.internal.key, undefined);
  states.set(permissionKeys.rememberedRequest(requestId), undefined);
  states.unindex(listed(event, requestId));
}

function listed({ workspace_id }: Event, requestId: string): string {
  return permissionKeys.rememberedInWorkspace(workspace_id ?? '') + requestId;
}

export const folds: Folds = {
  'tool.approval_required': [foldRequestOpened],
  'tool.approved': [foldRequestResolved],
  'tool.denied': [foldRequestResolved],
  'vendor.harn_gateway.permission_requested': [foldRequestOpened],
  'vendor.harn_gateway.permission_resolved': [foldRequestResolved],
  'vendor.harn_gateway.approval_voted': [foldApprovalVoted],
  'vendor.harn_gateway.permission_remembered': [foldPermissionRemembered],
  'vendor.harn_gateway.permission_forgotten': [foldPermissionForgotten],
};

/** Opens a permission request, whatever its kind of event. */
function foldRequestOpened(event: Event, states: StateWriter): void {
  const opened = payload(event, 'vendor.harn_gateway.permission_requested');
  const { permission_request: request, upstream_request_id, resends, subject_sha256 } = opened;
  const internal = {
    upstream_id: upstream_request_id,
    ...(resends ? { resends } : {}),
    ...(subject_sha256 === undefined ? {} : { subject_sha256 }),
  };
  states.set(permissionKeys.permissionRequest(request.id), {
    resource: request,
    internal,
  } satisfies PermissionRequestState);
  states.index(permissionKeys.requestsOfWorkspace(request.workspace_id) + request.id);
  if (request.session_id) states.index(permissionKeys.requestsOfSession(request.session_id) + request.id);
  if (request.task_id) {
    states.index(permissionKeys.requestsOfTask(request.task_id) + request.id);
    if (upstream_request_id !== null) {
      const key = permissionKeys.upstreamRequest(request.task_id, upstream_request_id);
      states.set(key, { request_id: request.id } satisfies UpstreamRequestState);
    }
  }
  const { expires_at } = request.request;
  if (expires_at) states.index(`${permissionKeys.expiringRequests}${expires_at}/${request.id}`);
  foldOpenRequest(event, states, request.id, true);
}

/** One of several approvals; the request stays open. */
function foldApprovalVoted(event: Event, states: StateWriter): void {
  const { request_id, review } = payload(event, 'vendor.harn_gateway.approval_voted');
  const key = permissionKeys.permissionRequest(request_id);
  const state = states.get<PermissionRequestState>(key);
  if (!state?.resource.request.approvals) return;
  const votes = [...(state.internal.votes ?? []), review];
  const approvals = {
    ...state.resource.request.approvals,
    approved_by: votes.map(({ reviewer }) => reviewer),
  };
  const request = { ...state.resource.request, approvals };
  const resource = { ...state.resource, request, updated_at: event.created_at };
  states.set(key, { resource, internal: { ...state.internal, votes } } satisfies PermissionRequestState);
}

/** Resolves it; there is one such event per request. */
function foldRequestResolved(event: Event, states: StateWriter): void {
  // The policy denies what it never asked anybody.
  if (event.payload['request_id'] === undefined) return;
  const { request_id, status, response } = payload(event, 'vendor.harn_gateway.permission_resolved');
  const key = permissionKeys.permissionRequest(request_id);
  const state = states.get<PermissionRequestState>(key);
  if (!state) return;
  const { expires_at } = state.resource.request;
  if (expires_at) states.unindex(`${permissionKeys.expiringRequests}${expires_at}/${request_id}`);
  const resource = { ...state.resource, status, response, updated_at: event.created_at };
  states.set(key, { ...state, resource } satisfies PermissionRequestState);
  foldOpenRequest(event, states, request_id, false);
  foldApprovedCall(event, states);
  if (resource.request.kind !== 'elicitation')
    addRunFact(event, states, { kind: 'request', id: request_id, actor: event.actor });
}

/** What was approved before approvals named the hash of the arguments covers whatever it covered then. */
function foldApprovedCall({ event, payload, task_id }: Event, states: StateWriter): void {
  const { tool_call_id, input_sha256 } = payload;
  if (event !== 'tool.approved' || task_id === null || typeof input_sha256 !== 'string') return;
  const key = permissionKeys.approvedCall(task_id, String(tool_call_id));
  states.set(key, { input_sha256 } satisfies ApprovedCallState);
}
