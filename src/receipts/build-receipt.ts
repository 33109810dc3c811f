import { createHash } from 'node:crypto';
import { canonicalJson, inCanonicalOrder, wholeText } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import { SIGNED_VERSION } from '#protocol/versions.ts';
import { RECEIPT_FORMAT, type WireReceipt } from '#resources/receipt/schema.ts';
import type { ReceiptContent, ReceiptPlace, ReplayRecord, RunRecord } from './receipt-draft.ts';

/**
 * The content of a receipt. Every object is written in RFC 8785 order, so that JSON.stringify is canonical and no second
 * pass is needed; absent strings are left out, lists that may be absent are left out when empty.
 */
export function buildReceipt(run: RunRecord, place: ReceiptPlace, replay?: ReplayRecord): ReceiptContent {
  const metadata = replay === undefined ? run.metadata : { ...run.metadata, ...replay.metadata };
  return {
    ...unlessEmpty('approvals', run.approvals),
    autonomy_budget: { consumed: consumedBy(run) },
    chain: chainOf(place),
    cost: costOf(run),
    ...unlessEmpty('deltas', replay?.deltas ?? []),
    final_artifacts: [...run.artifacts],
    identifiers: identifiersOf(run.identifiers),
    issued_at: place.issuedAt,
    issuer: issuerOf(place),
    lifecycle: lifecycleOf(run.lifecycle),
    metadata: inCanonicalOrder(metadata),
    model_route: modelRouteOf(run),
    receipt_id: place.receiptId,
    ...unlessEmpty('redactions', run.redactions),
    replay_input: { determinism: 'byte_deterministic', materials: [...run.materials] },
    schema: RECEIPT_FORMAT,
    side_effects: {
      a2a_handoffs: [...run.handoffs],
      fs_writes: [...run.fileWrites],
      network_egress: run.networkEgress,
      tool_calls: [...run.toolCalls],
    },
    subject: { id: run.subject.id, object: run.subject.object },
    trust: {
      end_tier: run.trust.endTier,
      policy_ref: run.trust.policyRef,
      start_tier: run.trust.startTier,
    },
  };
}

function unlessEmpty<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { [Key in Name]?: Item[] } {
  return items.length === 0 ? {} : ({ [name]: [...items] } as { [Key in Name]?: Item[] });
}

function chainOf({ previousHash, merkleRoot }: ReceiptPlace): ReceiptContent['chain'] {
  return merkleRoot === null
    ? { previous_receipt_hash: previousHash }
    : { merkle_root: merkleRoot, previous_receipt_hash: previousHash };
}

function issuerOf({ issuer, keyId }: ReceiptPlace): WireReceipt['issuer'] {
  return {
    id: issuer.id,
    kind: 'harness',
    ...(issuer.name === null ? {} : { name: wholeText(issuer.name) }),
    ...(keyId === null ? {} : { public_key_id: keyId }),
    version: SIGNED_VERSION,
  };
}

function identifiersOf(known: RunRecord['identifiers']): WireReceipt['identifiers'] {
  return {
    ...(known.branchId === null ? {} : { branch_id: known.branchId }),
    ...(known.personaRef === null ? {} : { persona_ref: wholeText(known.personaRef) }),
    session_id: known.sessionId,
    task_id: known.taskId,
    ...(known.tenantId === null ? {} : { tenant_id: known.tenantId }),
    ...(known.traceId === null ? {} : { trace_id: known.traceId }),
    workspace_ref: known.workspaceId,
  };
}

function lifecycleOf(times: RunRecord['lifecycle']): WireReceipt['lifecycle'] {
  return {
    completed_at: times.completedAt,
    created_at: times.createdAt,
    failure: times.failure === null ? null : inCanonicalOrder(times.failure),
    final_state: times.finalState,
    started_at: times.startedAt,
  };
}

/**
 * The members of a receipt about models and money, from what the agent says that it used: the gateway calls no model and pays
 * none. Members are in RFC 8785 order.
 */

const NO_MODEL: WireReceipt['model_route'] = {
  alternatives_considered: [],
  chosen_model: { model: 'none', provider: 'none' },
  route_policy_reason: 'The gateway made no model call of its own.',
};
const NO_COST: WireReceipt['cost'] = { currency: 'USD', provider_breakdown: [], total: 0 };
/** The ISO 4217 code for no currency: amounts of several are not added. */
const SEVERAL = 'XXX';

function modelRouteOf({ usage, wished }: RunRecord): WireReceipt['model_route'] {
  if (wished !== undefined) return modelWished(wished, usage?.model);
  if (usage?.model === undefined) return NO_MODEL;
  const { name, provider } = usage.model;
  return {
    alternatives_considered: [],
    chosen_model: { model: wholeText(name), provider: wholeText(provider) },
    route_policy_reason: 'The agent names this model; the gateway did not choose it.',
  };
}

