import type { Command, Decided } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import type { Facts, Route } from '#core/facts.ts';
import { load, loadBranch, loadWorkspace, notFound } from '#core/load.ts';
import { newEvent, placeOfSession, type SessionPlace } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { refusedHandoff, tierWithin } from '#policy/action.ts';
import { RULES } from '#policy/rules.ts';
import {
  asCleanObject,
  type Clean,
  type CleanObject,
  type CleanText,
  isCleanObject,
  type Received,
  sentence,
  word,
} from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { CURRENT_RULES } from '#protocol/rules.ts';
import type { Refused } from '#protocol-client.ts';
import { chooseRoute } from '#resources/agent/choose-route.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { refuseHalted, refuseHaltedSkill } from '#resources/halt/end-halted.ts';
import { appendMessage, buildMessage, refuseForeignArtifacts } from '#resources/message/append-message.ts';
import type { Message, MessageInput, Part } from '#resources/message/schema.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { type CleanPersonaState, personaKeys } from '#resources/persona/state.ts';
import { checkQuotas, reservationsOf } from '#resources/quota/check-quotas.ts';
import { issueAcceptanceReceipt, provesAcceptance } from '#resources/receipt/issue-receipt.ts';
import type { SessionModelPolicy } from '#resources/session/schema.ts';
import { sessionForTask } from '#resources/session/session-for-task.ts';
import { isBusy, refuseClosed } from '#resources/session/session-lane.ts';
import type { CleanSessionFold } from '#resources/session/state.ts';
import { makeRoom } from '#resources/session/transcript/make-room.ts';
import { moveTask } from './move-task.ts';
import type { SubmitTaskRequest, Task } from './schema.ts';
import { type CleanTaskState, taskKeys } from './state.ts';

export const submitTask: Command<'submitTask'> = {
  decide({ body, sent }, tx, facts) {
    const { session_id, session } = body;
    if (session_id !== undefined && session === undefined)
      return submitTaskTo(session_id, { sent, clean: body }, tx, facts);
    if (session_id === undefined && session !== undefined)
      return submitTaskTo(sessionForTask(session, tx, facts), { sent, clean: body }, tx, facts);
    const message =
      'Name one Session here: session_id for one that is there, or session for a new one. Or post to /v1/sessions/{session_id}/tasks.';
    throw new ProtocolError('invalid_request', message, { param: 'session_id' });
  },
};

export const submitSessionTask: Command<'submitSessionTask'> = {
  decide({ path, body, sent }, tx, facts) {
    if (body.session_id !== undefined && body.session_id !== path.session_id) {
      const message = 'session_id in the body differs from the session in the path. Leave it out here.';
      throw new ProtocolError('invalid_request', message, { param: 'session_id' });
    }
    return submitTaskTo(path.session_id, { sent, clean: body }, tx, facts);
  },
};

const RETRY_AFTER_SECONDS = 2;

/** Accepts a task in a session, and starts it in the same commit when its lane and a slot are free; see README.md, A fast task. */
export function submitTaskTo(
  sessionId: string,
  { sent, clean: body }: Received<SubmitTaskRequest>,
  tx: Transaction,
  facts: Facts,
): Decided & { body: Clean<Task> } {
  const input = inputOf(sent, body);
  const session = load(tx, facts.caller, 'session', sessionId, 'session_id');
  refuseClosed(session.resource, tx.time);
  checkReferences(body, session.resource.workspace_id, tx, facts);
  refuseForeignArtifacts(input.sent, 'input', session.resource.workspace_id, tx, facts);
  const persona = personaOf(body, session, tx, facts);
  const parent = parentOf(body, tx, facts);
  if (facts.self.halts.inForce) refuseHaltedSkill(facts, metadataOf(body));
  const chosen = chooseRoute(facts.routes, metadataOf(body), persona, session.resource.metadata);
  if (facts.self.halts.inForce) refuseHalted(facts.self.halts, chosen);
  refuseHandOver(tx, parent, { route: chosen.route, personaId: persona?.id });
  refuseInput(facts.routes.refuse(chosen, input.sent.parts));
  const startable = !isBusy(tx, session) && queueIsEmpty(session) && facts.runs.hasSlot(chosen.route);
  if (!startable) refuseFullQueue(facts);
  const { resource: workspace } = loadWorkspace(tx, facts.caller, session.resource.workspace_id);
  checkVaults(facts, chosen.route, workspace.id);
  const quotas = checkQuotas(tx, facts, { workspace, persona, startsNow: startable });
  makeRoom(tx, facts, sessionId, input.sent);
  const taskId = appendSubmission(session, { body, input }, { quotas, persona, ...chosen }, tx, facts);
  if (startable) moveTask(tx, facts, taskId, 'WORKING');
  const startsSoon = !startable && isNextInLane(session);
  const waiting = { tenant: facts.by.tenant, sessionId: session.resource.id, route: chosen.route };
  facts.runs.claim(taskId, waiting, startable);
  tx.afterCommit(() => facts.runs.wake(taskId));
  const accepted = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (accepted === undefined) throw new Error(`task ${taskId} was not folded`);
  if (parent) recordHandOver(tx, parent, accepted.resource);
  return { body: accepted.resource, ...(startsSoon ? { startsSoon: taskId } : {}) };
}

