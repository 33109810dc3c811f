import type { StateReader } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import type { PastTurn } from '#protocol-client.ts';
import type { Message } from '#resources/message/schema.ts';
import type { MessageState, SessionFold, TaskState } from '#resources/read-states.ts';
import { messageAt } from '#resources/session/transcript/archive-turns.ts';
import { stateKey } from '#resources/state-keys.ts';

/** Newest turns that are given to an agent that has lost its session; older ones are not. */
const MAX_TURNS = 200;

/**
 * The public text of the transcript before the task's next message, oldest first. Turns that were archived are given by their
 * summary, and by those with images or files that stayed.
 */
export function historyBefore(reader: StateReader, { resource, internal }: TaskState): PastTurn[] {
  const session = reader.get<SessionFold>(stateKey.session(resource.session_id));
  if (session === undefined) return [];
  const messages = messagesOf(reader, session);
  const sent = new Set<string>([...internal.preceding, internal.turn_message]);
  const first = messages.findIndex(({ id }) => sent.has(id));
  const before = first < 0 ? messages : messages.slice(0, first);
  const turns = before.flatMap((message) => {
    const text = textOf(message);
    return text === '' ? [] : [{ role: message.role, text }];
  });
  const summary = session.internal.archive?.summary ?? null;
  return summary === null ? turns : [{ role: 'system', text: summary }, ...turns];
}

function messagesOf(reader: StateReader, session: SessionFold): Clean<Message>[] {
  const { messages: count, archive } = session.internal;
  const kept = (archive?.kept ?? []).map(
    ({ message_id }) => reader.get<MessageState>(stateKey.message(message_id))?.resource,
  );
  const found: (Clean<Message> | undefined)[] = kept;
  const from = Math.max(archive?.turns ?? 0, count - MAX_TURNS);
  for (let position = from; position < count; position += 1) found.push(messageAt(reader, session, position));
  return found.filter((message) => message !== undefined);
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.visibility === 'public' ? [part.text] : []))
    .join('\n');
}
