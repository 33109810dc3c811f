import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { inDigits, type OperationRow, page } from '#protocol/operation-row.ts';
import {
  consistency,
  inclusion,
  keySet,
  RECEIPT_CBOR_TYPE,
  RECEIPT_JSON_TYPE,
  receipt,
  receiptVerification,
  signingKey,
  treeHead,
  verifyReceiptRequest,
} from './schema.ts';

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

export const signingKeysOperations = {
  getKeySet: {
    kind: 'document',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'Signing keys',
    summary: 'Read the public keys that verify receipts, heads of the receipt log and cards.',
    scope: 'public',
    level: 'vendor',
    success: 200,
    response: keySet,
  },
  listSigningKeys: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/signing-keys',
    tag: 'Signing keys',
    summary: 'List the signing keys with their windows, those that ended too.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    query: page,
    response: listOf(signingKey),
  },
  rotateSigningKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/signing-keys',
    tag: 'Signing keys',
    summary: 'Rotate: a new key signs from now on; what the one before signed stays valid.',
    scope: 'operator',
    level: 'vendor',
    success: 201,
    response: signingKey,
  },
  revokeSigningKey: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/signing-keys/{signing_key_id}/revoke',
    tag: 'Signing keys',
    summary: 'Revoke: what the key signs from now on counts as forged. The key that signs is replaced.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    response: signingKey,
  },
} as const satisfies Record<string, OperationRow>;
