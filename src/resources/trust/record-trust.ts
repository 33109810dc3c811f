import type { DecisionTools } from '#core/facts.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import type { AutonomyTier } from '#protocol/autonomy.ts';
import { type Clean, type CleanText, fromLog, own } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { textOf } from '#protocol/json-shape.ts';
import { sealTrustRecord, signReview } from '#receipts/trust-chain.ts';
import type { CleanPermissionRequestState } from '#resources/permission/state.ts';
import type { Persona } from '#resources/persona/schema.ts';
import type { CleanPersonaState } from '#resources/persona/state.ts';
import { termsOf } from '#resources/receipt/run-record.ts';
import type { Session } from '#resources/session/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { trustKey } from '#store/keys.ts';
import { type Review, TRUST_SCHEMA, type TrustRecord } from './schema.ts';
import { type CleanTrustChainState, trustKeys } from './state.ts';

/** What recording needs of the tools of a decision. */
export type TrustTools = Pick<DecisionTools, 'newId' | 'receipts'>;

/** Whose chain a record is a link of. */
type Owner = { workspace_id: CleanText } | { tenant_id: CleanText };

/** What a record says besides its place in its chain. */
interface TrustDraft {
  owner: Owner;
  /** The event that it proves. */
  event: Event;
  content: Pick<TrustRecord, 'agent' | 'action' | 'approver' | 'outcome' | 'autonomy_tier'>;
  traceId: string | null;
  metadata: JsonObject;
}

/** How a request ended. Without a reviewer nobody decided: its deadline, its agent or the end of its Task did. */
interface Decision {
  approved: boolean;
  reviewer?: string | null;
  reason?: string | null;
}

/** Name of the chain of a workspace. Its records are shown to the members of the workspace. */
export const topicOfWorkspace = (id: string): string => `workspace:${id}`;
/** Name of the chain of what belongs to a tenant and no workspace. */
export const topicOfTenant = (id: string): string => `tenant:${id}`;

/** Proves how a request for a tool call or an authorization ended, in the commit of the event that says so. */
export function recordDecision(
  tx: Transaction,
  tools: TrustTools,
  task: CleanTaskState,
  request: CleanPermissionRequestState,
  { event, decision }: { event: Event; decision: Decision },
): void {
  const { resource, internal } = task;
  const { tool_call } = request.resource.request;
  const { approved, reviewer = null, reason = null } = decision;
  const isDecided = reviewer !== null && event.actor !== null;
  const review = isDecided
    ? reviewOf(tx, tools, request, { approved, reviewer: event.actor ?? '' })
    : undefined;
  const proof = approved ? approvalOf(request, review) : denialOf(review);
  append(tx, tools, {
    owner: { workspace_id: resource.workspace_id },
    event,
    content: {
      agent: internal.persona?.ref ?? internal.route,
      action: tool_call ? `tool:${tool_call.name}` : 'authorization',
      approver: isDecided && approved ? event.actor : null,
      outcome: approved ? 'success' : reason === 'timeout' ? 'timeout' : 'denied',
      autonomy_tier: termsOf(task).startTier,
    },
    traceId: internal.trace_id,
    metadata: {
      request_id: request.resource.id,
      session_id: resource.session_id,
      task_id: resource.id,
      input_sha256: tool_call?.input_sha256 ?? null,
      reason: textOrNull(event, 'reason'),
      reviewer: textOrNull(event, 'reviewer'),
      ...memoryOf(request, event),
      ...proof,
    },
  });
}

/** Proves that the tier of a Persona changed; nothing is recorded where it stays what it was. */
export function recordTierChange(
  tx: Transaction,
  tools: TrustTools,
  { resource, internal }: CleanPersonaState,
  { event, tier }: { event: Event; tier: Persona['autonomy_tier'] },
): void {
  if (tier === resource.autonomy_tier) return;
  append(tx, tools, {
    owner: { tenant_id: internal.tenant },
    event,
    content: {
      agent: resource.id,
      action: 'autonomy_tier.changed',
      approver: event.actor,
      outcome: 'success',
      autonomy_tier: tier,
    },
    traceId: event.trace_id,
    metadata: { previous_tier: resource.autonomy_tier, tier },
  });
}

/** Proves that the tier of a Session changed; `tier` is what its tasks without a persona of their own are under now. */
export function recordSessionTierChange(
  tx: Transaction,
  tools: TrustTools,
  { id, workspace_id, persona_id, metadata }: Clean<Session>,
  { event, previous, tier }: { event: Event; previous: AutonomyTier; tier: AutonomyTier },
): void {
  append(tx, tools, {
    owner: { workspace_id },
    event,
    content: {
      agent: persona_id ?? textOf(metadata['route']) ?? id,
      action: 'autonomy_tier.changed',
      approver: event.actor,
      outcome: 'success',
      autonomy_tier: tier,
    },
    traceId: event.trace_id,
    metadata: { session_id: id, previous_tier: previous, tier },
  });
}

