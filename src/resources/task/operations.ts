import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { TASK_STATUSES } from '#protocol/task-states.ts';
import { replayTaskRequest } from '#resources/replay/schema.ts';
import { sessionKey } from '#resources/session/schema.ts';
import { cancelTaskRequest, submitTaskRequest, task, taskMaterial } from './schema.ts';

const TASK_ORDERS = ['created', 'status_time'] as const;

export const tasksOperations = {
  listSessionTasks: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}/tasks',
    tag: 'Tasks',
    summary: 'List the Tasks of a Session, newest first.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    query: page,
    response: listOf(task),
  },
  submitSessionTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions/{session_id}/tasks',
    tag: 'Tasks',
    summary: 'Submit a Task in a Session.',
    scope: 'tasks:write',
    level: 'core',
    success: 202,
    body: submitTaskRequest,
    response: task,
    createsTask: true,
    mayConflict: true,
  },
  listTasks: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks',
    tag: 'Tasks',
    summary: 'List Tasks, newest first.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    query: page.extend({
      workspace_id: filter,
      session_id: filter,
      session_key: sessionKey
        .optional()
        .describe('Only Tasks of the Session that the caller knows by this key.'),
      status: z.enum(TASK_STATUSES).optional(),
      rejected: z
        .enum(['true', 'false'])
        .optional()
        .describe('Whether FAILED because the agent or a policy rejected it; false: all other Tasks.'),
      route: filter.describe('Only Tasks that run on this route.'),
      persona_id: filter,
      status_since: z.iso
        .datetime({ offset: true })
        .optional()
        .describe(
          'Only Tasks whose status is from this time or later: their newest move, or what the agent said since.',
        ),
      sort: z
        .enum(TASK_ORDERS)
        .default('created')
        .describe(
          'Newest first by creation, or by the time of the status; the latter counts what fits in `total`, among the newest 100,000.',
        ),
    }),
    response: listOf(task).extend({ total: z.int().min(0).optional() }),
  },
  submitTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks',
    tag: 'Tasks',
    summary: 'Submit a Task to the Session named in the body.',
    scope: 'tasks:write',
    level: 'core',
    success: 202,
    body: submitTaskRequest,
    response: task,
    createsTask: true,
    mayConflict: true,
  },
  getTask: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}',
    tag: 'Tasks',
    summary: 'Read a Task.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    response: task,
  },
  listTaskMaterials: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/materials',
    tag: 'Tasks',
    summary: 'List what was recorded of the run of a Task, in its order; a replay can override each.',
    scope: 'tasks:read',
    level: 'vendor',
    success: 200,
    query: page,
    response: listOf(taskMaterial),
  },
  cancelTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/cancel',
    tag: 'Tasks',
    summary: 'Cancel a Task; forwarded to the agent with a bounded wait.',
    scope: 'tasks:write',
    level: 'core',
    success: 200,
    body: cancelTaskRequest,
    bodyRequired: false,
    response: task,
    mayConflict: true,
  },
  replayTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/replay',
    tag: 'Tasks',
    summary: 'Replay an ended Task from what was recorded of it; the answer is the replay Task.',
    scope: 'tasks:replay',
    level: 'replay',
    success: 202,
    body: replayTaskRequest,
    bodyRequired: false,
    response: task,
  },
} as const satisfies Record<string, OperationRow>;
