import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { createErasureRequest, erasure } from './schema.ts';

export const erasuresOperations = {
  listErasures: {
    kind: 'query',
    method: 'GET',
    path: '/v1/erasures',
    tag: 'Administration',
    summary: 'List erasures, newest first.',
    scope: 'erasures:read',
    level: 'vendor',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(erasure),
  },
  createErasure: {
    kind: 'command',
    method: 'POST',
    path: '/v1/erasures',
    tag: 'Administration',
    summary:
      'Erase what a Session holds, or what an actor left in a Workspace, for good; proofs and a record of the erasure stay.',
    scope: 'erasures:write',
    level: 'vendor',
    success: 202,
    body: createErasureRequest,
    response: erasure,
    mayConflict: true,
  },
  getErasure: {
    kind: 'query',
    method: 'GET',
    path: '/v1/erasures/{erasure_id}',
    tag: 'Administration',
    summary: 'Read the record of an erasure.',
    scope: 'erasures:read',
    level: 'vendor',
    success: 200,
    response: erasure,
  },
} as const satisfies Record<string, OperationRow>;
