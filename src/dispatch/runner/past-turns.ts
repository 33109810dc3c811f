import type { StateReader } from '../../eventlog/event-log.ts';
import { stateKey } from '../../projections/state-keys.ts';
import type { MessageState, SessionFold, TaskState, TurnState } from '../../projections/states.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { PastTurn } from '../../upstream.ts';

/** Newest turns that are told to an agent that has lost its session; older ones are not. */
const MAX_TURNS = 200;

/** The public text of the transcript before the task's next message, oldest first. */
export function historyBefore(reader: StateReader, { resource, internal }: TaskState): PastTurn[] {
  const session = reader.get<SessionFold>(stateKey.session(resource.session_id));
  const messages = messagesOf(reader, resource.session_id, session?.internal.messages ?? 0);
  const sent = new Set([...internal.preceding, internal.turn_message]);
  const first = messages.findIndex(({ id }) => sent.has(id));
  const before = first < 0 ? messages : messages.slice(0, first);
  return before.flatMap((message) => {
    const text = textOf(message);
    return text === '' ? [] : [{ role: message.role, text }];
  });
}

function messagesOf(reader: StateReader, sessionId: string, count: number): Message[] {
  const found: Message[] = [];
  for (let position = Math.max(0, count - MAX_TURNS); position < count; position += 1) {
    const turn = reader.get<TurnState>(stateKey.turn(sessionId, position));
    const message = turn && reader.get<MessageState>(stateKey.message(turn.message_id))?.resource;
    if (message) found.push(message);
  }
  return found;
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.visibility === 'public' ? [part.text] : []))
    .join('\n');
}
