import type { Command, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean, Received } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isBlocked, type TaskStatus } from '#protocol/task-states.ts';
import { openRequestsOf } from '#resources/permission/permission-request.ts';
import { readVerdict } from '#resources/permission/read-verdict.ts';
import { refuseOtherArguments, refuseSettled, settleRequest } from '#resources/permission/settle-request.ts';
import { readConfirmation, requestToConfirm } from '#resources/permission/tool-confirmation.ts';
import { refuseExcess } from '#resources/quota/check-quotas.ts';
import { refuseClosed } from '#resources/session/session-lane.ts';
import { makeRoom } from '#resources/session/transcript/make-room.ts';
import type { TASK_MESSAGE_KINDS } from '#resources/task/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { appendMessage, buildMessage, refuseForeignArtifacts } from './append-message.ts';
import type { Message, MessageInput } from './schema.ts';

const appendSessionMessage: Command<'appendSessionMessage'> = {
  decide({ path, body, sent }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    refuseClosed(session, tx.time);
    const place = placeOfSession(session);
    const message = { sent: sent.message, clean: body.message };
    refuseForeignArtifacts(message.sent, 'message', session.workspace_id, tx, facts);
    makeRoom(tx, facts, session.id, message.sent);
    const built = buildMessage(tx, facts, message, place);
    appendMessage(tx, built, { place, pending: true });
    return { body: built.message };
  },
};

const appendTaskMessage: Command<'appendTaskMessage'> = {
  decide({ path, body, sent }, tx, facts) {
    const task = load(tx, facts.caller, 'task', path.task_id);
    const message = { sent: sent.message, clean: body.message };
    refuseForeignArtifacts(message.sent, 'message', task.resource.workspace_id, tx, facts);
    return { body: APPEND[body.kind](tx, facts, task, message) };
  },
};

type Append = (
  tx: Transaction,
  facts: Facts,
  task: CleanTaskState,
  input: Received<MessageInput>,
) => Clean<Message>;

const APPEND: { readonly [Kind in (typeof TASK_MESSAGE_KINDS)[number]]: Append } = {
  input: answerQuestion,
  interrupt,
  tool_confirmation: confirmTool,
};

/** Answers what the task asked first; a tool call is no question. */
function answerQuestion(...[tx, facts, task, message]: Parameters<Append>): Clean<Message> {
  const { status } = task.resource;
  if (facts.version.inputSteers && !isBlocked(status)) return steer(tx, facts, task, message);
  const asked = openRequestsOf(tx, task.resource.id);
  const request = asked.find(({ resource }) => resource.request.kind !== 'tool');
  if (!isBlocked(status) || (!request && asked.length === 0)) throw illegal(status, NOTHING_ASKED);
  if (!request) throw facts.version.inputSteers ? notSteerable(status) : illegal(status, CONFIRMATION_ASKED);
  refuseSettled(request, tx.time);
  refuseExcess(tx, facts, task);
  const verdict = { approved: true, optionId: null, answer: undefined };
  return turnOf(settleRequest(tx, facts, request, { ...verdict, message }));
}

/** Where `input` steers, it does what `interrupt` does elsewhere. */
function steer(...[tx, facts, task, message]: Parameters<Append>): Clean<Message> {
  const { status } = task.resource;
  if (status !== 'WORKING') throw notSteerable(status);
  return interrupt(tx, facts, task, message);
}

type NotWorking = Exclude<TaskStatus, 'WORKING'>;

const NOT_STEERABLE = {
  SUBMITTED: 'The task waits for its turn, so nobody would read this yet. Send it when the task is WORKING.',
  INPUT_REQUIRED: 'This task waits for a tool call to be approved. Answer its permission request.',
  AUTH_REQUIRED: 'This task waits for a tool call to be approved. Answer its permission request.',
  COMPLETED: 'The task has ended. Submit a new one.',
  FAILED: 'The task has ended. Submit a new one.',
  CANCELED: 'The task has ended. Submit a new one.',
} as const satisfies Record<NotWorking, string>;

function notSteerable(status: NotWorking): ProtocolError {
  return new ProtocolError('conflict', NOT_STEERABLE[status], { details: { status } });
}

function confirmTool(...[tx, facts, task, message]: Parameters<Append>): Clean<Message> {
  const confirmation = readConfirmation(tx, task, message.sent);
  const clean = facts.redact(confirmation).value;
  const request = requestToConfirm(tx, task, confirmation);
  refuseSettled(request, tx.time);
  refuseOtherArguments(request, confirmation.input_sha256);
  const { reviewer, metadata } = clean;
  const reason = { sent: confirmation.reason, clean: clean.reason };
  const verdict = readVerdict(request.resource.request, { sent: confirmation, clean });
  return turnOf(settleRequest(tx, facts, request, { ...verdict, reviewer, reason, metadata, message }));
}

function interrupt(...[tx, facts, task, input]: Parameters<Append>): Clean<Message> {
  refuseIdle(task);
  const { resource } = task;
  const place = placeOfTask(resource);
  makeRoom(tx, facts, resource.session_id, input.sent);
  const built = buildMessage(tx, facts, input, place);
  appendMessage(tx, built, { place });
  const payload = { message_id: built.message.id, kind: 'interrupt' as const };
  tx.append(newEvent('user.input_submitted', { object: 'task', id: resource.id }, place, payload));
  tx.afterCommit(() => facts.runs.wake(resource.id, built.message.id));
  return built.message;
}

/** Interrupting needs a working task whose agent has taken it, so that the words reach the same upstream task. */
function refuseIdle({ resource, internal }: CleanTaskState): void {
  if (resource.status !== 'WORKING') {
    throw illegal(resource.status, 'Only a WORKING task can be interrupted.');
  }
  if (internal.binding !== null) return;
  throw new ProtocolError(
    'conflict',
    'The agent has not taken the task yet. Retry in a moment, with a new Idempotency-Key.',
    {
      details: { status: resource.status },
    },
  );
}

const NOTHING_ASKED = 'This task asks for no input. Wait for task.input_required, or submit a new task.';
const CONFIRMATION_ASKED =
  'This task waits for a tool call to be approved. Send kind tool_confirmation, or answer its permission request.';

function turnOf(message: Clean<Message> | undefined): Clean<Message> {
  if (!message) throw new Error('a message that answers was not appended');
  return message;
}

function illegal(status: TaskStatus, message: string): ProtocolError {
  return new ProtocolError('invalid_state_transition', message, { param: 'kind', details: { status } });
}

export const handlers = {
  appendSessionMessage,
  appendTaskMessage,
} satisfies Partial<Handlers>;
