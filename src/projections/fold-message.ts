import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { Message } from '../protocol/resources/message.ts';
import { addRunFact } from './fold-run.ts';
import { payload } from './payload.ts';
import { withSaid } from './said-messages.ts';
import { stateKey } from './state-keys.ts';
import type { MessageState, TaskState } from './states.ts';

/** Longest piece of agent text kept for the summary of an Outcome, in characters. */
const SUMMARY_CHARS = 280;

export function foldUserMessage(event: Event, states: StateWriter): void {
  const { message, sealed = false, redaction_proof } = payload(event, 'user.message');
  putMessage(event, message, states, sealed);
  if (redaction_proof !== undefined)
    addRunFact(event, states, {
      kind: 'input_redacted',
      message_id: message.id,
      proof_hash: redaction_proof,
    });
}

export function foldAgentMessage(event: Event, states: StateWriter): void {
  const { message, sealed = false, upstream_message_id } = payload(event, 'agent.message');
  putMessage(event, message, states, sealed);
  if (event.task_id !== null) remember(event.task_id, message, upstream_message_id, event.created_at, states);
}

export function foldInlinedMessage(event: Event, states: StateWriter): void {
  const { message, sealed = false } = payload(event, 'session.message_appended');
  if (message) putMessage(event, message, states, sealed);
}

function putMessage(event: Event, message: Message, states: StateWriter, sealed: boolean): void {
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
  const key = stateKey.task(taskId);
  const state = states.get<TaskState>(key);
  if (!state) return;
  const text = message.parts.find((part) => part.type === 'text' && part.visibility === 'public');
  const last_text = text?.type === 'text' ? text.text.slice(0, SUMMARY_CHARS) : state.internal.last_text;
  const said = withSaid(states, state, message.id, upstreamId);
  const internal = { ...state.internal, said, status_at: time };
  if (last_text !== undefined) internal.last_text = last_text;
  states.set(key, { ...state, internal } satisfies TaskState);
}
