import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { quota } from './schema.ts';

export const quotasOperations = {
  listQuotas: {
    kind: 'query',
    method: 'GET',
    path: '/v1/quotas',
    tag: 'Quotas',
    summary:
      'List the configured Quotas with their usage now; those of the organization need the scope admin.',
    scope: 'quotas:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(quota),
  },
  getQuota: {
    kind: 'query',
    method: 'GET',
    path: '/v1/quotas/{quota_id}',
    tag: 'Quotas',
    summary: 'Read a Quota with its usage now.',
    scope: 'quotas:read',
    level: 'extended',
    success: 200,
    response: quota,
  },
} as const satisfies Record<string, OperationRow>;
