import { z } from 'zod';
import { envelope, jsonObject, pointer, time } from '#protocol/envelope.ts';
import {
  a2aHandoff,
  approval,
  artifactRef,
  budgetAmount,
  dateTime,
  fileWrite,
  modelRef,
  networkEgress,
  providerCost,
  receiptDelta,
  redaction,
  replayMaterial,
  resourceRef,
  sha256,
  signature,
  text,
  toolCall,
  trustTier,
} from './parts-schema.ts';

export const RECEIPT_FORMAT = 'receipt-2026-04-25';
export const RECEIPT_JSON_TYPE = 'application/vnd.harn.receipt+json';
export const RECEIPT_CBOR_TYPE = 'application/vnd.harn.receipt+cbor';

const issuer = z.strictObject({
  id: text,
  kind: z.enum(['harness', 'host', 'agent', 'connector']),
  name: text.optional(),
  version: text.optional(),
  public_key_id: text.optional(),
});

const identifiers = z.strictObject({
  tenant_id: text.optional(),
  persona_ref: text.optional(),
  workspace_ref: text,
  session_id: text,
  task_id: text,
  branch_id: text.optional(),
  trace_id: text.optional(),
});

const lifecycle = z.strictObject({
  created_at: dateTime.optional(),
  started_at: dateTime,
  completed_at: dateTime,
  final_state: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED']),
  failure: jsonObject.nullable().optional(),
});

/** Left out of the hash: `receipt_hash`. `merkle_root` is over the receipts of the same chain before; see src/receipts/README.md, Chain. */
const chain = z.strictObject({
  previous_receipt_hash: sha256.nullable(),
  receipt_hash: sha256,
  merkle_root: sha256.optional(),
});