/** What was decided about a task before it is accepted. */
interface Terms extends Route {
  quotas: CleanText[];
  persona: Clean<Persona> | undefined;
}

function appendSubmission(
  session: CleanSessionFold,
  { body, input }: { body: Clean<SubmitTaskRequest>; input: Received<MessageInput> },
  terms: Terms,
  tx: Transaction,
  facts: Facts,
): CleanText {
  const id = facts.newId('task');
  const branch_id = body.branch_id ?? session.resource.branch_id;
  const place = { task_id: id, ...placeOfSession(session.resource), branch_id };
  const built = buildMessage(tx, facts, input, place);
  const { message } = built;
  const task = newTask(id, tx.time, facts.by.actor, terms, body, message, place);
  const payload: Clean<PayloadOf<'task.submitted'>> = {
    task,
    route: terms.route,
    rules: CURRENT_RULES,
    ...(terms.skillId === undefined ? {} : { skill_id: terms.skillId }),
    message_id: message.id,
    preceding: session.internal.pending,
    ...quotaTerms(terms, facts),
    ...personaTerms(terms.persona),
    ...tierTerms(terms.persona, session.resource.metadata, facts),
    ...(facts.isUnsampled ? { unsampled: true as const } : {}),
    checkpoint_id: sentence`${id}.1`,
  };
  const receiptId = provesAcceptance(terms.persona, facts) ? facts.newId('receipt') : undefined;
  const submitted = tx.append(newEvent('task.submitted', { object: 'task', id }, place, payload, receiptId));
  appendMessage(tx, built, { place });
  noteUnusedModel(tx, facts, session.resource.model_policy, { route: terms.route, id, place });
  if (receiptId !== undefined) issueAcceptanceReceipt(tx, facts, id, receiptId, submitted.id);
  return id;
}

/** The agent of the route takes no choice of a model: the wish of the Session changes nothing. */
function noteUnusedModel(
  tx: Transaction,
  facts: Facts,
  wish: Clean<SessionModelPolicy> | undefined,
  { route, id, place }: { route: string; id: CleanText; place: SessionPlace },
): void {
  if (wish === undefined || facts.routes.takesModel(route)) return;
  const { provider, model } = wish;
  const payload = { note: word('model_policy_unused'), details: { provider, model } };
  tx.append(newEvent('vendor.harn_gateway.upstream_note', { object: 'task', id }, place, payload));
}

function quotaTerms(
  { quotas }: Terms,
  facts: Facts,
): Pick<Clean<PayloadOf<'task.submitted'>>, 'quota_ids' | 'quota_reservations'> {
  const quota_reservations = reservationsOf(facts, quotas);
  return {
    ...(quotas.length === 0 ? {} : { quota_ids: quotas }),
    ...(quota_reservations.length === 0 ? {} : { quota_reservations }),
  };
}

/** What of the persona holds for the whole run, although the persona may change meanwhile. */
function personaTerms(
  persona: Clean<Persona> | undefined,
): Pick<Clean<PayloadOf<'task.submitted'>>, 'persona'> {
  if (persona === undefined) return {};
  const { id, version, autonomy_tier, receipt_policy } = persona;
  return { persona: { ref: sentence`${id}@${version}`, autonomy_tier, receipt_policy } };
}

/** What the operator or the Session says is recorded; the tier of the persona and the built-in one go without saying. */
function tierTerms(
  persona: Persona | undefined,
  session: JsonObject,
  { self: { policy } }: Facts,
): Pick<PayloadOf<'task.submitted'>, 'tier'> {
  const tier = tierWithin(persona?.autonomy_tier ?? policy.defaultTier, session);
  return tier === (persona?.autonomy_tier ?? 'act_auto') ? {} : { tier };
}

function newTask(
  id: CleanText,
  time: CleanText,
  actor: CleanText,
  { route, quotas, persona }: Terms,
  body: Clean<SubmitTaskRequest>,
  input: Clean<Message>,
  place: SessionPlace,
): Clean<Task> {
  return {
    id,
    object: 'task',
    created_at: time,
    updated_at: time,
    metadata: metadataOf(body),
    session_id: place.session_id,
    workspace_id: place.workspace_id,
    status: 'SUBMITTED',
    input: isMessage(body.input) ? input : payloadOf(input),
    created_by: actor,
    persona_id: persona?.id ?? null,
    branch_id: place.branch_id ?? null,
    parent_task_id: body.parent_task_id ?? null,
    assigned_agent_id: route,
    receipt_id: null,
    outcome_id: null,
    quota_id: quotas[0] ?? null,
    started_at: null,
    completed_at: null,
    canceled_at: null,
    failure: null,
  };
}

function refuseInput(refused: Refused | undefined): void {
  if (refused === undefined) return;
  const { param, message } = refused;
  throw new ProtocolError('invalid_request', message, { param });
}

