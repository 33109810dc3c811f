import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { addRunFact } from '#resources/task/fold-run.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import type { Message } from './schema.ts';
import { type MessageState, messageKeys, type SaidMessage, type UpstreamMessageState } from './state.ts';

export const folds: Folds = {
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
  states.set(messageKeys.message(message.id), state);
}

/** The task keeps what its Outcome will show: the newest messages and the start of the newest text. */
function remember(
  taskId: string,
  message: Message,
  upstreamId: string | undefined,
  time: string,
  states: StateWriter,
): void {
  const state = states.draft<TaskState>(taskKeys.task(taskId));
  if (!state) return;
  const { internal } = state;
  internal.said = withSaid(states, state, message.id, upstreamId);
  internal.status_at = time;
  const text = message.parts.find((part) => part.type === 'text' && part.visibility === 'public');
  if (text?.type === 'text') internal.last_text = text.text.slice(0, SUMMARY_CHARS);
}

/** Messages an Outcome shows; the transcript has the rest. */
const MESSAGES_SHOWN = 50;
/** Newest Messages that the Task keeps the agent's ids of. Those of older ones are states of their own, so that a Task stays small. */
const IDS_KEPT = 16;

export function idOfSaid(said: SaidMessage): string {
  return typeof said === 'string' ? said : said[0];
}

/** What the agent of a Task said, with one more; the agent's id of the one that became too old moves to a state of its own. */
export function withSaid(
  states: StateWriter,
  { resource, internal }: TaskState,
  id: string,
  upstreamId: string | undefined,
): SaidMessage[] {
  const said = [...internal.said, upstreamId === undefined ? id : ([id, upstreamId] as const)];
  const at = said.length - 1 - IDS_KEPT;
  const old = said[at];
  if (typeof old === 'object') {
    const [message_id, oldId] = old;
    states.set(messageKeys.upstreamMessage(resource.id, oldId), {
      message_id,
    } satisfies UpstreamMessageState);
    said[at] = message_id;
  }
  return said.slice(-MESSAGES_SHOWN);
}

/** Id of the newest Message that the agent of a Task said under an id of its own. */
export function saidUnder(reader: StateReader, task: TaskState, upstreamId: string): string | undefined {
  const { said } = task.internal;
  for (let at = said.length - 1; at >= 0 && at >= said.length - IDS_KEPT; at -= 1) {
    const message = said[at];
    if (typeof message === 'object' && message[1] === upstreamId) return message[0];
  }
  if (said.length <= IDS_KEPT) return undefined;
  return reader.get<UpstreamMessageState>(messageKeys.upstreamMessage(task.resource.id, upstreamId))
    ?.message_id;
}
