import type { Transaction } from '../../eventlog/event-log.ts';
import type { TaskState } from '../../projections/states.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Message, MessageInput } from '../../protocol/resources/message.ts';
import type { TASK_MESSAGE_KINDS } from '../../protocol/resources/task.ts';
import { isBlocked, type TaskStatus } from '../../protocol/task-states.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import { refuseExcess } from '../check-quotas.ts';
import type { Command } from '../command.ts';
import type { Facts } from '../facts.ts';
import { load } from '../load.ts';
import { makeRoom } from '../make-room.ts';
import { refuseForeignArtifacts } from '../message-references.ts';
import { newEvent, placeOfTask } from '../new-event.ts';
import { openRequestsOf } from '../permission-request.ts';
import { readVerdict } from '../read-verdict.ts';
import { refuseOtherArguments, refuseSettled, settleRequest } from '../settle-request.ts';
import { readConfirmation, requestToConfirm } from '../tool-confirmation.ts';

export const appendTaskMessage: Command<'appendTaskMessage'> = {
  decide({ path, body }, tx, facts) {
    const task = load(tx, facts.caller, 'task', path.task_id);
    const message = body.message as MessageInput;
    refuseForeignArtifacts(message, 'message', task.resource.workspace_id, tx, facts);
    return { body: APPEND[body.kind](tx, facts, task, message) };
  },
};

type Append = (tx: Transaction, facts: Facts, task: TaskState, input: MessageInput) => Message;

const APPEND: { readonly [Kind in (typeof TASK_MESSAGE_KINDS)[number]]: Append } = {
  input: answerQuestion,
  interrupt,
  tool_confirmation: confirmTool,
};

/** Answers what the task asked first; a tool call is no question. */
function answerQuestion(tx: Transaction, facts: Facts, task: TaskState, message: MessageInput): Message {
  const { status } = task.resource;
  const asked = openRequestsOf(tx, task.resource.id);
  const request = asked.find(({ resource }) => resource.request.kind !== 'tool');
  if (!isBlocked(status) || (!request && asked.length === 0)) throw illegal(status, NOTHING_ASKED);
  if (!request) throw illegal(status, CONFIRMATION_ASKED);
  refuseSettled(request, tx.time);
  refuseExcess(tx, facts, task);
  const verdict = { approved: true, optionId: null, answer: undefined };
  return turnOf(settleRequest(tx, facts, request, { ...verdict, message }));
}

function confirmTool(tx: Transaction, facts: Facts, task: TaskState, message: MessageInput): Message {
  const confirmation = readConfirmation(tx, task, message);
  const request = requestToConfirm(tx, task, confirmation);
  refuseSettled(request, tx.time);
  refuseOtherArguments(request, confirmation.input_sha256);
  const { reviewer, reason, metadata } = confirmation;
  const verdict = readVerdict(request.resource.request, confirmation);
  return turnOf(settleRequest(tx, facts, request, { ...verdict, reviewer, reason, metadata, message }));
}

function interrupt(tx: Transaction, facts: Facts, task: TaskState, input: MessageInput): Message {
  refuseIdle(task);
  const { resource } = task;
  const place = placeOfTask(resource);
  makeRoom(tx, facts, resource.session_id, input);
  const built = buildMessage(tx, facts, input, place);
  appendMessage(tx, built, { place });
  const payload = { message_id: built.message.id, kind: 'interrupt' as const };
  tx.append(newEvent('user.input_submitted', { object: 'task', id: resource.id }, place, payload));
  tx.afterCommit(() => facts.runs.wake(resource.id, built.message.id));
  return built.message;
}

/** Interrupting needs a working task whose agent has taken it, so that the words reach the same upstream task. */
function refuseIdle({ resource, internal }: TaskState): void {
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

function turnOf(message: Message | undefined): Message {
  if (!message) throw new Error('a message that answers was not appended');
  return message;
}

function illegal(status: TaskStatus, message: string): ProtocolError {
  return new ProtocolError('invalid_state_transition', message, { param: 'kind', details: { status } });
}