/** What the task is given, as it was sent and without secrets: one object where there were none. */
function inputOf(sent: SubmitTaskRequest, body: Clean<SubmitTaskRequest>): Received<MessageInput> {
  const clean = messageOf<Clean<MessageInput>, CleanObject>(body.input);
  if (sent.input === body.input) return { sent: clean, clean };
  return { sent: messageOf<MessageInput, JsonObject>(sent.input), clean };
}

/** An object without `role` and `parts` is a payload: it goes to the agent as one json part. */
function messageOf<Message extends MessageInput, Payload extends JsonObject>(input: Message | Payload) {
  if (isMessage(input)) return input;
  const part = { type: 'json' as const, value: input, visibility: 'public' as const };
  return { role: 'user' as const, parts: [part] };
}

function isMessage<Message extends MessageInput>(input: Message | JsonObject): input is Message {
  return 'role' in input || 'parts' in input;
}

/** The payload as it went to the log: redacted, and a reference when it was large. */
function payloadOf(message: Clean<Message>): CleanObject {
  const part = message.parts[0];
  if (part?.type === 'json' && isCleanObject(part.value)) return part.value;
  return part === undefined ? {} : asCleanObject<Part>(part);
}

export function queueIsEmpty(session: CleanSessionFold): boolean {
  const { open_tasks, working, blocked } = session.internal;
  return open_tasks.length === working + blocked;
}

/** Whether nothing but one working task is in front of the next one: what waits for a person may wait for long. */
function isNextInLane(session: CleanSessionFold): boolean {
  return session.internal.working === 1 && queueIsEmpty(session);
}

export function refuseFullQueue(facts: Facts): void {
  const { queuedTasks } = facts.limits;
  if (facts.runs.queued() < queuedTasks || facts.runs.hasShare(facts.by.tenant, queuedTasks)) return;
  throw new ProtocolError(
    'rate_limited',
    'The queue of tasks is full. Retry later with the same Idempotency-Key.',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

/** The Persona of the task, else of its session. */
function personaOf(
  body: Clean<SubmitTaskRequest>,
  { resource }: CleanSessionFold,
  tx: Transaction,
  { caller }: Facts,
): Clean<Persona> | undefined {
  const id = body.persona_id ?? resource.persona_id;
  return id === null ? undefined : load(tx, caller, 'persona', id, 'persona_id').resource;
}

function parentOf({ parent_task_id: id }: Clean<SubmitTaskRequest>, tx: Transaction, { caller }: Facts) {
  return id ? load(tx, caller, 'task', id, 'parent_task_id') : undefined;
}

function checkReferences(
  body: Clean<SubmitTaskRequest>,
  workspaceId: string,
  tx: Transaction,
  facts: Facts,
): void {
  if (body.workspace_id !== undefined && body.workspace_id !== workspaceId) {
    throw notFound('workspace with this session', 'workspace_id');
  }
  if (body.branch_id) loadBranch(tx, facts.caller, body.branch_id, workspaceId);
}

/**
 * Refuses a task whose agent is reached with a credential of another workspace. Throws 422 `policy_violation`, which names
 * neither the vault nor its workspace. Source: Agents Protocol v1, "Authorization rules".
 */
function checkVaults({ self }: Facts, route: string, workspaceId: string): void {
  const isForeign = self
    .vaultsOf(route)
    .some((vault) => vault.workspaceId !== null && vault.workspaceId !== workspaceId);
  if (!isForeign) return;
  const { rule, because } = RULES['vault.workspace'];
  throw new ProtocolError('policy_violation', `${because} Choose another route, or ask your operator.`, {
    details: { rule },
  });
}

/** Who takes over work of a Task: a Persona, or an agent by its route. */
interface Successor {
  route: string;
  personaId: string | undefined;
}

/** Refuses a child that the Persona of its parent may not hand work to. Throws 422 `policy_violation`. */
function refuseHandOver(reader: StateReader, parent: CleanTaskState | undefined, to: Successor): void {
  const personaId = parent?.resource.persona_id;
  const persona = personaId
    ? reader.get<CleanPersonaState>(personaKeys.persona(personaId))?.resource
    : undefined;
  const refused = persona && refusedHandoff(persona, to);
  if (refused === undefined) return;
  const message = `${refused.because} Choose another Persona or route, or ask your operator.`;
  throw new ProtocolError('policy_violation', message, {
    param: 'parent_task_id',
    details: { rule: refused.rule },
  });
}

/** Records in the session of a parent who took over work of it, not in the stream of the parent: its run goes on as it is. */
function recordHandOver(tx: Transaction, { resource: parent }: CleanTaskState, child: Clean<Task>): void {
  const { session_id, workspace_id } = parent;
  tx.append(
    newEvent(
      'agent.handoff',
      { object: 'session', id: session_id },
      { session_id, workspace_id },
      {
        from_task_id: parent.id,
        from_persona_id: parent.persona_id,
        task_id: child.id,
        persona_id: child.persona_id,
        agent: child.assigned_agent_id,
      },
    ),
  );
}
