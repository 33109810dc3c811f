import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { RECEIPT_CBOR_TYPE, RECEIPT_JSON_TYPE, receipt } from './schema.ts';

export const receiptsOperations = {
  listTaskReceipts: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/receipts',
    tag: 'Receipts',
    summary: 'List the Receipts of a Task, newest first.',
    scope: 'receipts:read',
    level: 'receipts',
    success: 200,
    query: page,
    response: listOf(receipt),
  },
  getReceipt: {
    kind: 'query',
    method: 'GET',
    path: '/v1/receipts/{receipt_id}',
    tag: 'Receipts',
    summary: `Read a Receipt; the bare canonical receipt by Accept ${RECEIPT_JSON_TYPE}, as CBOR by ${RECEIPT_CBOR_TYPE}.`,
    scope: 'receipts:read',
    level: 'receipts',
    success: 200,
    response: receipt,
    alternatives: [RECEIPT_JSON_TYPE, RECEIPT_CBOR_TYPE],
  },
} as const satisfies Record<string, OperationRow>;
