import type { DecisionTools } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { type Clean, type CleanObject, type CleanText, own, sentence, word } from '#protocol/clean.ts';
import {
  type BlockedStatus,
  canMove,
  EVENT_OF_STATUS,
  type Failure,
  isBlocked,
  isTerminal,
  type TaskStatus,
  type TerminalStatus,
} from '#protocol/task-states.ts';
import type { PermissionDraft } from '#protocol-client.ts';
import { closeArtifact } from '#resources/artifact/chunks.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { draftOfStatus, leaveRequests, openRequest } from '#resources/permission/permission-request.ts';
import { issuesReceipts, issueTaskReceipt, receiptIdFor } from '#resources/receipt/issue-receipt.ts';
import type { ReplayFinding } from '#resources/replay/replay-record.ts';
import { CANCEL_REPORTS, type CancelReport } from './events.ts';
import { type CleanTaskState, taskKeys } from './state.ts';

export interface MoveFacts {
  /** Override key of the recorded frame that caused the move. */
  material?: CleanText;
  messageId?: CleanText;
  failure?: Clean<Failure>;
  reason?: CleanText;
  /** Of a Task that the gateway cancels: what is known of its agent, where that did not confirm it. */
  cancel?: Clean<CancelReport>;
  /** Of the Outcome of a completed task. Default: what the agent said last. */
  summary?: CleanText;
  metadata?: CleanObject;
  /** What the task waits for, when the agent says it better than the status does. */
  permission?: Clean<PermissionDraft>;
  /** What a replay found, for its receipt. */
  replay?: ReplayFinding;
}

const CANCELED_SUMMARY = word('The task was canceled.');
const FAILED_UNKNOWN: Clean<Failure> = {
  code: word('runtime_error'),
  type: word('runtime_error'),
  message: word('The agent failed without a reason.'),
};

/**
 * Moves a task along the transition table and appends exactly one event per step; where the table has no direct way it
 * goes through WORKING, marked `synthesized`. Returns false, and changes nothing, when the task cannot get there.
 */
export function moveTask(
  tx: Transaction,
  tools: DecisionTools,
  taskId: string,
  to: TaskStatus,
  facts: MoveFacts = {},
): boolean {
  const task = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (task === undefined) return false;
  // From a terminal state there is no way.
  const from = task.resource.status;
  if (canMove(from, to)) {
    step(tx, tools, task, to, facts, false);
    return true;
  }
  if (!canMove(from, 'WORKING') || !canMove('WORKING', to)) return false;
  step(tx, tools, task, 'WORKING', facts.material === undefined ? {} : { material: facts.material }, true);
  step(tx, tools, tx.get<CleanTaskState>(taskKeys.task(taskId)) ?? task, to, facts, false);
  return true;
}

/** How a span names itself. */
export interface Span {
  span_id: CleanText;
  name: CleanText;
  route: CleanText;
}

/** The span of a task's n-th turn; its id is a function of both, so that a replay finds the same. */
export function spanOf(state: CleanTaskState, turn: number): Span {
  return {
    span_id: own(sha256Hex(`${state.resource.id}:${turn}`).slice(0, 16)),
    name: sentence`${state.internal.route} turn ${turn}`,
    route: state.internal.route,
  };
}

/** Which span the events of a turn carry. */
export interface TurnSpan {
  turn: number;
  id: string;
}

/** Of the turn a task is in; made once for a turn, because its id is a hash. */
export function turnSpan(state: CleanTaskState): TurnSpan {
  const { turns } = state.internal;
  return { turn: turns, id: spanOf(state, turns).span_id };
}

