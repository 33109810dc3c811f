import type { GuardSight } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import { type Action, type ActionQuestion, decideAction, isByPermission } from '#policy/action.ts';
import type { Decision } from '#policy/decision.ts';
import { haltOn } from '#policy/halts.ts';
import {
  type Clean,
  type CleanJson,
  type CleanObject,
  type CleanText,
  pieceOf,
  sentence,
  word,
} from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { IntendedCall } from '#protocol/intended-call.ts';
import type { JsonObject } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { Frame, PermissionDraft, PreparedTurn, ProtocolClient, Turn } from '#protocol-client.ts';
import type { GivenMemory } from '#resources/memory/given-memory.ts';
import { memoriesOf, withMemories } from '#resources/memory/given-to-run.ts';
import { actionQuestion, permissionsOf } from '#resources/permission/action-question.ts';
import { resolutionByRule } from '#resources/permission/answer-by-rule.ts';
import { boundedValue, openRequest, resolveRequest } from '#resources/permission/permission-request.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { aboutOf, hasSecret } from '#resources/permission-rule/about.ts';
import { isAtCeiling, noteUnknownCost } from '#resources/permission-rule/cost-ceiling.ts';
import { isCostUnknown } from '#resources/permission-rule/fold.ts';
import { permissionFor } from '#resources/permission-rule/rules-in-force.ts';
import type { PermissionDecision, RuleAnswer } from '#resources/permission-rule/schema.ts';
import type { BlockingEffect } from '#resources/policy/events.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { skillId } from '#resources/skill/skills.ts';
import type { CancelReport } from '#resources/task/events.ts';
import { runFactsOf } from '#resources/task/fold-run.ts';
import { moveTask, turnSpan } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { type FrameRecorder, openRecorder } from './frame-recorder.ts';
import { type BegunTurn, followTurn, leaveTurn, type SentTurn, sendTurn } from './guarded-turn.ts';
import type { RunnerDeps } from './runner-deps.ts';
import { turnBase, turnOf } from './turn.ts';
import { type Fault, maySendElsewhere, type UpstreamGuard } from './upstream-guard.ts';

/** A reason made once: abort() without one would make an exception with a stack for every turn. */
const STOPPED = 'stopped';

/** What a run does: which turn of which task, the messages it sends, and what has to be over before. */
interface TurnPlan {
  taskId: string;
  kind: Turn['kind'];
  /** Ids; the last one is the message, the others precede it. Empty for `reattach`. */
  messages: readonly string[];
  /** The turn this one follows; it is let go once its agent has answered. */
  before: Run | undefined;
  /** Lets the task go on at the agent of another route; undefined where there is none. */
  moveTo(route: string): ProtocolClient | undefined;
}

/** Work on a task, as the runner sees it. */
export type Run = Pick<TaskRun, 'ended' | 'yieldTo' | 'takenOr' | 'endedOr' | 'stop' | 'stopCanceled'>;

/** One turn of one task: sends the message, records every frame, applies what it means. */
export class TaskRun {
  /** Resolves when the turn is over and everything it recorded is durable; never rejects but for the store. */
  readonly ended: Promise<void>;
  readonly #stopper = new AbortController();
  readonly #deps: RunnerDeps;
  #client: ProtocolClient | undefined;
  readonly #plan: TurnPlan;
  readonly #taken: Promise<void>;
  #isTaken = false;
  #owesCancel = false;
  #markTaken: () => void = () => undefined;

