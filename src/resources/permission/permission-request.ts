import type { ApprovalTerms, DecisionTools } from '#core/facts.ts';
import { newEvent, placeOfTask, type SessionPlace } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import {
  type Clean,
  type CleanJson,
  type CleanObject,
  type CleanText,
  linesOf,
  pieceOf,
  word,
} from '#protocol/clean.ts';
import { timestamp } from '#protocol/ports.ts';
import { type BlockedStatus, isTerminal, type TaskStatus } from '#protocol/task-states.ts';
import type { PermissionDraft } from '#protocol-client.ts';
import { storeArtifact } from '#resources/artifact/large-content.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';
import { allTargetsOf } from '#resources/push/push-targets.ts';
import { APPROVALS_FORM, type PushConfig, webhookUrl } from '#resources/push/schema.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { recordDecision, type TrustTools } from '#resources/trust/record-trust.ts';
import type {
  PermissionOption,
  PermissionQuestion,
  PermissionRequest,
  PermissionToolCall,
  RememberScope,
} from './schema.ts';
import { type CleanPermissionRequestState, permissionKeys } from './state.ts';

/** How a permission request ends. */
export interface Resolution {
  approved: boolean;
  optionId?: CleanText | null;
  answer?: CleanJson;
  messageId?: CleanText;
  reviewer?: CleanText | null;
  reason?: CleanText | null;
  /** How far it holds beyond its own request, and the rule that it becomes there. */
  remembered?: Exclude<RememberScope, 'never'>;
  rememberedAs?: CleanText;
  /** The rule that answers, or null for the policy of the tenant. */
  ruleId?: CleanText | null;
  /** The policy that is in force, where one is installed or a rule answers. */
  policyVersion?: CleanText;
  metadata?: CleanObject;
}

/** Characters of an agent's words repeated in a request; the Message has them all. */
const MESSAGE_CHARS = 2_000;
const APPROVE: Clean<PermissionOption> = {
  option_id: word('approve'),
  name: word('Approve'),
  kind: 'allow_once',
};
const DENY: Clean<PermissionOption> = { option_id: word('deny'), name: word('Deny'), kind: 'reject_once' };

/** What an agent asks that only says which state it is in. */
export function draftOfStatus(
  tx: Transaction,
  status: BlockedStatus,
  messageId: string | undefined,
): Clean<PermissionDraft> {
  const said = messageId === undefined ? undefined : textOf(tx, messageId);
  return status === 'INPUT_REQUIRED'
    ? { kind: 'elicitation', source: 'hitl', message: said || word('The agent asks for input.') }
    : { kind: 'authorization', source: 'hitl', message: said || word('The agent asks for authorization.') };
}

/** Opens a request and returns its id; one that the agent has asked before is opened once. */
export function openRequest(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  draft: Clean<PermissionDraft>,
  facts: { messageId?: CleanText; material?: CleanText },
): CleanText {
  const { resource } = task;
  const place = placeOfTask(resource);
  const request: Clean<PermissionRequest> = {
    id: tools.newId('permission_request'),
    object: 'permission_request',
    created_at: tx.time,
    updated_at: tx.time,
    metadata: draft.metadata ?? {},
    workspace_id: resource.workspace_id,
    session_id: resource.session_id,
    task_id: resource.id,
    status: 'pending',
    source: draft.source,
    action: boundedValue(tx, tools, place, actionOf(draft)),
    request: questionOf(tx, tools, place, draft, facts.messageId),
    response: null,
  };
  const { webhooks } = tools.approvals.termsOf(resource.workspace_id);
  if (draft.remembered === undefined && draft.answeredBy === undefined)
    addWebhookTargets(tx, tools, task, { webhooks, position: tx.position });
  const payload = {
    permission_request: request,
    upstream_request_id: draft.upstreamId ?? null,
    ...(draft.resends ? { resends: draft.resends } : {}),
    ...(draft.subject === undefined ? {} : { subject_sha256: contentHash(draft.subject) }),
    ...(facts.material === undefined ? {} : { material: facts.material }),
  };
  const pointer = { object: 'permission_request', id: request.id };
  const { tool_call } = request.request;
  if (tool_call) {
    tx.append(newEvent('tool.approval_required', pointer, place, { ...callOf(tool_call), ...payload }));
  } else {
    tx.append(newEvent('vendor.harn_gateway.permission_requested', pointer, place, payload));
  }
  // What an agent asks inside its turn was looked at before it was asked.
  const isAsked = draft.upstreamId === undefined && draft.answeredBy === undefined;
  if (isAsked) tx.afterCommit(() => tools.runs.answerByRule(resource.id));
  return request.id;
}

