import { z } from 'zod';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import { jsonObject, jsonValue } from '#protocol/envelope.ts';
import type { EventKind } from '#protocol/event-kinds.ts';
import { toldUsage } from '#protocol/usage.ts';
import { apiKey } from './api-key/schema.ts';
import { artifact } from './artifact/schema.ts';
import { BRANCH_EVENTS } from './branch/events.ts';
import { BUNDLE_EVENTS } from './bundle/events.ts';
import { CONNECTOR_EVENTS } from './connector/events.ts';
import { MEMORY_EVENTS } from './memory/events.ts';
import { AGENT_WORDS } from './message/agent-events.ts';
import { message } from './message/schema.ts';
import { APPROVAL_EVENTS } from './permission/events.ts';
import { PERMISSION_STATUSES, permissionRequest, permissionResponse } from './permission/schema.ts';
import { persona } from './persona/schema.ts';
import { callRefused, handoff, policyDecided } from './policy/events.ts';
import { PUSH_EVENTS } from './push/events.ts';
import { quotaReservation } from './quota/schema.ts';
import { personaTerms, receiptIssued, receiptVerified } from './receipt/events.ts';
import { sha256 } from './receipt/parts-schema.ts';
import { KEY_EVENTS } from './receipt/signing-key-events.ts';
import { REPLAY_PAYLOADS, replayTerms } from './replay/schema.ts';
import { SESSION_EVENTS } from './session/events.ts';
import { TRANSCRIPT_EVENTS } from './session/transcript/schema.ts';
import { cancelReport } from './task/cancel-report.ts';
import { failure, task, taskStatus } from './task/schema.ts';
import { TOOL_EVENTS } from './task/tool-events.ts';
import { TRUST_EVENTS } from './trust/events.ts';
import { vault } from './vault/schema.ts';
import { workspace } from './workspace/schema.ts';

/** What every task lifecycle event says. `checkpoint_id` names this boundary for replay. */
const transition = {
  status: taskStatus,
  previous_status: taskStatus,
  checkpoint_id: z.string(),
  /** The gateway inserted this step because the agent skipped it. */
  synthesized: z.boolean().optional(),
  /** Override key of the recorded frame that caused it. */
  material: z.string().optional(),
  message_id: z.string().optional(),
  /** The permission request that a blocked Task waits for. */
  request_id: z.string().optional(),
  /** Metadata merged into the Task. */
  metadata: jsonObject.optional(),
};

const ended = { ...transition, outcome: z.object({ id: z.string(), summary: z.string() }) };

/** Parts of a chunk as a follower sees them; bytes and oversized parts are described, not inlined. */
const chunk = {
  append: z.boolean(),
  chunk_index: z.int().min(0),
  last_chunk: z.boolean(),
  parts: z.array(jsonObject),
  /** Text only: whether the artifact still consists of text parts alone. */
  all_text: z.boolean(),
  /** Bytes of content so far. */
  size: z.int().min(0),
  /** Number of stored pieces after this event. */
  pieces: z.int().min(0),
  /** The agent called this chunk the last one; the event that closes the artifact follows, at the latest with the Task's end. */
  called_last: z.boolean().optional(),
  /** What the agent said of a later chunk. */
  metadata: jsonObject.optional(),
  material: z.string().optional(),
};

const closing = {
  sha256: z.string().optional(),
  mime_type: z.string().optional(),
};

/** Counts the changes of one Persona, from 1; its `version` belongs to whoever wrote it. */
const revision = z.int().min(1);
/** Hash of the file it was last read from; null when no file says it. */
const file_hash = z.string().nullable();

const span = {
  span_id: z.string(),
  name: z.string(),
  route: z.string(),
};

const requested = {
  permission_request: permissionRequest,
  /** The agent's own id, when it waits for the answer inside its running turn. */
  upstream_request_id: z.string().nullable(),
  /** The agent took nothing of the turn; an approval sends it again. */
  resends: z.literal(true).optional(),
  subject_sha256: sha256.optional(),
  material: z.string().optional(),
};

const resolved = {
  request_id: z.string(),
  status: z.enum(PERMISSION_STATUSES).exclude(['pending']),
  response: permissionResponse,
};

