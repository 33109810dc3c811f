import { z } from 'zod';
import { time } from '#protocol/envelope.ts';
import { RECEIPT_POLICIES } from '#resources/persona/schema.ts';
import { resourceRef, sha256, trustTier } from './parts-schema.ts';
import { receiptVerification, signingKey } from './schema.ts';

/** The terms of the persona that a task was accepted under; they hold although the persona may change. */
export const personaTerms = z.object({
  /** `<id>@<version>`. */
  ref: z.string(),
  autonomy_tier: trustTier,
  receipt_policy: z.enum(RECEIPT_POLICIES),
});
export type PersonaTerms = z.infer<typeof personaTerms>;

/** Issued in the commit of what it proves; the receipt itself is read by its id. */
const receiptIssued = z.object({
  receipt_id: z.string(),
  receipt_hash: sha256,
  previous_receipt_hash: sha256.nullable(),
  subject: resourceRef,
  final_state: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED']),
  issuer: z.string(),
  /** Null where it is not signed. */
  key_id: z.string().nullable(),
  /** Place in the gateway-wide receipt log, from 0. */
  log_index: z.int().min(0),
  /** Whether it is the next one of the chain of its session, or follows the receipt of the task it replays. */
  follows: z.enum(['session', 'replay_source']),
});

/** What a verification that somebody asked for has found. */
const receiptVerified = z.object({ receipt_id: z.string(), verification: receiptVerification });

/** Payloads of what happens to signing keys. */
export const KEY_EVENTS = {
  /** What the key registry says of a key from now on; the private half is in no event. */
  'vendor.harn_gateway.signing_key_changed': z.object({
    key_id: z.string(),
    /** Raw 32 bytes, base64url; absent in events of earlier versions. */
    public_key: signingKey.shape.public_key.optional(),
    status: signingKey.shape.status,
    not_before: time,
    not_after: time.nullable(),
    revoked_at: time.nullable(),
  }),
} as const;

/** Payloads of Receipts. */
export const RECEIPT_EVENTS = {
  'receipt.issued': receiptIssued,
  'receipt.verified': receiptVerified,
  'receipt.verification_failed': receiptVerified,
} as const;