/** Records how a request ended; what follows for the task is the caller's business. */
export function resolveRequest(
  tx: Transaction,
  tools: TrustTools,
  task: CleanTaskState,
  request: CleanPermissionRequestState,
  resolution: Resolution,
): void {
  const { resource } = request;
  const status: 'approved' | 'denied' = resolution.approved ? 'approved' : 'denied';
  const response = {
    approved: resolution.approved,
    option_id: resolution.optionId ?? null,
    answer: resolution.answer ?? null,
    message_id: resolution.messageId ?? null,
    reviewer: resolution.reviewer ?? null,
    reason: resolution.reason ?? null,
    responded_at: tx.time,
    ...(resolution.remembered === undefined ? {} : { remembered: resolution.remembered }),
    ...(resolution.rememberedAs === undefined ? {} : { remembered_as: resolution.rememberedAs }),
    ...(resolution.ruleId === undefined ? {} : { rule_id: resolution.ruleId }),
    ...(resolution.policyVersion === undefined ? {} : { policy_version: resolution.policyVersion }),
    metadata: resolution.metadata ?? {},
  };
  const payload = { request_id: resource.id, status, response };
  const pointer = { object: 'permission_request', id: resource.id };
  const place = placeOfTask(task.resource);
  const { tool_call } = resource.request;
  const event = tx.append(
    tool_call
      ? newEvent(`tool.${status}`, pointer, place, { ...callOf(tool_call), ...payload })
      : newEvent('vendor.harn_gateway.permission_resolved', pointer, place, payload),
  );
  if (resource.request.kind !== 'elicitation')
    recordDecision(tx, tools, task, request, { event, decision: resolution });
}

/** What the decision is about: with the hash of the arguments where the request has one. */
function callOf({ tool_call_id, name, input_sha256 }: Clean<PermissionToolCall>) {
  return { tool_call_id, name, ...(input_sha256 === undefined ? {} : { input_sha256 }) };
}

/** The requests of a task that wait for an answer, oldest first. */
export function openRequestsOf(reader: StateReader, taskId: string): CleanPermissionRequestState[] {
  return requestsIn(reader, reader.get<CleanTaskState>(taskKeys.task(taskId)));
}

function requestsIn(reader: StateReader, task: CleanTaskState | undefined): CleanPermissionRequestState[] {
  const ids = task?.internal.open_requests ?? [];
  return ids.flatMap(
    (id) => reader.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(id)) ?? [],
  );
}

/** Whether the agent waits for an answer inside its running turn, by the task as it is now. */
export function waitsInTurn(reader: StateReader, task: CleanTaskState | undefined): boolean {
  return requestsIn(reader, task).some(({ internal }) => internal.upstream_id !== null);
}

/**
 * Nothing stays pending that nobody waits for. A task that ends denies what is left; an agent that goes on by itself got
 * what it asked for elsewhere. What it waits for inside its turn is not touched by going on.
 */
export function leaveRequests(
  tx: Transaction,
  tools: TrustTools,
  task: CleanTaskState,
  to: TaskStatus,
): void {
  for (const request of requestsIn(tx, task)) {
    if (isTerminal(to))
      resolveRequest(tx, tools, task, request, { approved: false, reason: word(LEFT_BY[to]) });
    else if (to === 'WORKING' && request.internal.upstream_id === null)
      resolveRequest(tx, tools, task, request, { approved: true, reason: word('continued_by_agent') });
  }
}

const LEFT_BY = { COMPLETED: 'task_completed', FAILED: 'task_failed', CANCELED: 'canceled' } as const;

function questionOf(
  tx: Transaction,
  tools: DecisionTools,
  place: SessionPlace,
  draft: Clean<PermissionDraft>,
  messageId: CleanText | undefined,
): Clean<PermissionQuestion> {
  const { kind, options, requestedSchema, url } = draft;
  const terms = tools.approvals.termsOf(place.workspace_id);
  const timeoutMs = draft.timeoutMs ?? terms.timeoutMs ?? tools.limits.permissionTimeoutMs;
  const bounded = (value: CleanJson) => boundedValue(tx, tools, place, value);
  return {
    kind,
    message: pieceOf(draft.message, 0, MESSAGE_CHARS),
    options: options ?? (kind === 'elicitation' ? [] : [APPROVE, DENY]),
    ...(messageId === undefined ? {} : { message_id: messageId }),
    ...(draft.kind === 'tool' ? { tool_call: boundedCall(tools, draft.toolCall, bounded) } : {}),
    ...(requestedSchema === undefined ? {} : { requested_schema: bounded(requestedSchema) }),
    ...(url === undefined ? {} : { url }),
    ...(kind === 'elicitation' ? {} : reviewersOf(terms)),
    ...(timeoutMs === undefined ? {} : { expires_at: timestamp(Date.parse(tx.time) + timeoutMs) }),
    ...(draft.remembered === undefined ? {} : { remembered_from: draft.remembered.request_id }),
    ...answeredBy(draft.answeredBy),
  };
}

