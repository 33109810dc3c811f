import type { OperationRow } from '#protocol/operation-row.ts';
import { backupRequest } from './schema.ts';

export const backupOperations = {
  createBackup: {
    kind: 'query',
    method: 'POST',
    path: '/v1/admin/backup',
    tag: 'Backup',
    summary:
      'Stream a backup of the whole gateway as it is now, or of what was written since an earlier one. Writes go on beside it.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    body: backupRequest,
    bodyRequired: false,
    response: 'bytes',
    mayConflict: true,
  },
} as const satisfies Record<string, OperationRow>;
