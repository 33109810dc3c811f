import { z } from 'zod';
import { inDigits, type OperationRow } from '#protocol/operation-row.ts';
import { consistency, inclusion, treeHead } from './log-schema.ts';

const size = z.int().min(0);

export const receiptLogOperations = {
  getReceiptLogHead: {
    kind: 'query',
    method: 'GET',
    path: '/v1/receipt-log/head',
    tag: 'Receipt log',
    summary: 'Read the newest signed head of the log over all receipts of this gateway.',
    scope: 'receipts:read',
    level: 'vendor',
    success: 200,
    response: treeHead,
  },
  getReceiptLogInclusion: {
    kind: 'query',
    method: 'GET',
    path: '/v1/receipt-log/inclusion',
    tag: 'Receipt log',
    summary: 'Prove that a Receipt is in the log.',
    scope: 'receipts:read',
    level: 'vendor',
    success: 200,
    query: z.object({
      receipt_id: z.string().min(1).max(200),
      size: inDigits(size.optional()).describe('Size of a head you hold. Default: the newest one.'),
    }),
    response: inclusion,
  },
  getReceiptLogConsistency: {
    kind: 'query',
    method: 'GET',
    path: '/v1/receipt-log/consistency',
    tag: 'Receipt log',
    summary: 'Prove that the log only grew between two of its heads.',
    scope: 'receipts:read',
    level: 'vendor',
    success: 200,
    query: z.object({
      first: inDigits(size).describe('Size of the older head you hold.'),
      second: inDigits(size.optional()).describe('Size of the newer one. Default: the newest head.'),
    }),
    response: consistency,
  },
} as const satisfies Record<string, OperationRow>;