/** What the agent says that it used counts; the wish of the Session only where it says nothing. */
function modelWished(
  wished: NonNullable<RunRecord['wished']>,
  used: { name: string; provider: string } | undefined,
): WireReceipt['model_route'] {
  const { provider, model } = used === undefined ? wished : { provider: used.provider, model: used.name };
  return {
    alternatives_considered: [],
    chosen_model: { model: wholeText(model), provider: wholeText(provider) },
    route_policy_reason: `session_policy: the Session wished for this model route and the agent took it; ${
      used === undefined ? 'the agent does not say what it used.' : 'the agent names this model.'
    }`,
  };
}

/** Of several currencies there is no total: it is 0 XXX, and each amount has a row that names its currency. */
function costOf({ usage }: RunRecord): WireReceipt['cost'] {
  const [cost, ...more] = usage?.costs ?? [];
  if (usage === null || cost === undefined) return NO_COST;
  const { model, input_tokens, output_tokens } = usage;
  const provider = wholeText(model?.provider ?? usage.agent);
  const named = model === undefined ? {} : { model: wholeText(model.name) };
  if (more.length > 0) {
    const rows = usage.costs.map(({ amount, currency }) => ({
      amount,
      metadata: { currency },
      ...named,
      provider,
    }));
    return { currency: SEVERAL, provider_breakdown: rows, total: 0 };
  }
  const row = {
    amount: cost.amount,
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...named,
    ...(output_tokens === undefined ? {} : { output_tokens }),
    provider,
  };
  return { currency: cost.currency, provider_breakdown: [row], total: cost.amount };
}

/** `usd` is left out where anything was paid in another currency. */
function consumedBy({ usage, toolCallCount, wallTimeMs }: RunRecord) {
  const { input_tokens, output_tokens, costs = [] } = usage ?? {};
  const isDollars = costs.every(({ currency }) => currency === 'USD');
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    tool_calls: toolCallCount,
    ...(isDollars ? { usd: costs[0]?.amount ?? 0 } : {}),
    wall_time_ms: wallTimeMs,
  };
}

/** Signs the hash of a receipt. Its key does not change between the two uses of it in one receipt. */
export interface ReceiptKey {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface SealedReceipt {
  /** `sha256:` and hex. */
  hash: string;
  /** The canonical receipt as it is stored and served. */
  bytes: Buffer;
}

const HASH_MEMBER = ',"receipt_hash":"';
/** As long as every hash: what is hashed leaves its member out, so that it is written in its place afterwards. */
const NO_HASH = `sha256:${'0'.repeat(64)}`;
const SIGNATURES = ',"signatures":[{';
/** As long as the base64 of every ed25519 signature. */
const NO_SIGNATURE = 'A'.repeat(88);
const SUBJECT = ',"subject":{"id":';

/**
 * Hashes a receipt over its RFC 8785 bytes without `chain.receipt_hash` and `signatures`, and signs that hash. The bytes are made
 * once, with room for both; what is hashed is the very bytes that are stored and served. There is no `signed_at`: nothing would
 * cover it, and `issued_at` is hashed. Without a key the receipt has no `signatures`, as in a replay. Throws RangeError for a
 * signature that is no ed25519 one. Spec: Agents Protocol v1, "Receipt wire format"; RFC 8785.
 */
export function sealReceipt(content: ReceiptContent, key: ReceiptKey | null): SealedReceipt {
  const bytes = Buffer.from(textOf(content, key));
  // What stands before the chain is of the approvals, which may say anything; behind the subject nothing is free text.
  const chain = bytes.indexOf(HASH_MEMBER, Buffer.byteLength(approvalsOf(content)));
  const afterHash = chain + HASH_MEMBER.length + NO_HASH.length + 1;
  const subject = bytes.lastIndexOf(SUBJECT);
  const signatures = key === null ? subject : bytes.lastIndexOf(SIGNATURES, subject);
  const hashed = createHash('sha256').update(bytes.subarray(0, chain));
  hashed.update(bytes.subarray(afterHash, signatures)).update(bytes.subarray(subject));
  const hash = `sha256:${hashed.digest('hex')}`;
  bytes.write(hash, chain + HASH_MEMBER.length);
  if (key === null) return { hash, bytes };
  const signature = Buffer.from(key.sign(Buffer.from(hash))).toString('base64');
  if (signature.length !== NO_SIGNATURE.length)
    throw new RangeError('A signature of a receipt has 64 bytes.');
  bytes.write(signature, subject - `${NO_SIGNATURE}"}]`.length);
  return { hash, bytes };
}

/** A member name that objects keep before all others, whatever the order they were written in. */
const NUMBER_NAME = /"(?:0|[1-9]\d*)":/;

/** The members are written in canonical order; only names that are whole numbers need the longer way. */
function textOf({ subject, trust, ...content }: ReceiptContent, key: ReceiptKey | null): string {
  const signed = key && {
    signatures: [{ algorithm: 'ed25519', key_id: key.keyId, signature: `base64:${NO_SIGNATURE}` }],
  };
  const chain = { ...content.chain, receipt_hash: NO_HASH };
  const receipt = { ...content, chain, ...signed, subject, trust };
  const text = JSON.stringify(receipt);
  return NUMBER_NAME.test(text) ? canonicalJson(receipt as unknown as JsonValue) : text;
}

function approvalsOf({ approvals }: ReceiptContent): string {
  return approvals === undefined ? '' : canonicalJson(approvals as unknown as JsonValue);
}
