import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { deadLetter, pushConfig, setPushConfigRequest } from './schema.ts';

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

export const deadLettersOperations = {
  listDeadLetters: {
    kind: 'query',
    method: 'GET',
    path: '/v1/dead-letters',
    tag: 'Push',
    summary: 'List deliveries that were given up, newest first.',
    scope: 'dead_letters:read',
    level: 'vendor',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(deadLetter),
  },
  retryDeadLetter: {
    kind: 'command',
    method: 'POST',
    path: '/v1/dead-letters/{dead_letter_id}/retry',
    tag: 'Push',
    summary: 'Post a given up delivery once more, under the same delivery id.',
    scope: 'dead_letters:write',
    level: 'vendor',
    success: 202,
    response: deadLetter,
  },
} as const satisfies Record<string, OperationRow>;
