import type { MoveTarget } from '#core/move-target.ts';
import type { Clean } from '#protocol/clean.ts';
import { isBlocked } from '#protocol/task-states.ts';
import type { Move } from '#protocol-client.ts';
import type { PermissionDraft, RememberedAnswer } from '#resources/permission/draft.ts';
import { openRequest, openRequestsOf, resolveRequest } from '#resources/permission/permission-request.ts';
import { REMEMBERED } from '#resources/permission/remembered-permission.ts';
import type { PermissionRequestState, TaskState, UpstreamRequestState } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';
import { moveTask } from '#resources/task/move-task.ts';

/** Opens what the agent asks, once per request id of the agent; the first open one blocks the task. */
export function applyPermission(
  { tx, tools, taskId, material }: MoveTarget,
  task: TaskState,
  { permission }: Clean<Extract<Move, { type: 'permission' }>>,
): void {
  const { upstreamId, kind } = permission;
  if (upstreamId !== undefined && tx.get(stateKey.upstreamRequest(taskId, upstreamId))) return;
  if (permission.remembered !== undefined) {
    applyRemembered({ tx, tools, material }, task, permission, permission.remembered);
  } else if (isBlocked(task.resource.status)) {
    openRequest(tx, tools, task, permission, { material });
  } else {
    const to = kind === 'elicitation' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED';
    moveTask(tx, tools, taskId, to, { material, permission });
  }
}

/** What was answered for good before is on record like any other question, and blocks nobody. */
function applyRemembered(
  { tx, tools, material }: Pick<MoveTarget, 'tx' | 'tools' | 'material'>,
  task: TaskState,
  permission: Clean<PermissionDraft>,
  { approved }: RememberedAnswer,
): void {
  const id = openRequest(tx, tools, task, permission, { material });
  const request = tx.get<PermissionRequestState>(stateKey.permissionRequest(id));
  if (request) resolveRequest(tx, tools, task, request, { approved, reason: REMEMBERED });
}

/** Resolves what the agent no longer waits for; the last open one lets the task work again. */
export function applyPermissionClosed(
  { tx, tools, taskId, material }: MoveTarget,
  task: TaskState,
  { upstreamId, approved, reason }: Clean<Extract<Move, { type: 'permission_closed' }>>,
): void {
  const known = tx.get<UpstreamRequestState>(stateKey.upstreamRequest(taskId, upstreamId));
  const request = known && tx.get<PermissionRequestState>(stateKey.permissionRequest(known.request_id));
  if (request?.resource.status !== 'pending') return;
  resolveRequest(tx, tools, task, request, { approved, reason });
  if (openRequestsOf(tx, taskId).length === 0) moveTask(tx, tools, taskId, 'WORKING', { material });
}