  constructor(deps: RunnerDeps, client: ProtocolClient | undefined, plan: TurnPlan) {
    this.#deps = deps;
    this.#client = client;
    this.#plan = plan;
    this.#taken = new Promise((resolve) => {
      this.#markTaken = resolve;
    });
    this.ended = this.#run().finally(() => this.#markTaken());
  }

  /** Lets go of the agent once it has answered anything, so that what was sent is neither lost nor sent again. */
  async yieldTo(): Promise<void> {
    await this.#taken;
    this.stop();
    await this.ended;
  }

  /** Resolves when the agent has answered anything, the turn is over, or the signal aborts. */
  async takenOr(signal: AbortSignal): Promise<void> {
    await either(this.#taken, signal);
  }

  /** Lets go of the agent, also in the turn this one waits for; the task stays as it is. */
  stop(): void {
    this.#plan.before?.stop();
    this.#stopper.abort(STOPPED);
  }

  /** Resolves when the turn is over, or when the signal aborts. */
  async endedOr(signal: AbortSignal): Promise<void> {
    await either(this.ended, signal);
  }

  /**
   * The task was canceled. A turn whose agent has not answered yet is followed until it does: its first frame names the
   * remote task, which can then be canceled.
   */
  stopCanceled(): void {
    this.#plan.before?.stopCanceled();
    if (this.#isTaken) this.stop();
    else this.#owesCancel = true;
  }

  /** Who waits for the agent's first word reads what it said from the log. */
  #take(recorder: FrameRecorder): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    recorder.isKept().then(this.#markTaken, this.#markTaken);
  }

  async #run(): Promise<void> {
    await this.#plan.before?.yieldTo().catch(() => undefined);
    this.#plan.before = undefined;
    if (this.#stopper.signal.aborted) return;
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#plan.taskId));
    if (!task || isTerminal(task.resource.status)) return;
    if (!this.#client) return this.#fail(routeMissing(task.internal.route));
    try {
      const ended = await this.#turn(this.#client, task);
      if (!ended && !this.#stopper.signal.aborted) await this.#fail(ENDED_EARLY);
    } catch (error) {
      if (ProtocolError.from(error).code === 'service_unavailable') throw error;
      this.#deps.logger.error({ err: error, task_id: this.#plan.taskId }, 'a turn failed inside the gateway');
      await this.#fail(BROKEN_TURN);
    }
  }

  /** What the Session of the task remembers now. */
  #memories({ resource }: CleanTaskState): readonly GivenMemory[] {
    const { log, nowMs } = this.#deps;
    const session = log.state<CleanSessionFold>(sessionKeys.session(resource.session_id));
    const ids = session?.internal.memory_ids;
    return ids === undefined ? [] : memoriesOf(log, ids, timestamp(nowMs()));
  }

  async #turn(client: ProtocolClient, task: CleanTaskState): Promise<boolean> {
    const { taskId, kind, messages } = this.#plan;
    const memories = kind === 'start' && client.prepare === undefined ? this.#memories(task) : [];
    const span = turnSpan(task);
    const asked = await turnOf(this.#deps, task, kind, messages, span);
    const turn = memories.length === 0 ? asked : withMemories(asked, memories);
    const isStarting = kind === 'start' && task.internal.turns <= 1;
    const guard = kind === 'reattach' ? undefined : this.#deps.guards.current?.get(client.route);
    // Before it is read and judged: a server of tools would be asked for them, and a person for a permission.
    const isShut = guard?.circuit === 'open';
    const prepared = isShut ? undefined : await judgeTurn(this.#deps, client, task, turn);
    if (this.#isOver() || (prepared === undefined && !isShut)) return true;
    const begun = await this.#begin(guard, client, turn, prepared);
    if (begun === undefined) return true;
    if (begun === 'elsewhere') return this.#again();
    try {
      const recorder = await openRecorder(this.#deps, client, { taskId, isStarting, sent: messages, span });
      for (const memory of memories) await recorder.give({ kind: 'memory', memory });
      const isOver = await this.#follow(begun, recorder).finally(() => recorder.finish());
      if (this.#owesCancel) await this.#recordCanceled();
      return isOver;
    } finally {
      await begun.leave?.();
    }
  }

  /** The same turn at the agent that the task was moved to. */
  async #again(): Promise<boolean> {
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#plan.taskId));
    if (this.#client === undefined || task === undefined || this.#isOver()) return true;
    return this.#turn(this.#client, task);
  }

  /**
   * Sends a turn of a guarded agent as far as its first answer, once more where the agent got nothing and the budget allows it.
   * Undefined where the task has ended; `elsewhere` where it goes on at the fallback. Nothing of a turn that is sent again here
   * is kept. `first`: the turn as it was judged; undefined where the circuit was open by then.
   */
  async #begin(
    guard: UpstreamGuard | undefined,
    client: ProtocolClient,
    turn: Turn,
    first: PreparedTurn | undefined,
  ): Promise<BegunTurn | 'elsewhere' | undefined> {
    if (guard === undefined) return first;
    let prepared = first;
    for (let attempt = 0; !this.#isOver(); attempt += 1) {
      if (prepared === undefined && attempt > 0) return undefined;
      const sent = prepared && (await this.#sendPast(guard, prepared));
      if (sent === 'left') return undefined;
      if (sent === undefined || prepared === undefined) {
        if (await this.#moveAway(guard, { reason: 'circuit_open' })) return 'elsewhere';
        await this.#fail(circuitOpen(guard.sight()));
        return undefined;
      }
      const { fault } = sent;
      const follow = (tried: PreparedTurn) =>
        followTurn(sent, (late, retries) => this.#sendAgain(guard, tried, late, attempt + retries));
      if (fault === undefined || this.#stopper.signal.aborted) return follow(prepared);
      const pauseMs = this.#pauseBefore(guard, fault, attempt);
      if (pauseMs === undefined) {
        if (!maySendElsewhere(fault) || !(await this.#moveAway(guard, fault.details ?? {})))
          return follow(prepared);
        await leaveTurn(sent);
        return 'elsewhere';
      }
      await leaveTurn(sent);
      await this.#waitToRetry(fault, attempt, pauseMs);
      // What a server of tools would do is read anew: it may not have been there to say it.
      if (client.prepare !== undefined)
        prepared = await judgeTurn(this.#deps, client, this.#state(turn), turn);
    }
    return undefined;
  }

  /** Undefined where the guard lets nothing through; `left` where the task is not to be sent any more. */
  async #sendPast(guard: UpstreamGuard, prepared: PreparedTurn): Promise<SentTurn | 'left' | undefined> {
    const passage = guard.enter();
    if (passage === undefined) return undefined;
    if (await this.#maySend()) return sendTurn(prepared, this.#stopper.signal, passage);
    passage.close();
    return 'left';
  }

  /** A call that is on record already, and of which its server says that it did nothing. */
  async #sendAgain(
    guard: UpstreamGuard,
    prepared: PreparedTurn,
    fault: Fault,
    attempt: number,
  ): Promise<SentTurn | undefined> {
    const pauseMs = this.#pauseBefore(guard, fault, attempt);
    if (pauseMs === undefined || this.#isOver()) return undefined;
    await this.#waitToRetry(fault, attempt, pauseMs);
    const sent = this.#isOver() ? undefined : await this.#sendPast(guard, prepared);
    return sent === 'left' ? undefined : sent;
  }

  #pauseBefore(guard: UpstreamGuard, fault: Fault, attempt: number): number | undefined {
    return guard.circuit === 'open' ? undefined : guard.retryIn(fault, attempt);
  }

  async #waitToRetry(fault: Fault, attempt: number, pauseMs: number): Promise<void> {
    await this.#noteRetry(fault, attempt + 1);
    await either(aborted(this.#stopper.signal), this.#deps.timeoutSignal(pauseMs));
  }

  #state({ taskId }: Turn): CleanTaskState {
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(taskId));
    if (task === undefined) throw new Error(`task ${taskId} is not there`);
    return task;
  }

  #noteRetry({ code, details = {} }: Fault, attempt: number): Promise<void> {
    const { log, tools } = this.#deps;
    const said = tools.redact({ code: String(code), reason: details['reason'] ?? null, attempt }).value;
    return log.transact({ actor: null }, (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(this.#plan.taskId));
      if (task === undefined || isTerminal(task.resource.status)) return;
      const pointer = { object: 'task', id: task.resource.id };
      const payload = { note: word('turn_retried'), details: said };
      tx.append(newEvent('vendor.harn_gateway.upstream_note', pointer, placeOfTask(task.resource), payload));
    });
  }

  /** Moves a new task, of which its agent has taken nothing, to the fallback. False where it stays. */
  async #moveAway(guard: UpstreamGuard, { reason = null }: JsonObject): Promise<boolean> {
    const { fallback } = guard.terms;
    const { log, tools, guards, clients } = this.#deps;
    const isDown = fallback === undefined || guards.current?.get(fallback)?.circuit === 'open';
    if (isDown || this.#plan.kind !== 'start' || !clients.has(fallback)) return false;
    if (haltOn(tools.self.halts, { route: fallback }) !== undefined) return false;
    const isMoved = await log.transact({ actor: null }, (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(this.#plan.taskId));
      if (task?.resource.status !== 'WORKING') return false;
      const { route, binding, turns, skill_id, moved_from } = task.internal;
      if (binding !== null || turns > 1 || skill_id !== undefined || moved_from !== undefined) return false;
      const pointer = { object: 'task', id: task.resource.id };
      const payload = { from: route, ...tools.redact({ to: fallback, reason }).value };
      tx.append(newEvent('vendor.harn_gateway.task_moved', pointer, placeOfTask(task.resource), payload));
      return true;
    });
    if (!isMoved) return false;
    guard.fallbacks += 1;
    this.#client = this.#plan.moveTo(fallback);
    return true;
  }

  /** The task ended, or the turn was stopped, while it was read and judged; nothing was sent. */
  #isOver(): boolean {
    if (this.#stopper.signal.aborted) return true;
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#plan.taskId));
    return !task || isTerminal(task.resource.status);
  }

  /** Behind a pause another process may have taken the task up, or it may have ended. */
  async #maySend(): Promise<boolean> {
    if (this.#deps.mayAct === undefined) return true;
    await this.#deps.mayAct(this.#stopper.signal);
    return !this.#isOver();
  }

  /** Records frames until the task is over or waits for somebody; true when it got there. */
  async #follow({ run }: PreparedTurn, recorder: FrameRecorder): Promise<boolean> {
    if (!(await this.#maySend())) return true;
    let isFirst = true;
    for await (const frame of run(this.#stopper.signal)) {
      if (isFirst) this.#deps.onFirstFrame?.(this.#plan.taskId);
      isFirst = false;
      if (this.#stopper.signal.aborted) return false;
      const status = await recorder.take(frame);
      if (status !== 'held') this.#take(recorder);
      if (status === 'over') {
        this.stop();
        return true;
      }
    }
    return recorder.isAtRest();
  }

  /** The cancel came before the agent had named its task; now it can be passed on. */
  async #recordCanceled(): Promise<void> {
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#plan.taskId));
    if (task && task.internal.binding !== null) await forwardCancel(this.#deps, this.#client, task);
  }

  async #fail(failure: Failure): Promise<void> {
    await this.#deps.log.transact({ actor: null }, (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(this.#plan.taskId));
      const status = task?.resource.status;
      // A question of a turn that broke has nobody left to take its answer.
      if (status === 'WORKING' || (failure === BROKEN_TURN && status !== undefined && isBlocked(status)))
        moveTask(tx, this.#deps.tools, this.#plan.taskId, 'FAILED', {
          failure: this.#deps.tools.redact(failure).value,
        });
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return either(new Promise(() => undefined), signal);
}

function circuitOpen({ route, untilMs }: GuardSight): Failure {
  const until = untilMs === undefined ? null : new Date(untilMs).toISOString();
  return {
    code: 'upstream_unavailable',
    type: 'upstream_error',
    message: `${route} has failed several times in a row, so nothing is sent to it for now. Submit the task again later.`,
    details: { reason: 'circuit_open', route, until },
  };
}

/**
 * Notifies the agent of a canceled task; what it answers is recorded. Without a signal the wait is the configured one. Resolves
 * with what is known of an agent that did not confirm it; undefined where it did, or says so in its turn.
 */
export async function forwardCancel(
  deps: RunnerDeps,
  client: ProtocolClient | undefined,
  task: CleanTaskState,
  signal?: AbortSignal,
): Promise<CancelReport | undefined> {
  if (!client) return { agent: 'not_reached', because: NO_ROUTE };
  const span = turnSpan(task);
  const recorder = await openRecorder(deps, client, {
    taskId: task.resource.id,
    isStarting: false,
    sent: [],
    span,
  });
  const turn = { ...turnBase(deps, task, span), kind: 'continue' as const };
  const bounded = signal ?? deps.timeoutSignal(deps.limits.cancelWaitMs);
  let hasAnswered = false;
  let fault: Extract<Frame, { kind: 'fault' }> | undefined;
  try {
    if (deps.mayAct) await deps.mayAct(bounded);
    for await (const frame of client.cancel(turn, bounded)) {
      // It ended in its own turn, so the result of the cancel is not needed.
      if (frame.kind === 'fault' && endedMeanwhile(deps, task)) return undefined;
      // A peer that cannot cancel does not fail the task: the wish is recorded, the gateway decides.
      if (frame.kind === 'fault') await recorder.noteFault(frame);
      if (frame.kind === 'fault') fault = frame;
      else hasAnswered = true;
      // The end of this exchange is not the end of the turn that runs beside it.
      if (frame.kind === 'message') await recorder.take(frame);
    }
  } finally {
    await recorder.finish();
  }
  if (bounded.aborted) return { agent: 'unanswered', because: null };
  const wasReached = hasAnswered || fault?.details?.['http_status'] !== undefined;
  if (fault !== undefined) return { agent: wasReached ? 'refused' : 'not_reached', because: fault.message };
  return hasAnswered ? { agent: 'refused', because: null } : undefined;
}

function endedMeanwhile({ log }: RunnerDeps, { resource }: CleanTaskState): boolean {
  const now = log.state<CleanTaskState>(taskKeys.task(resource.id));
  return !isTerminal(resource.status) && (now === undefined || isTerminal(now.resource.status));
}

const NO_ROUTE = 'Its route is not configured any more.';

function either(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    promise.then(resolve, () => resolve());
  });
}

const BROKEN_TURN: Failure = {
  code: 'internal_error',
  type: 'runtime_error',
  message:
    'The gateway failed while it ran this task. What the agent did so far is in the events; submit the task again.',
};

const ENDED_EARLY: Failure = {
  code: 'upstream_unavailable',
  type: 'upstream_error',
  message: 'The agent ended its answer without a final state. Submit the task again, or check the agent.',
  details: { reason: 'ended_without_state' },
};

function routeMissing(route: string): Failure {
  return {
    code: 'upstream_unavailable',
    type: 'upstream_error',
    message:
      'The route of this task is not configured. Restore it in the config file, or submit the task again.',
    details: { reason: 'route_removed', route },
  };
}

/** What a turn does, as it is judged and recorded; the arguments are those that are kept. */
interface Judged {
  action: Clean<Action>;
  call: Clean<IntendedCall> | undefined;
  /** Undefined for an agent, whose whole run is one action whatever it is asked. */
  inputSha256: CleanText | undefined;
  input: CleanJson;
}

/**
 * Reads what a turn is about to do and lets the policy judge it. Undefined when it was kept back: the task then waits for a
 * permission, or has ended. What is allowed leaves no trace of its own.
 */
async function judgeTurn(
  deps: RunnerDeps,
  client: ProtocolClient,
  task: CleanTaskState,
  turn: Turn,
): Promise<PreparedTurn | undefined> {
  const prepared = await (client.prepare?.(turn) ?? wholeRun(client, turn));
  const isCall = client.prepare !== undefined;
  // What is taken up again was judged when it was begun; a turn that calls nothing only says why.
  if (turn.kind === 'reattach' || (isCall && prepared.call === undefined)) return prepared;
  const judged = judgedOf(deps, task, prepared.call);
  const reader = { get: deps.log.state.bind(deps.log) };
  const first = decide(reader, deps, task, judged).decision;
  if (first.effect === 'allow' && !isByPermission(first)) {
    if (!isCall && task.internal.turns <= 1 && isCostUnknown(reader, task.resource))
      await deps.log.transact({ actor: null }, (tx) => noteUnknownCost(tx, task));
    return prepared;
  }
  let isKept = true;
  await deps.log.transact({ actor: null }, (tx) => {
    const now = tx.get<CleanTaskState>(taskKeys.task(task.resource.id));
    if (now?.resource.status !== 'WORKING') return;
    const { decision, question } = decide(tx, deps, now, judged);
    isKept = decision.effect !== 'allow';
    if (isByPermission(decision)) answerByRule(tx, deps, now, judged, question, decision);
    else if (isKept) keepBack(tx, deps, now, judged, question, decision as BlockingDecision);
  });
  return isKept ? undefined : prepared;
}

/** A decision of a rule or of the permission policy is recorded like the answer to a question, but no question was asked. */
function answerByRule(
  tx: Transaction,
  deps: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
  { permission }: ActionQuestion,
  decision: Decision,
): void {
  const { tools } = deps;
  if (permission === undefined || permission.outcome === 'suspend') return;
  const { rule_id, policy_version } = permission;
  const approved = permission.outcome === 'granted';
  const answeredBy: Clean<RuleAnswer> = { approved, rule_id, policy_version };
  const id = openRequest(tx, tools, task, { ...questionOf(task, judged, decision), answeredBy }, {});
  const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(id));
  if (request === undefined) return;
  resolveRequest(tx, tools, task, request, resolutionByRule(request.resource.request, answeredBy));
  if (!approved) moveTask(tx, tools, task.resource.id, 'FAILED', { failure: refusal(judged, decision) });
}

interface BlockingDecision extends Decision {
  effect: BlockingEffect;
}

function wholeRun(client: ProtocolClient, turn: Turn): PreparedTurn {
  return { run: (signal) => client.run(turn, signal) };
}

function judgedOf(
  { tools }: RunnerDeps,
  { internal }: CleanTaskState,
  given: IntendedCall | undefined,
): Judged {
  const { route, skill_id } = internal;
  if (given === undefined) {
    const skill = skill_id === undefined ? {} : { skillId: tools.redact(skillId(route, skill_id)).value };
    const action: Clean<Action> = { route, sideEffect: 'delegate', ...skill };
    return { action, call: undefined, inputSha256: undefined, input: {} };
  }
  const call = tools.redact(given).value;
  const { name, sideEffect, isDeclared, hold, input } = call;
  return {
    action: {
      route,
      skillId: tools.redact(skillId(route, name)).value,
      sideEffect,
      isDeclared,
      ...(hold === undefined ? {} : { hold }),
    },
    call,
    inputSha256: contentHash(input),
    input,
  };
}

/** Asked twice only where a permission may have been given. */
function decide(
  reader: StateReader,
  deps: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
): { decision: Decision; question: ActionQuestion } {
  const bare = actionQuestion(reader, deps.tools.self, task.resource, judged.action);
  const question = permissionsOf(reader, task.resource.workspace_id)
    ? {
        ...bare,
        permission: permissionOf(reader, deps, task, judged),
        isAtCeiling: isAtCeiling(reader, task.resource),
      }
    : bare;
  const decision = decideAction(question);
  const mayBeApproved =
    decision.effect === 'ask' || (decision.effect === 'allow' && isByPermission(decision));
  if (!mayBeApproved || !isApproved(reader, task, judged)) return { decision, question };
  return { decision: decideAction({ ...question, isApproved: true }), question };
}

/** What rules and the permission policy make of a turn; undefined where they may not. */
function permissionOf(
  reader: StateReader,
  { tools, nowMs }: RunnerDeps,
  { resource }: CleanTaskState,
  judged: Judged,
): Clean<PermissionDecision> | undefined {
  const { action, call, input } = judged;
  const metadata = { policy: { bound_to: boundTo(judged), side_effect: action.sideEffect } };
  const toolName = call?.name ?? action.route;
  const about = aboutOf({ kind: 'tool', action: toolName, toolName, input, metadata, binding: null }, {});
  const now = { get: reader.get.bind(reader), time: timestamp(nowMs()) };
  const permission = permissionFor(now, tools, resource, about);
  return permission.outcome === 'granted' && hasSecret(about) ? undefined : permission;
}

/** A permission is for these arguments to the tool by this definition; for an agent it is for the task. */
function isApproved(reader: StateReader, task: CleanTaskState, judged: Judged): boolean {
  const wanted = JSON.stringify(boundTo(judged));
  return runFactsOf(reader, task).some((fact) => {
    if (fact.kind !== 'request') return false;
    const request = reader.get<CleanPermissionRequestState>(
      permissionKeys.permissionRequest(fact.id),
    )?.resource;
    const { policy } = request?.metadata ?? {};
    if (request?.status !== 'approved' || typeof policy !== 'object' || policy === null) return false;
    return JSON.stringify((policy as JsonObject)['bound_to']) === wanted;
  });
}

function boundTo({ action, call, inputSha256 }: Judged): CleanObject {
  return {
    action: action.skillId ?? action.route,
    input_sha256: inputSha256 ?? null,
    definition_sha256: call?.definitionSha256 ?? null,
  };
}

function keepBack(
  tx: Transaction,
  deps: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
  { tier }: ActionQuestion,
  decision: BlockingDecision,
): void {
  const { action, call, inputSha256 } = judged;
  const { effect, rule, because } = decision;
  const pointer = { object: 'task', id: task.resource.id };
  const payload = {
    effect,
    rule,
    because,
    tier,
    side_effect: action.sideEffect,
    route: action.route,
    skill_id: action.skillId ?? null,
    tool_call_id: call?.toolCallId ?? null,
    input_sha256: inputSha256 ?? null,
  };
  tx.append(newEvent('vendor.harn_gateway.policy_decided', pointer, placeOfTask(task.resource), payload));
  KEEP_BACK[effect](tx, deps, task, judged, decision);
}

type KeepBack = (
  tx: Transaction,
  deps: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
  decision: BlockingDecision,
) => void;

const KEEP_BACK: { readonly [Effect in BlockingEffect]: KeepBack } = {
  ask: askPermission,
  withhold: (tx, deps, task, judged, decision) => {
    denyCall(tx, deps, task, judged, decision);
    const summary = sentence`${nameOf(judged)} was not called. ${decision.because}`;
    const metadata = { policy: { effect: word('withhold'), rule: decision.rule } };
    moveTask(tx, deps.tools, task.resource.id, 'COMPLETED', { summary, metadata });
  },
  refuse: (tx, deps, task, judged, decision) => {
    denyCall(tx, deps, task, judged, decision);
    moveTask(tx, deps.tools, task.resource.id, 'FAILED', { failure: refusal(judged, decision) });
  },
};

/** A tool call is confirmed in place, and so is a whole run: the agent gets what the task says, and no words about it. */
function askPermission(
  tx: Transaction,
  { tools }: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
  decision: Decision,
): void {
  moveTask(tx, tools, task.resource.id, 'AUTH_REQUIRED', { permission: questionOf(task, judged, decision) });
}

function questionOf(
  { resource: { id } }: CleanTaskState,
  judged: Judged,
  { because, rule }: Decision,
): Clean<PermissionDraft> {
  const { call, input, action } = judged;
  const toolCall = {
    tool_call_id: call?.toolCallId ?? sentence`call_${pieceOf(id, id.indexOf('_') + 1)}`,
    name: call?.name ?? action.route,
    ...(call === undefined ? {} : { input }),
  };
  return {
    kind: 'tool',
    source: 'hitl',
    message: sentence`${because} May ${nameOf(judged)} be called?`,
    toolCall,
    metadata: { policy: { rule, bound_to: boundTo(judged), side_effect: word(action.sideEffect) } },
  };
}

/** What would have been called, and that it was not. */
function denyCall(
  tx: Transaction,
  { tools }: RunnerDeps,
  { resource }: CleanTaskState,
  { action, call, input, inputSha256 }: Judged,
  { rule, because }: Decision,
): void {
  if (call === undefined || inputSha256 === undefined) return;
  const pointer = { object: 'task', id: resource.id };
  const place = placeOfTask(resource);
  const named = { tool_call_id: call.toolCallId, name: call.name, server: call.server };
  tx.append(
    newEvent('tool.requested', pointer, place, {
      ...named,
      input: boundedValue(tx, tools, place, input),
      input_sha256: inputSha256,
      definition_sha256: call.definitionSha256,
      side_effect: word(action.sideEffect),
      withheld: true,
    }),
  );
  const policy = { rule, because };
  tx.append(newEvent('tool.denied', pointer, place, { ...named, status: 'denied', policy }));
}

function nameOf({ action }: Judged): CleanText {
  return action.skillId ?? action.route;
}

function refusal(judged: Judged, { rule, because }: Decision): Clean<Failure> {
  return {
    code: word('policy_violation'),
    type: word('permission_error'),
    message: sentence`${nameOf(judged)} was not called. ${because} Ask your operator, or use another persona, session or skill.`,
    details: { rule },
  };
}