function step(
  tx: Transaction,
  tools: DecisionTools,
  before: CleanTaskState,
  to: TaskStatus,
  facts: MoveFacts,
  synthesized: boolean,
): void {
  const taskId = before.resource.id;
  const ends = isTerminal(to);
  const { open_artifacts = [], open_requests = [] } = before.internal;
  if (ends) for (const artifactId of open_artifacts) closeArtifact(tx, tools, artifactId);
  if (open_requests.length > 0) leaveRequests(tx, tools, before, to);
  const requestId = isBlocked(to) ? requestOf(tx, tools, before, to, facts) : undefined;
  const isAlone = open_artifacts.length + open_requests.length === 0 && requestId === undefined;
  // What was closed, left and opened is in it by now.
  const state = isAlone ? before : (tx.get<CleanTaskState>(taskKeys.task(taskId)) ?? before);
  const { resource: task, internal } = state;
  if (task.status === 'WORKING' && to === 'FAILED') failSpan(tx, state, facts);
  const said: Clean<PayloadOf<'task.started'>> = {
    status: to,
    previous_status: task.status,
    checkpoint_id: sentence`${task.id}.${internal.transitions + 1}`,
    ...(synthesized ? { synthesized } : {}),
    ...(facts.material === undefined ? {} : { material: facts.material }),
    ...(facts.messageId === undefined ? {} : { message_id: facts.messageId }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(facts.metadata === undefined ? {} : { metadata: facts.metadata }),
  };
  // Which members a kind has, endOf decides.
  const payload = ends ? { ...said, ...endOf(tools, state, to, facts) } : said;
  const receiptId = ends && issuesReceipts(state) ? receiptIdFor(state, tools) : undefined;
  const pointer = { object: 'task', id: task.id };
  tx.append(newEvent(eventOf(task.status, to), pointer, placeOfTask(task), payload as never, receiptId));
  if (receiptId !== undefined) issueTaskReceipt(tx, tools, taskId, receiptId, facts.replay);
}

/** Whatever blocks a task is in the queue of permission requests, in the same commit. */
function requestOf(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  to: BlockedStatus,
  facts: MoveFacts,
): CleanText {
  const draft = facts.permission ?? draftOfStatus(tx, to, facts.messageId);
  return openRequest(tx, tools, task, draft, facts);
}

/** Back to WORKING from a blocked state is a status change, not a start. */
function eventOf(from: TaskStatus, to: TaskStatus) {
  return to === 'WORKING' && from !== 'SUBMITTED' ? 'task.status_changed' : EVENT_OF_STATUS[to];
}

type End = Clean<
  Pick<PayloadOf<'task.failed'>, 'outcome'> &
    Partial<Pick<PayloadOf<'task.failed'>, 'failure'> & Pick<PayloadOf<'task.canceled'>, 'reason' | 'cancel'>>
>;

function endOf(tools: DecisionTools, state: CleanTaskState, to: TerminalStatus, facts: MoveFacts): End {
  const failure = facts.failure ?? FAILED_UNKNOWN;
  const summary = {
    COMPLETED: facts.summary || state.internal.last_text || word('The task completed.'),
    FAILED: failure.message,
    CANCELED: canceledSummary(facts),
  }[to];
  const outcome = { id: tools.newId('outcome'), summary };
  if (to === 'FAILED') return { outcome, failure };
  if (to !== 'CANCELED') return { outcome };
  const cancel = facts.cancel === undefined ? {} : { cancel: facts.cancel };
  return { outcome, reason: facts.reason ?? null, ...cancel };
}

function canceledSummary({ reason = CANCELED_SUMMARY, cancel }: MoveFacts): CleanText {
  return cancel === undefined ? reason : sentence`${reason} ${word(CANCEL_REPORTS[cancel.agent])}`;
}

/**
 * What an agent did wrong is visible as a span too. A turn that goes well has none of its own: its task events say its
 * times, and every event of it carries the span id.
 */
function failSpan(tx: Transaction, state: CleanTaskState, { failure = FAILED_UNKNOWN }: MoveFacts): void {
  const span = spanOf(state, state.internal.turns);
  const payload = { ...span, started_at: state.resource.started_at, error: failure };
  tx.append(
    newEvent('span.failed', { object: 'span', id: span.span_id }, placeOfTask(state.resource), payload),
  );
}