/** Proves that control of a Session was taken from a live client, and by whom. */
export function recordTakeover(
  tx: Transaction,
  tools: TrustTools & Pick<DecisionTools, 'self'>,
  { id, workspace_id, persona_id, metadata }: Clean<Session>,
  { event, from, to }: { event: Event; from: string; to: string },
): void {
  append(tx, tools, {
    owner: { workspace_id },
    event,
    content: {
      agent: persona_id ?? textOf(metadata['route']) ?? id,
      action: 'session.control_taken',
      approver: event.actor,
      outcome: 'success',
      autonomy_tier: tools.self.policy.defaultTier,
    },
    traceId: event.trace_id,
    metadata: { session_id: id, previous_controller_id: from, active_controller_id: to },
  });
}

/** A call that the policy refused. */
export interface Refusal {
  owner: Owner;
  event: Event;
  /** The Persona it was for, or the actor. */
  agent: string;
  operation: string;
  tier: Persona['autonomy_tier'];
  metadata: JsonObject;
}

/** Proves that a call was refused, in the commit of the event that says so. */
export function recordRefusal(tx: Transaction, tools: TrustTools, refusal: Refusal): void {
  const { owner, event, agent, operation, tier, metadata } = refusal;
  const content = { agent, action: `call:${operation}`, approver: null, autonomy_tier: tier } as const;
  append(tx, tools, {
    owner,
    event,
    content: { ...content, outcome: 'denied' },
    traceId: event.trace_id,
    metadata: { ...metadata, actor: event.actor },
  });
}

/** Draws up the record at the end of its transaction, so that the events of a run stay without a gap. */
function append(tx: Transaction, tools: TrustTools, draft: TrustDraft): void {
  tx.atEnd(() => {
    const topic = topicOf(draft.owner);
    const before = tx.get<CleanTrustChainState>(trustKeys.trustChain(topic));
    const record = sealTrustRecord({
      schema: TRUST_SCHEMA,
      record_id: tools.newId('trust_record'),
      ...draft.content,
      trace_id: draft.traceId ?? draft.event.id,
      timestamp: tx.time,
      chain_index: (before?.count ?? 0) + 1,
      previous_hash: before?.head ?? null,
      metadata: {
        ...draft.metadata,
        ...draft.owner,
        event: draft.event.event,
        event_id: draft.event.id,
        issuer: tools.receipts.issuer.id,
        topic,
      },
    });
    tx.record(trustKey(topic, record.chain_index), canonicalJson(record as unknown as JsonObject));
    appendRecorded(tx, draft, topic, record);
  });
}

function appendRecorded(
  tx: Transaction,
  { owner, event }: TrustDraft,
  topic: CleanText,
  record: TrustRecord,
): void {
  // What it is made of is in the log already.
  const { record_id, chain_index, previous_hash, entry_hash } = fromLog(record);
  const pointer = { object: 'trust_record', id: record_id };
  const payload = { record_id, topic, chain_index, previous_hash, entry_hash, event_id: own(event.id) };
  const place: Place = owner;
  tx.append(newEvent('vendor.harn_gateway.trust_recorded', pointer, place, payload));
}

function topicOf(owner: Owner): CleanText {
  return own('workspace_id' in owner ? topicOfWorkspace(owner.workspace_id) : topicOfTenant(owner.tenant_id));
}

/** What the caller who decided said, signed by the gateway that knows who it was. */
export function reviewOf(
  tx: Transaction,
  { receipts }: TrustTools,
  { resource }: CleanPermissionRequestState,
  { approved, reviewer }: { approved: boolean; reviewer: string },
): Clean<Review> {
  const input_sha256 = resource.request.tool_call?.input_sha256 ?? null;
  const statement = { approved, input_sha256, request_id: resource.id, reviewer, signed_at: tx.time };
  return fromLog(signReview(statement, receipts.key()));
}

/**
 * How long the answer is remembered, the earlier answer or rule it came from, and the policy in force. Empty for an answer to
 * one request only.
 */
function memoryOf({ resource }: CleanPermissionRequestState, { payload }: Event): JsonObject {
  const { remembered_from } = resource.request;
  const { remembered, remembered_as, rule_id, policy_version } = (payload['response'] ?? {}) as JsonObject;
  return {
    ...(remembered_from === undefined ? {} : { remembered_from }),
    ...(remembered === undefined || remembered_from !== undefined ? {} : { remembered }),
    ...(remembered_as === undefined ? {} : { remembered_as }),
    ...(rule_id === undefined ? {} : { rule_id }),
    ...(policy_version === undefined ? {} : { policy_version }),
  };
}

/** Absent where the agent went on by itself: nobody approved. */
function approvalOf(
  { resource, internal }: CleanPermissionRequestState,
  review: Review | undefined,
): JsonObject {
  if (review === undefined) return {};
  const signatures = [...(internal.votes ?? []), review];
  const quorum = resource.request.approvals?.quorum ?? 1;
  return { approval: { required: true, quorum, signatures } as unknown as JsonObject };
}

function denialOf(review: Review | undefined): JsonObject {
  return review === undefined ? {} : { denial: review as unknown as JsonObject };
}

/** As it is in the log: without secrets. */
function textOrNull({ payload }: Event, name: 'reason' | 'reviewer'): string | null {
  const { response } = payload as { response?: Record<string, unknown> };
  const value = response?.[name];
  return typeof value === 'string' ? value : null;
}
