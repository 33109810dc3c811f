import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { dateTime, sha256, text, trustTier } from '#resources/receipt/parts-schema.ts';

/** What is written here. */
export const TRUST_SCHEMA = 'opentrustgraph/v0';
/** What is read: 0.1 has the members of 0, and words of its own in the metadata. */
const TRUST_SCHEMAS = [TRUST_SCHEMA, 'opentrustgraph/v0.1'] as const;
const TRUST_OUTCOMES = ['success', 'failure', 'denied', 'timeout'] as const;

/**
 * What a reviewer said of one request, with the gateway's word over the RFC 8785 bytes of the members above the signature
 * that this reviewer, whom it had authenticated, said so.
 */
export const review = z.object({
  approved: z.boolean(),
  /** Hash of the arguments that were asked about; null where there are none. */
  input_sha256: sha256.nullable(),
  request_id: text,
  reviewer: text,
  signed_at: dateTime,
  algorithm: z.literal('ed25519'),
  key_id: text,
  /** `base64:` and the Ed25519 signature. */
  signature: text,
});
export type Review = z.infer<typeof review>;
export type ReviewStatement = Omit<Review, 'algorithm' | 'key_id' | 'signature'>;

/** Who approved, and what of it was signed. Other members of producers are kept. */
const approvalReceipt = z.looseObject({
  required: z.literal(true),
  quorum: z.int().min(1),
  signatures: z.array(z.looseObject({ reviewer: text, signed_at: dateTime, signature: text })).min(1),
});

/**
 * One approval, denial or change of an autonomy tier, as a link of a hash chain. `entry_hash` is `sha256:` and the hash of the
 * RFC 8785 bytes of the record without it. Source: OpenTrustGraph v0, TrustRecord.
 */
export const trustRecord = z
  .strictObject({
    schema: z.enum(TRUST_SCHEMAS),
    record_id: text,
    /** The Persona that acted, or the route of the agent where there is none. */
    agent: text,
    action: text,
    /** Null when nobody had to approve, or nobody did. */
    approver: text.nullable().optional(),
    outcome: z.enum(TRUST_OUTCOMES),
    trace_id: text,
    autonomy_tier: trustTier,
    timestamp: dateTime,
    cost_usd: z.number().min(0).nullable().optional(),
    chain_index: z.int().min(1),
    previous_hash: sha256.nullable(),
    entry_hash: sha256,
    metadata: jsonObject,
  })
  .superRefine((record, context) => {
    if (!wantsApproval(record)) return;
    if (typeof record.approver !== 'string')
      context.addIssue({ code: 'custom', path: ['approver'], message: 'must name who approved' });
    const receipt = approvalReceipt.safeParse(record.metadata['approval']);
    for (const { path, message } of receipt.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['metadata', 'approval', ...path], message });
  })
  .meta({ id: 'TrustRecord' });
export type TrustRecord = z.infer<typeof trustRecord>;

/** What succeeded under the tier that needs an approval has to prove it. */
function wantsApproval({
  outcome,
  autonomy_tier,
  metadata,
}: Pick<TrustRecord, 'outcome' | 'autonomy_tier' | 'metadata'>) {
  const { approval } = metadata;
  const isRequired =
    typeof approval === 'object' &&
    approval !== null &&
    !Array.isArray(approval) &&
    approval['required'] === true;
  return outcome === 'success' && autonomy_tier === 'act_with_approval' && isRequired;
}
