import type { Handlers } from '#core/handlers.ts';
import { getReceiptLogConsistency, getReceiptLogHead, getReceiptLogInclusion } from './log-queries.ts';
import { getReceipt, listTaskReceipts } from './queries.ts';
import { revokeSigningKey } from './revokeSigningKey.ts';
import { rotateSigningKey } from './rotateSigningKey.ts';
import { listSigningKeys } from './signing-key-queries.ts';
import { verifyReceipt } from './verifyReceipt.ts';

export const receiptHandlers = {
  revokeSigningKey,
  rotateSigningKey,
  verifyReceipt,
  getReceipt,
  getReceiptLogConsistency,
  getReceiptLogHead,
  getReceiptLogInclusion,
  listSigningKeys,
  listTaskReceipts,
} satisfies Partial<Handlers>;
