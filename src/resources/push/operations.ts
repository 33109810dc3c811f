import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { pushConfig, setPushConfigRequest } from './schema.ts';

export const pushConfigsOperations = {
  listPushConfigs: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/push-configs',
    tag: 'Push',
    summary: 'List where the events of a Task are posted; never with what proves the sender.',
    scope: 'tasks:read',
    level: 'vendor',
    success: 200,
    query: page,
    response: listOf(pushConfig),
  },
  setPushConfig: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/push-configs',
    tag: 'Push',
    summary: 'Have the events of a Task posted to a URL: in order, at least once, retried for days.',
    scope: 'tasks:write',
    level: 'vendor',
    success: 201,
    body: setPushConfigRequest,
    response: pushConfig,
  },
  getPushConfig: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/push-configs/{push_config_id}',
    tag: 'Push',
    summary: 'Read a push config.',
    scope: 'tasks:read',
    level: 'vendor',
    success: 200,
    response: pushConfig,
  },
  deletePushConfig: {
    kind: 'command',
    method: 'DELETE',
    path: '/v1/tasks/{task_id}/push-configs/{push_config_id}',
    tag: 'Push',
    summary: 'Post the events of a Task there no longer; what proves the sender is forgotten.',
    scope: 'tasks:write',
    level: 'vendor',
    success: 204,
    response: 'none',
  },
} as const satisfies Record<string, OperationRow>;
