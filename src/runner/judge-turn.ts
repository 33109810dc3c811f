import { contentHash } from '#core/content-hash.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { type Action, type ActionQuestion, decideAction } from '#policy/action.ts';
import type { Decision } from '#policy/decision.ts';
import {
  type Clean,
  type CleanJson,
  type CleanObject,
  type CleanText,
  pieceOf,
  sentence,
  word,
} from '#protocol/clean.ts';
import type { IntendedCall } from '#protocol/intended-call.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { PreparedTurn, ProtocolClient, Turn } from '#protocol-client.ts';
import { actionQuestion } from '#resources/permission/action-question.ts';
import { boundedValue } from '#resources/permission/permission-request.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import type { BlockingEffect } from '#resources/policy/events.ts';
import { skillId } from '#resources/skill/skills.ts';
import { runFactsOf } from '#resources/task/fold-run.ts';
import { moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { RunnerDeps } from './runner-deps.ts';

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
export async function judgeTurn(
  deps: RunnerDeps,
  upstream: ProtocolClient,
  task: CleanTaskState,
  turn: Turn,
): Promise<PreparedTurn | undefined> {
  const prepared = await (upstream.prepare?.(turn) ?? wholeRun(upstream, turn));
  const isCall = upstream.prepare !== undefined;
  // What is taken up again was judged when it was begun; a turn that calls nothing only says why.
  if (turn.kind === 'reattach' || (isCall && prepared.call === undefined)) return prepared;
  const judged = judgedOf(deps, task, prepared.call);
  const reader = { get: deps.log.state.bind(deps.log) };
  if (decide(reader, deps, task, judged).decision.effect === 'allow') return prepared;
  let isKept = true;
  await deps.log.transact({ actor: null }, (tx) => {
    const now = tx.get<CleanTaskState>(taskKeys.task(task.resource.id));
    if (now?.resource.status !== 'WORKING') return;
    const { decision, question } = decide(tx, deps, now, judged);
    isKept = decision.effect !== 'allow';
    if (decision.effect !== 'allow') keepBack(tx, deps, now, judged, question, decision as BlockingDecision);
  });
  return isKept ? undefined : prepared;
}

interface BlockingDecision extends Decision {
  effect: BlockingEffect;
}

function wholeRun(upstream: ProtocolClient, turn: Turn): PreparedTurn {
  return { run: (signal) => upstream.run(turn, signal) };
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
  { tools }: RunnerDeps,
  task: CleanTaskState,
  judged: Judged,
): { decision: Decision; question: ActionQuestion } {
  const question = actionQuestion(reader, tools.self, task.resource, judged.action);
  const decision = decideAction(question);
  if (decision.effect !== 'ask' || !isApproved(reader, task, judged)) return { decision, question };
  return { decision: decideAction({ ...question, isApproved: true }), question };
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
  { because, rule }: Decision,
): void {
  const { id } = task.resource;
  const { call, input } = judged;
  const toolCall = {
    tool_call_id: call?.toolCallId ?? sentence`call_${pieceOf(id, id.indexOf('_') + 1)}`,
    name: call?.name ?? judged.action.route,
    ...(call === undefined ? {} : { input }),
  };
  moveTask(tx, tools, id, 'AUTH_REQUIRED', {
    permission: {
      kind: 'tool',
      source: 'hitl',
      message: sentence`${because} May ${nameOf(judged)} be called?`,
      toolCall,
      metadata: { policy: { rule, bound_to: boundTo(judged) } },
    },
  });
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
