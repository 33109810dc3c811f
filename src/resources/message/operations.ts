import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { appendMessageRequest, appendTaskMessageRequest } from '#resources/task/schema.ts';
import { message } from './schema.ts';

export const messagesOperations = {
  listSessionMessages: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}/messages',
    tag: 'Messages',
    summary: 'List the Messages of a Session in order.',
    scope: 'messages:read',
    level: 'core',
    success: 200,
    query: page,
    response: listOf(message),
  },
  appendSessionMessage: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions/{session_id}/messages',
    tag: 'Messages',
    summary: 'Append a Message; it precedes the next Task input.',
    scope: 'messages:write',
    level: 'core',
    success: 201,
    body: appendMessageRequest,
    response: message,
  },
  getMessage: {
    kind: 'query',
    method: 'GET',
    path: '/v1/messages/{message_id}',
    tag: 'Messages',
    summary: 'Read a Message.',
    scope: 'messages:read',
    level: 'core',
    success: 200,
    response: message,
  },
  appendTaskMessage: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/messages',
    tag: 'Messages',
    summary: 'Answer a blocked Task (input) or interrupt a working one.',
    scope: 'tasks:write',
    level: 'core',
    success: 201,
    body: appendTaskMessageRequest,
    response: message,
  },
} as const satisfies Record<string, OperationRow>;
