import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { deadLetter } from './dead-letter-schema.ts';

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
