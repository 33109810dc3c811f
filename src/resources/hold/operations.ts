import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { createHoldRequest, hold, releaseHoldRequest } from './schema.ts';

export const holdsOperations = {
  listHolds: {
    kind: 'query',
    method: 'GET',
    path: '/v1/holds',
    tag: 'Administration',
    summary: 'List holds, newest first, released ones too.',
    scope: 'holds:read',
    level: 'vendor',
    success: 200,
    query: page.extend({ workspace_id: filter, session_id: filter }),
    response: listOf(hold),
  },
  createHold: {
    kind: 'command',
    method: 'POST',
    path: '/v1/holds',
    tag: 'Administration',
    summary: 'Keep Sessions from every removal until the hold is released or expires.',
    scope: 'holds:write',
    level: 'vendor',
    success: 201,
    body: createHoldRequest,
    response: hold,
    mayConflict: true,
  },
  getHold: {
    kind: 'query',
    method: 'GET',
    path: '/v1/holds/{hold_id}',
    tag: 'Administration',
    summary: 'Read a hold.',
    scope: 'holds:read',
    level: 'vendor',
    success: 200,
    response: hold,
  },
  releaseHold: {
    kind: 'command',
    method: 'POST',
    path: '/v1/holds/{hold_id}/release',
    tag: 'Administration',
    summary: 'End a hold, with a reason that stays on record.',
    scope: 'holds:write',
    level: 'vendor',
    success: 200,
    body: releaseHoldRequest,
    response: hold,
  },
} as const satisfies Record<string, OperationRow>;
