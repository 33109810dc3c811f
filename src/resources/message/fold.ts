import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { MessageState, TaskState } from '#resources/states.ts';
import { addRunFact } from '#resources/task/fold-run.ts';
import { withSaid } from './said-messages.ts';
import type { Message } from './schema.ts';

export const messageFolds: Folds = {
  'user.message': [foldUserMessage],
  'agent.message': [foldAgentMessage],
};

/** Longest piece of agent text kept for the summary of an Outcome, in characters. */
const SUMMARY_CHARS = 280;

function foldUserMessage(event: Event, states: StateWriter): void {
  const { message, sealed = false, redaction_proof } = payload(event, 'user.message');
  putMessage(event, message, states, sealed);
  if (redaction_proof !== undefined)
    addRunFact(event, states, {
      kind: 'input_redacted',
      message_id: message.id,
      proof_hash: redaction_proof,
    });
}

function foldAgentMessage(event: Event, states: StateWriter): void {
  const { message, sealed = false, upstream_message_id } = payload(event, 'agent.message');
  putMessage(event, message, states, sealed);
  if (event.task_id !== null) remember(event.task_id, message, upstream_message_id, event.created_at, states);
}

export function putMessage(event: Event, message: Message, states: StateWriter, sealed: boolean): void {
  const state: MessageState = { resource: states.said(event, message), internal: { sealed } };
  states.set(stateKey.message(message.id), state);
}

/** The task keeps what its Outcome will show: the newest messages and the start of the newest text. */
function remember(
  taskId: string,
  message: Message,
  upstreamId: string | undefined,
  time: string,
  states: StateWriter,
): void {
  const state = states.draft<TaskState>(stateKey.task(taskId));
  if (!state) return;
  const { internal } = state;
  internal.said = withSaid(states, state, message.id, upstreamId);
  internal.status_at = time;
  const text = message.parts.find((part) => part.type === 'text' && part.visibility === 'public');
  if (text?.type === 'text') internal.last_text = text.text.slice(0, SUMMARY_CHARS);
}
