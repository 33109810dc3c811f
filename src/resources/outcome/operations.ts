import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { outcome } from './schema.ts';

export const outcomesOperations = {
  listOutcomes: {
    kind: 'query',
    method: 'GET',
    path: '/v1/outcomes',
    tag: 'Outcomes',
    summary: 'List Outcomes, newest first.',
    scope: 'outcomes:read',
    level: 'core',
    success: 200,
    query: page.extend({ task_id: filter }),
    response: listOf(outcome),
  },
  getOutcome: {
    kind: 'query',
    method: 'GET',
    path: '/v1/outcomes/{outcome_id}',
    tag: 'Outcomes',
    summary: 'Read an Outcome.',
    scope: 'outcomes:read',
    level: 'core',
    success: 200,
    response: outcome,
  },
} as const satisfies Record<string, OperationRow>;