/** A receipt as it is hashed, signed and handed on. Spec: receipt-2026-04-25. */
export const wireReceipt = z
  .strictObject({
    schema: z.literal(RECEIPT_FORMAT),
    receipt_id: text,
    subject: resourceRef,
    issuer,
    issued_at: dateTime,
    identifiers,
    lifecycle,
    approvals: z.array(approval).optional(),
    trust: z.strictObject({ start_tier: trustTier, end_tier: trustTier, policy_ref: text.optional() }),
    autonomy_budget: z.strictObject({ limit: budgetAmount.optional(), consumed: budgetAmount }),
    replay_input: z.strictObject({
      determinism: z.enum(['byte_deterministic', 'best_effort', 'unavailable']),
      materials: z.array(replayMaterial),
      unavailable_reason: text.optional(),
    }),
    model_route: z.strictObject({
      chosen_model: modelRef,
      alternatives_considered: z.array(modelRef),
      route_policy_reason: text,
    }),
    cost: z.strictObject({
      currency: z.string().regex(/^[A-Z]{3}$/),
      total: z.number().min(0),
      provider_breakdown: z.array(providerCost),
    }),
    side_effects: z.strictObject({
      fs_writes: z.array(fileWrite),
      network_egress: z.array(networkEgress),
      tool_calls: z.array(toolCall),
      a2a_handoffs: z.array(a2aHandoff),
    }),
    final_artifacts: z.array(artifactRef),
    deltas: z.array(receiptDelta).optional(),
    chain,
    redactions: z.array(redaction).optional(),
    signatures: z.array(signature).optional(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: 'ReceiptPayload', title: 'Harn Agents Protocol Receipt' });
export type WireReceipt = z.infer<typeof wireReceipt>;

/** Who signed and with what; `value` is over the `receipt_hash` string. Spec: OpenAPI, `CardSignature`. */
const wireSignature = z.object({ algorithm: text, key_id: text, value: text });

/**
 * The last verification asked for; null before the first. `details.keys` is `brought` where keys that the bundle of an imported
 * Session brought made a signature: that nothing was changed is shown then, not whose it is. Spec: OpenAPI, `ReceiptVerification`.
 */
export const receiptVerification = z
  .object({
    valid: z.boolean(),
    checked_at: time,
    reason: z.string().nullable(),
    details: jsonObject,
  })
  .meta({ id: 'ReceiptVerification' });
/** Both members narrow what is trusted: one key, and what was issued by then. */
export const verifyReceiptRequest = z
  .object({
    trust_anchor: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .optional()
      .describe('Key id: signatures by other keys do not count. Default: every key of the gateway.'),
    at_time: dateTime.nullable().optional().describe('A Receipt issued later is not valid. Default: now.'),
  })
  .meta({ id: 'VerifyReceiptRequest' });
export type ReceiptVerification = z.infer<typeof receiptVerification>;

/** The line that a receipt resource has about its receipt. */
export function receiptSummary(object: string, id: string, finalState: string): string {
  return `${object} ${id}: ${finalState}`;
}

/** The resource around a receipt; its id is the receipt_id; see src/receipts/README.md, Forms. */
export const receipt = envelope('receipt', {
  workspace_id: z.string(),
  session_id: z.string(),
  task_id: z.string(),
  subject: pointer,
  format: z.literal(RECEIPT_FORMAT),
  summary: z.string(),
  issued_at: time,
  issuer: z.string(),
  wire: z
    .object({
      schema_version: z.literal(RECEIPT_FORMAT),
      subject: pointer,
      issued_at: time,
      /** The canonical receipt; what its hash and its signature are about. */
      payload: wireReceipt,
      signature: wireSignature.nullable(),
    })
    .meta({ id: 'ReceiptWireEnvelope' }),
  verification: receiptVerification.nullable(),
}).meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof receipt>;

const size = z.int().min(0);
const proof = z.array(sha256);

/**
 * What the receipt log was at one moment: the RFC 6962 root over the first `size` receipt hashes of this gateway. The signature
 * is over the RFC 8785 bytes of the other members.
 */
export const treeHead = z
  .object({
    object: z.literal('receipt_log_head'),
    log_id: z.string(),
    size,
    root: sha256,
    timestamp: time,
    algorithm: z.literal('ed25519'),
    key_id: z.string(),
    signature: z.string(),
  })
  .meta({ id: 'ReceiptLogHead' });
export type TreeHead = z.infer<typeof treeHead>;

/** Shows that a receipt is in the log: `proof` leads from `leaf_hash` to the root of a tree of `size` leaves. */
export const inclusion = z
  .object({
    object: z.literal('receipt_log_inclusion'),
    receipt_id: z.string(),
    receipt_hash: sha256,
    leaf_hash: sha256,
    index: size,
    size,
    root: sha256,
    proof,
    head: treeHead,
  })
  .meta({ id: 'ReceiptLogInclusion' });
export type Inclusion = z.infer<typeof inclusion>;

/** Shows that nothing was dropped or changed between two sizes of the log. */
export const consistency = z
  .object({
    object: z.literal('receipt_log_consistency'),
    first: z.object({ size, root: sha256 }),
    second: z.object({ size, root: sha256 }),
    proof,
    head: treeHead,
  })
  .meta({ id: 'ReceiptLogConsistency' });

/**
 * The public half of a key that signs receipts, heads of the receipt log and cards. `id` is the `key_id` of its signatures and
 * the `kid` of the key set. It signs from `not_before` through `not_after`, and nothing from `revoked_at` on.
 */
export const signingKey = envelope('signing_key', {
  algorithm: z.literal('Ed25519'),
  /** Raw 32 bytes, base64url. */
  public_key: z.string(),
  status: z.enum(['current', 'retired', 'revoked']),
  not_before: time,
  not_after: time.nullable(),
  revoked_at: time.nullable(),
}).meta({ id: 'SigningKey' });
export type SigningKey = z.infer<typeof signingKey>;

const publicJwk = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
  not_before: time,
  not_after: time.optional(),
  revoked_at: time.optional(),
});

/** Spec: RFC 7517. Revoked keys stand apart, so that a reader of `keys` alone trusts none of them. */
export const keySet = z
  .object({ keys: z.array(publicJwk), revoked_keys: z.array(publicJwk) })
  .meta({ id: 'KeySet' });
