import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { trustRecord } from './schema.ts';

export const trustRecordsOperations = {
  listTrustRecords: {
    kind: 'query',
    method: 'GET',
    path: '/v1/trust-records',
    tag: 'Receipts',
    summary:
      'List the OpenTrustGraph records of approvals, denials and changes of autonomy tiers, newest first. Each Workspace has a chain of its own, and the Tenant one for its Personas.',
    scope: 'trust_records:read',
    level: 'vendor',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(trustRecord),
  },
} as const satisfies Record<string, OperationRow>;
