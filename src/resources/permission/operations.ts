import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { PERMISSION_STATUSES, permissionRequest, permissionResponseRequest } from './schema.ts';

export const permissionRequestsOperations = {
  listPermissionRequests: {
    kind: 'query',
    method: 'GET',
    path: '/v1/permission-requests',
    tag: 'Permissions',
    summary: 'List what Tasks wait for, pending and resolved, newest first.',
    scope: 'permissions:read',
    level: 'extended',
    success: 200,
    query: page.extend({
      session_id: filter,
      task_id: filter,
      status: z
        .enum(PERMISSION_STATUSES)
        .optional()
        .describe('Only those in this state. Follow `next_cursor`: a page may have fewer than `limit`.'),
      remembered: z
        .enum(['true'])
        .optional()
        .describe('Only those whose answer is remembered, and holds for what is asked later.'),
    }),
    response: listOf(permissionRequest),
  },
  listTaskPermissionRequests: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/permission-requests',
    tag: 'Permissions',
    summary: 'List the permission requests of a Task, newest first.',
    scope: 'permissions:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(permissionRequest),
  },
  respondPermissionRequest: {
    kind: 'command',
    method: 'POST',
    path: '/v1/permission-requests/{request_id}/respond',
    tag: 'Permissions',
    summary:
      'Approve or deny a permission request; the first answer wins. A denial that cannot reach the agent cancels the Task.',
    scope: 'permissions:respond',
    level: 'extended',
    success: 200,
    body: permissionResponseRequest,
    response: permissionRequest,
    mayConflict: true,
  },
  forgetPermission: {
    kind: 'command',
    method: 'DELETE',
    path: '/v1/permission-requests/{request_id}/remembered',
    tag: 'Permissions',
    summary:
      'Forget the answer for good of a permission request: what was decided stays, later requests are asked.',
    scope: 'permissions:respond',
    level: 'vendor',
    success: 200,
    response: permissionRequest,
  },
} as const satisfies Record<string, OperationRow>;
