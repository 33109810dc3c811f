import type { OperationRow } from '#protocol/operation-row.ts';
import { receiptVerification, verifyReceiptRequest } from './schema.ts';

export const receiptVerificationOperations = {
  verifyReceipt: {
    kind: 'command',
    method: 'POST',
    path: '/v1/receipts/{receipt_id}/verify',
    tag: 'Receipts',
    summary: 'Verify a Receipt with the chain before it; the verdict names the failing step and its place.',
    scope: 'receipts:read',
    level: 'receipts',
    success: 200,
    body: verifyReceiptRequest,
    bodyRequired: false,
    response: receiptVerification,
  },
} as const satisfies Record<string, OperationRow>;
