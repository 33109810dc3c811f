import { refuseLargeMembers } from '#core/decode-input.ts';
import type { DecisionTools, Facts } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { literalGlob } from '#policy/glob.ts';
import {
  asCleanObject,
  type Clean,
  type CleanJson,
  type CleanObject,
  type CleanText,
  type Received,
  word,
} from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { appendMessage, buildMessage } from '#resources/message/append-message.ts';
import type { Message, MessageInput, Part } from '#resources/message/schema.ts';
import { aboutOf, askedInRequest, hasSecret, yesTo } from '#resources/permission-rule/about.ts';
import { makeRule, type RuleTerms } from '#resources/permission-rule/make-rule.ts';
import type { RememberRule } from '#resources/permission-rule/schema.ts';
import { makeRoom } from '#resources/session/transcript/make-room.ts';
import { moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { reviewOf } from '#resources/trust/record-trust.ts';
import { inputKey } from '#store/keys.ts';
import { permissionsOf } from './action-question.ts';
import { answerToRequest, resolutionByRule } from './answer-by-rule.ts';
import { boundedValue, openRequestsOf, type Resolution, resolveRequest } from './permission-request.ts';
import { hasWords, messageOfAnswer, type Verdict } from './read-verdict.ts';
import { remember, rememberedFor, ruleIdOf } from './remembered-permission.ts';
import type { CleanPermissionRequestState } from './state.ts';

/** A decision on its way into the log. */
interface Settlement extends Verdict {
  /** The message that carried the answer, when it came as one; it is a turn of the transcript. */
  message?: Received<MessageInput>;
  reviewer?: CleanText | null | undefined;
  reason?: Received<string | null | undefined>;
  metadata?: CleanObject | undefined;
  /** The rule that the answer is to become; what is left out, the request says. */
  rule?: WantedRule | undefined;
}

/** What a caller says of the rule that an answer becomes. */
export type WantedRule = Partial<
  Pick<RuleTerms, 'scope' | 'class' | 'action_pattern' | 'target_pattern' | 'expires_at'>
>;

/** A request that somebody may still answer; the first answer wins, every later one is a conflict. */
export function refuseSettled({ resource }: CleanPermissionRequestState, time: string): void {
  const { expires_at } = resource.request;
  const expired = resource.status === 'pending' && expires_at !== undefined && expires_at <= time;
  if (resource.status === 'pending' && !expired) return;
  const status = expired ? 'denied' : resource.status;
  const reason = expired ? 'timeout' : (resource.response?.reason ?? null);
  throw new ProtocolError('conflict', 'This permission request is already resolved. Read it again.', {
    details: { status, reason },
  });
}

/** Whoever says which arguments were decided on decides about no others. */
export function refuseOtherArguments(
  { resource }: CleanPermissionRequestState,
  decided: string | undefined,
): void {
  const asked = resource.request.tool_call?.input_sha256;
  if (decided === undefined || decided === asked) return;
  const message = 'The request is about other arguments than the ones you decided on. Read it again.';
  throw new ProtocolError('conflict', message, {
    param: 'input_sha256',
    details: { input_sha256: asked ?? null },
  });
}

/**
 * Records what a person decided, and lets the task go on or cancels it. Returns the Message that the answer became, when
 * it became one: an approval that the agent gets as its next turn, or a message that was sent as the answer.
 */
export function settleRequest(
  tx: Transaction,
  facts: Facts,
  request: CleanPermissionRequestState,
  settlement: Settlement,
): Clean<Message> | undefined {
  const { answer: given, metadata = {} } = settlement;
  refuseLargeMembers({ answer: given?.sent ?? null, metadata }, facts.limits);
  const task = taskOf(tx, request);
  refuseWithoutScope(request, facts);
  refuseReviewer(task, request, facts, settlement.approved);
  const votes = isVote(request, settlement.approved);
  const input = settlement.message ?? (votes ? undefined : messageFor(request, settlement, facts));
  const message = input && sendTurn(tx, facts, task, request, input, settlement.approved && !votes);
  confirmTool(tx, task, request, settlement, message);
  if (votes) {
    recordVote(tx, facts, task, request);
    return message;
  }
  const answer = settlement.message ? answerOf(settlement.message) : settlement.answer;
  const rule = settlement.rule && ruleOfAnswer(tx, facts, task, request, settlement, settlement.rule);
  const remembered = rule ? undefined : rememberedFor(tx, facts, task, request, settlement);
  const resolution: Resolution = {
    approved: settlement.approved,
    optionId: settlement.optionId,
    reviewer: settlement.reviewer ?? facts.by.actor,
    reason: settlement.reason?.clean ?? null,
    ...(remembered === undefined ? {} : { remembered, rememberedAs: ruleIdOf(request.resource.id) }),
    ...(rule === undefined ? {} : { remembered: rule.scope, rememberedAs: rule.id }),
    ...policyInForce(tx, task),
    ...(answer === undefined ? {} : { answer: answer.clean }),
    ...(message === undefined ? {} : { messageId: message.id }),
    ...(settlement.metadata === undefined ? {} : { metadata: settlement.metadata }),
  };
  const reply = { reason: settlement.reason?.sent ?? null, ...(answer && { answer: answer.sent }) };
  conclude(tx, facts, task, request, resolution, reply);
  if (remembered !== undefined)
    remember(tx, facts, task, request, { scope: remembered, approved: settlement.approved });
  return message;
}

/** Denies a request for the gateway itself, for example because nobody answered in time. */
export function denyRequest(
  tx: Transaction,
  tools: DecisionTools,
  request: CleanPermissionRequestState,
  reason: CleanText,
): void {
  const task = taskOf(tx, request);
  const resolution = { approved: false, reason, ...policyInForce(tx, task) };
  conclude(tx, tools, task, request, resolution, { reason });
}

/** Lets a rule or the policy of the tenant answer a request that waits, where one does now. */
export function settleByRule(
  tx: Transaction,
  tools: DecisionTools,
  request: CleanPermissionRequestState,
): void {
  const task = taskOf(tx, request);
  const found = answerToRequest(tx, tools, task, request);
  if (found === undefined) return;
  const resolution = resolutionByRule(request.resource.request, found);
  const { approved, optionId = null, reason = null, answer } = resolution;
  const said = answer === undefined ? undefined : { sent: answer, clean: answer };
  const input = messageFor(request, { approved, optionId, answer: said }, tools);
  const message = input && sendTurn(tx, tools, task, request, input, approved);
  const reply = { reason, ...(answer === undefined ? {} : { answer }) };
  conclude(tx, tools, task, request, message ? { ...resolution, messageId: message.id } : resolution, reply);
}

/** Said where a policy is installed: it was in force when somebody else answered. */
function policyInForce(tx: Transaction, { resource }: CleanTaskState): Pick<Resolution, 'policyVersion'> {
  const version = permissionsOf(tx, resource.workspace_id)?.policy?.version;
  return version === undefined ? {} : { policyVersion: version };
}

/** The rule that an answer becomes, for the tasks of whoever gave it. Throws for what no rule may answer. */
function ruleOfAnswer(
  tx: Transaction,
  facts: Facts,
  { resource: task, internal }: CleanTaskState,
  { resource, internal: asked }: CleanPermissionRequestState,
  { approved }: Verdict,
  wanted: WantedRule,
): Clean<RememberRule> {
  if (task.created_by !== facts.by.actor)
    throw unremembered('Only whoever submitted the Task remembers an answer. Answer this request alone.');
  const { approvals, url, kind, requested_schema } = resource.request;
  if (approvals !== undefined)
    throw unremembered('What several people, or another one, have to approve is asked each time.');
  const takesPerson = url !== undefined || asked.resends === true;
  if (approved && (takesPerson || (kind === 'elicitation' && yesTo(requested_schema) === undefined)))
    throw unremembered('A rule can say no more than yes to this question. Answer it each time.');
  const thing = askedInRequest(resource, internal.binding);
  const about = aboutOf(thing, facts.self.askedAbout(internal.route, thing));
  if (hasSecret(about) || hasSecret({ action: resource.request.message, target: '' }))
    throw unremembered('There is a secret in what is asked, so that it is asked each time.');
  const terms = {
    scope: wanted.scope ?? 'session',
    class: wanted.class ?? about.class,
    action_pattern: wanted.action_pattern ?? facts.redact(literalGlob(about.action)).value,
    target_pattern: wanted.target_pattern ?? facts.redact(literalGlob(about.target)).value,
    allow: approved,
    expires_at: wanted.expires_at,
  };
  const value = { session: task.session_id, workspace: task.workspace_id, user: null, always: null };
  const scope_value = value[terms.scope];
  return makeRule(tx, facts, { ...terms, scope_value, reason: null }, { requestId: resource.id, task });
}

function unremembered(message: string): ProtocolError {
  return new ProtocolError('policy_violation', `remember: ${message}`, {
    param: 'remember',
    details: { rule: 'policy.remember' },
  });
}

/**
 * An agent that waits inside its turn gets the answer, and works again when nothing else is open. Any other agent gets an approval
 * as the message of a next turn; there is no message for a denial, so that one cancels the task.
 */
function conclude(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  request: CleanPermissionRequestState,
  resolution: Resolution,
  reply: Reply,
): void {
  const { id } = task.resource;
  const logged = boundedResolution(tx, tools, task, resolution);
  resolveRequest(tx, tools, task, request, logged);
  const facts = resolution.messageId === undefined ? {} : { messageId: resolution.messageId };
  const { upstream_id: upstreamId } = request.internal;
  if (upstreamId !== null) {
    if (openRequestsOf(tx, id).length === 0) moveTask(tx, tools, id, 'WORKING', facts);
    tx.afterCommit(() => tools.runs.answer(id, { upstreamId, ...answerFor(resolution, reply) }));
  } else if (resolution.approved) {
    moveTask(tx, tools, id, 'WORKING', facts);
    tx.afterCommit(() => tools.runs.wake(id));
  } else {
    moveTask(tx, tools, id, 'CANCELED', {
      reason: resolution.reason ?? word('The permission request was denied.'),
    });
    tx.afterCommit(() => tools.runs.forwardCancel(id));
  }
}

/** What the agent gets as an answer, in the words of whoever answered. */
interface Reply {
  reason: string | null;
  answer?: JsonValue;
}

function answerFor({ approved, optionId = null }: Resolution, reply: Reply) {
  return { approved, optionId, ...reply };
}

function boundedResolution(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  resolution: Resolution,
): Resolution {
  if (resolution.answer === undefined) return resolution;
  const answer = boundedValue(tx, tools, placeOfTask(task.resource), resolution.answer);
  return { ...resolution, answer };
}

/**
 * A tool call is confirmed in place, and a turn that is sent again says what it said; every other approval is something the
 * agent gets it in words.
 */
function messageFor(
  { resource, internal }: CleanPermissionRequestState,
  verdict: Verdict,
  { redact }: DecisionTools,
): Received<MessageInput> | undefined {
  const { request } = resource;
  if (!verdict.approved || request.kind === 'tool') return undefined;
  if (internal.resends && !hasWords(request, verdict.answer?.sent)) return undefined;
  const sent = messageOfAnswer(request, verdict.answer?.sent);
  return { sent, clean: redact(sent).value };
}

/** Appends what is answered, and sends it where it is the next turn of the agent. */
function sendTurn(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  { resource, internal }: CleanPermissionRequestState,
  input: Received<MessageInput>,
  isApproved: boolean,
): Clean<Message> {
  const isSent = isApproved && resource.request.kind !== 'tool';
  const message = appendTurn(tx, tools, task, input, isSent);
  if (!isSent) return message;
  const { preceding, turn_message } = task.internal;
  const payload = {
    message_id: message.id,
    kind: 'input' as const,
    ...(internal.resends ? { preceding: [...preceding, turn_message] } : {}),
  };
  const pointer = { object: 'task', id: task.resource.id };
  tx.append(newEvent('user.input_submitted', pointer, placeOfTask(task.resource), payload));
  return message;
}

/** The original of a redacted message is kept only for one that is sent. */
function appendTurn(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  input: Received<MessageInput>,
  isSent: boolean,
): Clean<Message> {
  const place = placeOfTask(task.resource);
  makeRoom(tx, tools, task.resource.session_id, input.sent);
  const built = buildMessage(tx, tools, input, place);
  appendMessage(tx, built, { place });
  if (built.sealed && !isSent) tx.erase(inputKey(built.message.id));
  return built.message;
}

function confirmTool(
  tx: Transaction,
  task: CleanTaskState,
  { resource }: CleanPermissionRequestState,
  settlement: Settlement,
  message: Clean<Message> | undefined,
): void {
  const { tool_call } = resource.request;
  if (!tool_call) return;
  const payload = {
    request_id: resource.id,
    tool_call_id: tool_call.tool_call_id,
    approved: settlement.approved,
    option_id: settlement.optionId,
    message_id: message?.id ?? null,
  };
  const pointer = { object: 'task', id: task.resource.id };
  tx.append(newEvent('user.tool_confirmation', pointer, placeOfTask(task.resource), payload));
}

function answerOf({ sent, clean }: Received<MessageInput>): Received<JsonValue> {
  return { sent: answerIn(sent), clean: cleanAnswerIn(clean) };
}

function answerIn({ parts }: MessageInput): JsonValue {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return only.text;
  return { parts: parts as unknown as JsonObject[] };
}

function cleanAnswerIn({ parts }: Clean<MessageInput>): CleanJson {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return only.text;
  return { parts: parts.map((part) => asCleanObject<Part>(part)) };
}

function taskOf(tx: Transaction, { resource }: CleanPermissionRequestState): CleanTaskState {
  const task = tx.get<CleanTaskState>(taskKeys.task(resource.task_id ?? ''));
  if (!task) throw new Error(`permission request ${resource.id} belongs to no task`);
  return task;
}

const RESPOND_SCOPE = 'permissions:respond';

/** A decision takes the same scope by whatever door it comes; an answer to a question is work on the Task. */
function refuseWithoutScope(
  { resource }: CleanPermissionRequestState,
  { caller }: Pick<Facts, 'caller'>,
): void {
  if (resource.request.kind === 'elicitation' || holdsScope(caller, RESPOND_SCOPE)) return;
  throw new ProtocolError(
    'permission_denied',
    `Your credentials lack the scope ${RESPOND_SCOPE}, which a decision about a permission request takes. Ask for a key that has it.`,
    { details: { required_scope: RESPOND_SCOPE } },
  );
}

/** Who may approve, where the workspace says more than that somebody has to. A denial is for everybody. */
function refuseReviewer(
  task: CleanTaskState,
  { resource, internal }: CleanPermissionRequestState,
  { by }: Pick<Facts, 'by'>,
  approved: boolean,
): void {
  const { approvals } = resource.request;
  if (!approved || approvals === undefined) return;
  if (approvals.four_eyes && by.actor === task.resource.created_by) {
    const message = 'Whoever submitted the Task may not approve this. Let another person answer.';
    throw new ProtocolError('policy_violation', message, { details: { rule: 'approvals.four_eyes' } });
  }
  if (internal.votes?.some(({ reviewer }) => reviewer === by.actor)) {
    const message = 'You have approved this already. It waits for other reviewers.';
    throw new ProtocolError('conflict', message, { details: { ...approvals } });
  }
}

/** Whether this approval is one of several, and not the last one. */
function isVote({ resource, internal }: CleanPermissionRequestState, approved: boolean): boolean {
  const { quorum = 1 } = resource.request.approvals ?? {};
  return approved && (internal.votes?.length ?? 0) + 1 < quorum;
}

/** Keeps an approval, and the request open. */
function recordVote(
  tx: Transaction,
  facts: Facts,
  task: CleanTaskState,
  request: CleanPermissionRequestState,
): void {
  const { id } = request.resource;
  const { quorum = 1 } = request.resource.request.approvals ?? {};
  const review = reviewOf(tx, facts, request, { approved: true, reviewer: facts.by.actor });
  const payload = { request_id: id, quorum, review };
  const pointer = { object: 'permission_request', id };
  tx.append(newEvent('vendor.harn_gateway.approval_voted', pointer, placeOfTask(task.resource), payload));
}
