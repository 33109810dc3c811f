import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { Message } from '../protocol/resources/message.ts';
import { addRunFact } from './fold-run.ts';
import { payload } from './payload.ts';
import { stateKey } from './state-keys.ts';
import type { MessageState, TaskState, UpstreamMessageState } from './states.ts';

/** Longest piece of agent text kept for the summary of an Outcome, in characters. */
const SUMMARY_CHARS = 280;
/** Messages an Outcome shows; the transcript has the rest. */
const MESSAGES_SHOWN = 50;

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
  if (event.task_id === null) return;
  if (upstream_message_id !== undefined) {
    const key = stateKey.upstreamMessage(event.task_id, upstream_message_id);
    states.set(key, { message_id: message.id } satisfies UpstreamMessageState);
  }
  rememberText(event.task_id, message, event.created_at, states);
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
function rememberText(taskId: string, message: Message, time: string, states: StateWriter): void {
  const key = stateKey.task(taskId);
  const state = states.get<TaskState>(key);
  if (!state) return;
  const text = message.parts.find((part) => part.type === 'text' && part.visibility === 'public');
  const last_text = text?.type === 'text' ? text.text.slice(0, SUMMARY_CHARS) : state.internal.last_text;
  const said = [...state.internal.said, message.id].slice(-MESSAGES_SHOWN);
  const internal = { ...state.internal, said, last_text, status_at: time };
  states.set(key, { ...state, internal } satisfies TaskState);
}
