import type { Transaction } from '../../eventlog/event-log.ts';
import type { TaskState } from '../../projections/states.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Message, MessageInput } from '../../protocol/resources/message.ts';
import { isBlocked, type TaskStatus } from '../../protocol/task-states.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import type { Command } from '../command.ts';
import type { Facts } from '../facts.ts';
import { load } from '../load.ts';
import { moveTask } from '../move-task.ts';
import { newEvent, placeOfTask } from '../new-event.ts';

export const appendTaskMessage: Command<'appendTaskMessage'> = {
  decide({ path, body }, tx, facts) {
    const task = load(tx, facts.caller, 'task', path.task_id);
    const { kind } = body;
    if (kind === 'tool_confirmation') throw noConfirmationAsked(task);
    if (kind === 'input') refuseUnasked(task);
    if (kind === 'interrupt') refuseIdle(task);
    const place = { ...placeOfTask(task.resource), ...sessionOf(task) };
    const built = buildMessage(tx, facts, body.message as MessageInput, place);
    appendMessage(tx, built, { place });
    submitInput(tx, facts, task, built.message, kind);
    return { body: built.message };
  },
};

function submitInput(
  tx: Transaction,
  facts: Facts,
  { resource }: TaskState,
  message: Message,
  kind: 'input' | 'interrupt',
): void {
  const pointer = { object: 'task', id: resource.id };
  tx.append(
    newEvent('user.input_submitted', pointer, placeOfTask(resource), { message_id: message.id, kind }),
  );
  if (kind === 'input') moveTask(tx, facts, resource.id, 'WORKING', { messageId: message.id });
  tx.afterCommit(() => facts.runs.wake(resource.id));
}

function sessionOf({ resource }: TaskState): { workspace_id: string; session_id: string } {
  return { workspace_id: resource.workspace_id, session_id: resource.session_id };
}

function refuseUnasked({ resource }: TaskState): void {
  if (isBlocked(resource.status)) return;
  throw illegal(
    resource.status,
    'This task asks for no input. Wait for task.input_required, or submit a new task.',
  );
}

/** Interrupting needs a working task whose agent has taken it, so that the words reach the same upstream task. */
function refuseIdle({ resource, internal }: TaskState): void {
  if (resource.status !== 'WORKING') {
    throw illegal(resource.status, 'Only a WORKING task can be interrupted.');
  }
  if (internal.binding !== null) return;
  throw new ProtocolError('conflict', 'The agent has not taken the task yet. Retry in a moment.', {
    details: { status: resource.status },
  });
}

function noConfirmationAsked({ resource }: TaskState): ProtocolError {
  return illegal(resource.status, 'No tool call of this task waits for a confirmation.');
}

function illegal(status: TaskStatus, message: string): ProtocolError {
  return new ProtocolError('invalid_state_transition', message, { param: 'kind', details: { status } });
}
