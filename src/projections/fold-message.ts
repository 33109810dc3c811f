import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { Message } from '../protocol/resources/message.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { MessageState, TaskState, UpstreamMessageState } from './states.ts';

/** Longest piece of agent text kept for the summary of an Outcome, in characters. */
const SUMMARY_CHARS = 280;

export function foldUserMessage(event: Event, states: StateWriter): void {
  putMessage(payload(event, 'user.message').message, states);
}

export function foldAgentMessage(event: Event, states: StateWriter): void {
  const { message, upstream_message_id } = payload(event, 'agent.message');
  putMessage(message, states);
  if (event.task_id === null) return;
  if (upstream_message_id !== undefined) {
    const key = stateKey.upstreamMessage(event.task_id, upstream_message_id);
    states.set(key, { message_id: message.id } satisfies UpstreamMessageState);
  }
  rememberText(event.task_id, message, states);
}

export function foldInlinedMessage(event: Event, states: StateWriter): void {
  const { message } = payload(event, 'session.message_appended');
  if (message) putMessage(message, states);
}

function putMessage(message: Message, states: StateWriter): void {
  states.set(stateKey.message(message.id), { resource: message, internal: {} } satisfies MessageState);
  if (message.task_id) states.index(listPrefix.messagesOfTask(message.task_id) + message.id);
}

function rememberText(taskId: string, message: Message, states: StateWriter): void {
  const text = message.parts.find((part) => part.type === 'text' && part.visibility === 'public');
  const key = stateKey.task(taskId);
  const state = states.get<TaskState>(key);
  if (!state || text?.type !== 'text') return;
  const internal = { ...state.internal, last_text: text.text.slice(0, SUMMARY_CHARS) };
  states.set(key, { ...state, internal } satisfies TaskState);
}
