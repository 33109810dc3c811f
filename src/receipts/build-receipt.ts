import { CURRENT_VERSION } from '#protocol/version.ts';
import { RECEIPT_FORMAT, type WireReceipt } from '#resources/receipt/schema.ts';
import { inCanonicalOrder, wholeText } from './canonical-order.ts';
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
    version: CURRENT_VERSION,
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

export function modelRouteOf({ usage }: RunRecord): WireReceipt['model_route'] {
  if (usage?.model === undefined) return NO_MODEL;
  const { name, provider } = usage.model;
  return {
    alternatives_considered: [],
    chosen_model: { model: wholeText(name), provider: wholeText(provider) },
    route_policy_reason: 'The agent names this model; the gateway did not choose it.',
  };
}

/** Of several currencies there is no total: it is 0 XXX, and each amount has a row that names its currency. */
export function costOf({ usage }: RunRecord): WireReceipt['cost'] {
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
export function consumedBy({ usage, toolCallCount, wallTimeMs }: RunRecord) {
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
