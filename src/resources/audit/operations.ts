import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { inDigits, type OperationRow } from '#protocol/operation-row.ts';
import { AUDIT_LINES_TYPE, auditLine } from './schema.ts';

export const auditOperations = {
  exportAudit: {
    kind: 'query',
    method: 'GET',
    path: '/v1/audit',
    tag: 'Administration',
    summary:
      'Read decisions, oldest first: of the policy, permissions, rules, keys, erasures, holds and kill switches.',
    scope: 'audit:read',
    level: 'vendor',
    success: 200,
    query: z.object({
      since: z.string().min(1).max(40).optional().describe('RFC 3339 time of the first line. Default: all.'),
      after: z
        .string()
        .max(64)
        .optional()
        .describe('Id of a line, or the cursor of a page, to go on behind. It counts before `since`.'),
      cursor: z
        .string()
        .max(64)
        .optional()
        .describe('The same as `after`, which counts where both are sent.'),
      limit: inDigits(z.int().min(1).max(1_000).default(200)),
    }),
    alternatives: [AUDIT_LINES_TYPE],
    response: listOf(auditLine),
  },
} as const satisfies Record<string, OperationRow>;