const toolCall = { tool_call_id: z.string(), name: z.string(), input_sha256: sha256.optional() };

/** By whoever was asked; or by the policy, which asked nobody and says why. */
const denied = {
  ...toolCall,
  request_id: z.string().optional(),
  status: resolved.status,
  response: permissionResponse.optional(),
  server: z.string().optional(),
  policy: z.object({ rule: z.string(), because: z.string() }).optional(),
};

/** Payload schema of every kind this version emits; a test checks each emitted event against its row. */
export const EVENT_PAYLOADS = {
  'vendor.harn_gateway.workspace_created': z.object({ workspace, members: z.array(z.string()) }),
  'vendor.harn_gateway.workspace_updated': z.object({ changes: jsonObject }),
  /** The file is durable before its event; its content stays out of the log. */
  'vendor.harn_gateway.file_written': z.object({
    path: z.string(),
    bytes: z.int().min(0),
    sha256: z.string(),
    metadata: jsonObject,
  }),
  ...SESSION_EVENTS,
  ...TRANSCRIPT_EVENTS,
  ...BRANCH_EVENTS,
  'user.message': z.object({
    message,
    /** Secrets were replaced; the original is kept encrypted until it is sent. */
    sealed: z.boolean().optional(),
    /** Hash of what the caller sent; the receipt of the task names it. */
    redaction_proof: z.string().optional(),
  }),
  'agent.message': z.object({
    message,
    /** As in `user.message`; only what a caller appends in the agent's name has an original to send. */
    sealed: z.boolean().optional(),
    upstream_message_id: z.string().optional(),
    material: z.string().optional(),
    /** The agent said it together with a move of the Task, whose event follows and names this message. */
    move_follows: z.boolean().optional(),
  }),
  'session.message_appended': z.object({
    message_id: z.string(),
    role: z.string(),
    position: z.int().min(0),
    /** True when it waits for the next task input. */
    pending: z.boolean(),
    /** Inlined for roles that have no message event of their own. */
    message: message.optional(),
    /** As in `user.message`, for the inlined one. */
    sealed: z.boolean().optional(),
  }),
  'user.input_submitted': z.object({
    message_id: z.string(),
    kind: z.enum(['input', 'interrupt']),
    /** Messages that its agent has not taken yet, sent before it. */
    preceding: z.array(z.string()).optional(),
  }),
  'user.tool_confirmation': z.object({
    request_id: z.string(),
    tool_call_id: z.string().nullable(),
    approved: z.boolean(),
    option_id: z.string().nullable(),
    /** Message that carried it, when one did. */
    message_id: z.string().nullable(),
  }),
  'user.cancel_requested': z.object({ reason: z.string().nullable() }),
  'task.submitted': z.object({
    task,
    route: z.string(),
    /** Number of the rules by which its run becomes events (rules.ts); absent: 1. */
    rules: z.int().min(1).optional(),
    /** The agent's own id of the Skill that the task named as its route. */
    skill_id: z.string().optional(),
    message_id: z.string(),
    preceding: z.array(z.string()),
    /** Quotas that the task counts against. */
    quota_ids: z.array(z.string()).optional(),
    /** What it set aside of those that have budgets. */
    quota_reservations: z.array(quotaReservation).optional(),
    persona: personaTerms.optional(),
    /** The tier it was accepted under; absent where it is that of its persona, or act_auto without a persona. */
    tier: z.enum(AUTONOMY_TIERS).optional(),
    /** Set for a replay: what was asked, and of which Task. */
    replay: replayTerms.optional(),
    checkpoint_id: z.string(),
  }),
  'task.started': z.object(transition),
  'task.status_changed': z.object(transition),
  'task.input_required': z.object(transition),
  'task.auth_required': z.object(transition),
  'task.completed': z.object(ended),
  'task.failed': z.object({ ...ended, failure }),
  'task.canceled': z.object({
    ...ended,
    reason: z.string().nullable(),
    /** The gateway canceled it and the agent did not confirm that; absent where it did, or nobody was to be notified. */
    cancel: cancelReport.optional(),
  }),
  'tool.approval_required': z.object({ ...toolCall, ...requested }),
  'tool.approved': z.object({ ...toolCall, ...resolved }),
  'tool.denied': z.object(denied),
  ...TOOL_EVENTS,
  'vendor.harn_gateway.permission_requested': z.object(requested),
  'vendor.harn_gateway.permission_resolved': z.object(resolved),
  'artifact.created': z.object({
    artifact,
    upstream_artifact_id: z.string().nullable(),
    name: z.string().nullable(),
    store: z.enum(['none', 'parts', 'bytes']),
    ...chunk,
    ...closing,
    /** What an import brought: the id that it has in the bundle. */
    original_artifact_id: z.string().optional(),
  }),
  'artifact.updated': z.object({
    artifact_id: z.string(),
    store: z.enum(['parts', 'bytes']),
    ...chunk,
    ...closing,
    /** Of one that replaces what the agent said otherwise of itself: its name now; `metadata` is then all of it. */
    name: z.string().nullable().optional(),
  }),
  /** The content is gone for good; what the artifact was stays readable. */
  'artifact.redacted': z.object({ artifact_id: z.string(), reason: z.string() }),
  'vendor.harn_gateway.persona_created': z.object({ persona, tenant: z.string(), revision, file_hash }),
  'vendor.harn_gateway.persona_updated': z.object({ changes: jsonObject, revision, file_hash }),
  'vendor.harn_gateway.vault_created': z.object({ vault, tenant: z.string() }),
  'vendor.harn_gateway.vault_configured': z.object({ vault, tenant: z.string() }),
  ...CONNECTOR_EVENTS,
  'agent.handoff': handoff,
  'vendor.harn_gateway.policy_decided': policyDecided,
  'vendor.harn_gateway.call_refused': callRefused,
  ...MEMORY_EVENTS,
  'receipt.issued': receiptIssued,
  'receipt.verified': receiptVerified,
  'receipt.verification_failed': receiptVerified,
  'span.started': z.object({ ...span, parent_span_id: z.string() }),
  /** Progress in whatever unit the work counts. */
  'span.updated': z.object({
    ...span,
    progress: z.number().optional(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  'span.completed': z.object(span),
  ...AGENT_WORDS,
  'span.failed': z.object({ ...span, started_at: z.string().nullable(), error: failure }),
  'vendor.harn_gateway.upstream_bound': z.object({
    route: z.string(),
    binding: jsonObject.nullable(),
    session_binding: jsonObject.nullable(),
    /** Override key of the recorded frame that named it. */
    material: z.string().optional(),
  }),
  'vendor.harn_gateway.upstream_note': z.object({
    note: z.string(),
    details: jsonObject.optional(),
    material: z.string().optional(),
    metadata: jsonObject.optional(),
    /** What the agent says that the Task used, with the note `usage`. */
    usage: toldUsage.optional(),
  }),
  'vendor.harn_gateway.api_key_created': z.object({ api_key: apiKey, hash: z.string() }),
  'vendor.harn_gateway.api_key_ended': apiKey.pick({
    expires_at: true,
    revoked_at: true,
    replaced_by: true,
  }),
  /** Stands in the place of the last of the events that retention removed from the beginning of these streams. */
  'vendor.harn_gateway.history_removed': z.object({
    /** Kind of the event that was in this place. */
    event: z.string(),
    removed_at: z.string(),
    streams: z.array(
      z.object({
        object: z.enum(['session', 'task']),
        id: z.string(),
        /** The oldest removed event, and how many are gone up to and including this place. */
        first_event_id: z.string(),
        events: z.int().min(1),
      }),
    ),
  }),
  ...BUNDLE_EVENTS,
  ...KEY_EVENTS,
  ...TRUST_EVENTS,
  ...APPROVAL_EVENTS,
  ...PUSH_EVENTS,
  ...REPLAY_PAYLOADS,
  'vendor.harn_gateway.truncation_accepted': z.object({ expected: jsonValue, found: jsonValue }),
} as const satisfies Partial<Record<EventKind, z.ZodType>>;

export type EmittedKind = keyof typeof EVENT_PAYLOADS;
export type PayloadOf<Kind extends EmittedKind> = z.infer<(typeof EVENT_PAYLOADS)[Kind]>;