/** Said where nobody is asked. */
function answeredBy(
  answer: Clean<RuleAnswer> | undefined,
): Pick<Clean<PermissionQuestion>, 'answered_by' | 'remembered_from'> {
  if (answer === undefined) return {};
  const { rule_id, policy_version, remembered_from } = answer;
  return {
    ...(remembered_from === undefined ? {} : { remembered_from }),
    answered_by: { rule_id, policy_version },
  };
}

/** Said only where more than any one answer is asked for. */
function reviewersOf({ quorum, fourEyes }: ApprovalTerms): Pick<Clean<PermissionQuestion>, 'approvals'> {
  if (quorum === 1 && !fourEyes) return {};
  return { approvals: { quorum, four_eyes: fourEyes, approved_by: [] } };
}

function actionOf(draft: Clean<PermissionDraft>): CleanJson {
  return draft.action ?? (draft.kind === 'tool' ? draft.toolCall.name : word(draft.kind));
}

/** The hash is that of `tool.requested` when the call is made: over the arguments as they are kept. */
function boundedCall(
  { limits }: DecisionTools,
  call: Clean<PermissionToolCall>,
  bounded: (value: CleanJson) => CleanJson,
): Clean<PermissionToolCall> {
  if (call.input === undefined) return call;
  const input = bounded(call.input);
  if (!limits.bindsApprovals) return { ...call, input };
  return { ...call, input, input_sha256: contentHash(call.input) };
}

/** A JSON value above the inline limit becomes an Artifact, and its id stands in its place. */
export function boundedValue(
  tx: Transaction,
  tools: DecisionTools,
  place: SessionPlace,
  value: CleanJson,
): CleanJson {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= tools.limits.inlineBytes) return value;
  const artifact = storeArtifact(tx, tools, place, Buffer.from(text), word('application/json'), 'public');
  return { artifact_id: artifact.id };
}

function textOf(tx: Transaction, messageId: string): CleanText {
  const parts = tx.get<CleanMessageState>(messageKeys.message(messageId))?.resource.parts ?? [];
  return linesOf(
    parts.flatMap((part) => (part.type === 'text' && part.visibility === 'public' ? [part.text] : [])),
  );
}

/**
 * Lets the webhooks of the workspace hear of what a task asks, from the event after `position` on. They are push configs of
 * the task that name the webhook in the place of a URL: where it is and its secret are known at each post only.
 */
function addWebhookTargets(
  tx: Transaction,
  tools: Pick<DecisionTools, 'newId' | 'outbox'>,
  { resource: task }: CleanTaskState,
  { webhooks, position }: { webhooks: readonly CleanText[]; position: CleanText },
): void {
  if (webhooks.length === 0) return;
  // Recorded beside the run, so that the events of the run stay without a gap.
  tx.atEnd(() => {
    const known = allTargetsOf(tx, task.id);
    for (const id of webhooks) {
      if (known.some(({ resource }) => resource.url === webhookUrl(id))) continue;
      const push_config = configOf(tools.newId('push_config'), tx.time, task.id, id);
      const payload = { push_config, session_id: task.session_id, after_event_id: position, replaces: null };
      const pointer = { object: 'push_config', id: push_config.id };
      const place = { workspace_id: task.workspace_id };
      tx.append(newEvent('vendor.harn_gateway.push_config_set', pointer, place, payload));
    }
    tx.afterCommit(() => tools.outbox.wake(task.id));
  });
}

function configOf(id: CleanText, time: CleanText, task_id: CleanText, webhook: CleanText): Clean<PushConfig> {
  return {
    id,
    object: 'push_config',
    created_at: time,
    updated_at: time,
    metadata: {},
    task_id,
    client_id: null,
    url: webhookUrl(webhook),
    form: word(APPROVALS_FORM),
    has_token: false,
    authentication_scheme: null,
    is_signed: true,
  };
}
