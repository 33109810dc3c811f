import { z } from 'zod';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import { jsonObject } from '#protocol/envelope.ts';

/** What the members of a receipt are made of. Spec: receipt-2026-04-25, `$defs`. */

export const text = z.string().min(1);
export const dateTime = z.iso.datetime({ offset: true });
/** `sha256:` and lower-case hex. */
export const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const amount = z.number().min(0);
const count = z.int().min(0);

const RECEIPT_SUBJECTS = [
  'task',
  'outcome',
  'event',
  'artifact',
  'approval',
  'tool_call',
  'replay_segment',
] as const;

export const resourceRef = z.strictObject({ object: z.enum(RECEIPT_SUBJECTS), id: text });
export const trustTier = z.enum(AUTONOMY_TIERS);

export const approval = z.strictObject({
  approval_id: text.optional(),
  actor: text,
  action: text,
  decision: z.enum(['approved', 'denied', 'canceled', 'timeout']),
  decided_at: dateTime,
  quorum_proof: jsonObject.nullable().optional(),
  evidence_hash: sha256.optional(),
});

export const budgetAmount = z.strictObject({
  usd: amount.optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  tool_calls: count.optional(),
  wall_time_ms: count.optional(),
});

const MATERIAL_KINDS = [
  'llm_provider_response',
  'mcp_tool_return',
  'event_log',
  'artifact',
  'host_fact',
] as const;

/** One of these sets of members says what the material is; the others are optional. */
const MATERIAL_FORMS = [['uri', 'sha256'], ['bytes_base64', 'sha256'], ['metadata']] as const;

export const replayMaterial = z
  .strictObject({
    kind: z.enum(MATERIAL_KINDS),
    /** Override key of the recorded fact. */
    id: text.optional(),
    uri: text.optional(),
    sha256: sha256.optional(),
    content_type: text.optional(),
    bytes_base64: text.optional(),
    metadata: jsonObject.optional(),
  })
  .refine(
    (material) => MATERIAL_FORMS.some((form) => form.every((name) => material[name] !== undefined)),
    'needs uri and sha256, or bytes_base64 and sha256, or metadata',
  )
  .meta({ anyOf: MATERIAL_FORMS.map((required) => ({ required: [...required] })) });

export const modelRef = z.strictObject({
  provider: text,
  model: text,
  version: text.optional(),
  reason: text.optional(),
});

export const providerCost = z.strictObject({
  provider: text,
  model: text.optional(),
  amount,
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  metadata: jsonObject.optional(),
});

export const fileWrite = z.strictObject({
  path: text,
  operation: z.enum(['create', 'modify', 'delete', 'rename']),
  before_sha256: sha256.nullable().optional(),
  after_sha256: sha256.nullable().optional(),
});

export const networkEgress = z.strictObject({
  destination: text,
  purpose: text,
  bytes_sent: count.optional(),
  metadata: jsonObject.optional(),
});

export const toolCall = z.strictObject({
  tool: text,
  call_id: text,
  status: z.enum(['succeeded', 'failed', 'canceled']),
  input_hash: sha256.optional(),
  output_hash: sha256.optional(),
  metadata: jsonObject.optional(),
});

export const a2aHandoff = z.strictObject({
  target_agent: text,
  task_id: text,
  status: z.enum(['accepted', 'rejected', 'failed', 'completed']),
  receipt_id: text.optional(),
});

export const artifactRef = z.strictObject({
  artifact_id: text,
  kind: text,
  uri: text.optional(),
  sha256: sha256.optional(),
});

/** Something that was taken out; `proof_hash` commits to what it was, under a key of the gateway. */
export const redaction = z.strictObject({ field: text, reason: text, proof_hash: sha256.optional() });

/** A substitution of a replay. Spec: Agents Protocol v1, "Replay contract". */
export const receiptDelta = z.strictObject({
  delta_id: text.optional(),
  operation: z.enum(['add', 'replace', 'remove']),
  path: text,
  override_key: text.optional(),
  event_id: text.optional(),
  before_sha256: sha256.nullable().optional(),
  after_sha256: sha256.nullable().optional(),
  artifact_id: text.optional(),
  reason: text.optional(),
});

export const signature = z.strictObject({
  key_id: text,
  algorithm: text,
  signature: text,
  signed_at: dateTime.optional(),
});

export type ReplayMaterial = z.infer<typeof replayMaterial>;
export type ReceiptDelta = z.infer<typeof receiptDelta>;
export type ReceiptApproval = z.infer<typeof approval>;
export type ReceiptToolCall = z.infer<typeof toolCall>;
export type ReceiptFileWrite = z.infer<typeof fileWrite>;
export type ReceiptHandoff = z.infer<typeof a2aHandoff>;
export type ReceiptRedaction = z.infer<typeof redaction>;
export type ReceiptArtifact = z.infer<typeof artifactRef>;
