import type { WireReceipt } from '../protocol/resources/receipt.ts';
import { RECEIPT_FORMAT } from '../protocol/resources/receipt.ts';
import { CURRENT_VERSION } from '../protocol/version.ts';
import { inCanonicalOrder, wholeText } from './canonical-order.ts';
import type { ReceiptContent, ReceiptPlace, ReplayRecord, RunRecord } from './receipt-draft.ts';
import { consumedBy, costOf, modelRouteOf } from './usage-members.ts';

/**
 * The content of a receipt. Every object is written in RFC 8785 order, so that JSON.stringify is canonical and no second
 * pass is needed; absent strings are left out, lists that may be absent are left out when empty (contract section 3).
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
