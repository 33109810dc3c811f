import type { StateReader } from '#eventlog/event-log.ts';
import { jsonSize } from '#json/large-json.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { INLINED_FROM } from '#resources/artifact/large-content.ts';
import type { Message } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { CleanSessionFold } from '../state.ts';
import { extractSummary, QUOTED_FIRST, QUOTED_LAST } from './extract.ts';
import type { TranscriptArchive } from './schema.ts';
import { turnAt } from './turns.ts';

/** Recent turns with images or files that stay in the messages layer although they are archived. */
export const KEPT_MULTIMODAL = 8;
/** Turns that are looked at, from the newest archived one back, to find them. */
const LOOKED_AT = 1_000;

export interface Summary {
  text: CleanText | null;
  source: TranscriptArchive['summary_source'];
}

/** Where the transcript begins that is not archived. */
export function firstLiveTurn({ internal }: CleanSessionFold): number {
  return internal.archive?.turns ?? 0;
}

/**
 * The last boundary up to `wanted` behind which everything lies that is still to be sent: messages that wait for a Task, and
 * those of Tasks that have not given them to their agent.
 */
export function boundaryUpTo(reader: StateReader, session: CleanSessionFold, wanted: number): number {
  const places = [...unsentOf(reader, session)].flatMap((id) => positionOf(reader, session, id) ?? []);
  return Math.max(firstLiveTurn(session), Math.min(wanted, session.internal.messages, ...places));
}

/** The place of a message among the turns that are not archived. Ids are drawn in the order of the turns. */
function positionOf(reader: StateReader, session: CleanSessionFold, id: string): number | undefined {
  let low = firstLiveTurn(session);
  let high = session.internal.messages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((turnAt(reader, session.resource.id, middle)?.message_id ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return turnAt(reader, session.resource.id, low)?.message_id === id ? low : undefined;
}

function unsentOf(reader: StateReader, { internal }: CleanSessionFold): Set<string> {
  const unsent = new Set(internal.pending);
  for (const id of internal.open_tasks) {
    const task = reader.get<CleanTaskState>(taskKeys.task(id));
    if (task?.resource.status !== 'SUBMITTED' && task?.resource.status !== 'WORKING') continue;
    for (const messageId of [...task.internal.preceding, task.internal.turn_message]) unsent.add(messageId);
  }
  return unsent;
}

/** Everything before `to` as archived, with this summary. */
export function archiveUpTo(
  reader: StateReader,
  session: CleanSessionFold,
  to: number,
  summary: Summary,
  keep = KEPT_MULTIMODAL,
): Clean<TranscriptArchive> {
  const before = session.internal.archive;
  const last = turnAt(reader, session.resource.id, to - 1);
  const kept = keptOf(reader, session, to, keep);
  const keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const copied = last?.events === 0;
  return {
    turns: to,
    first_message_id: before?.first_message_id ?? turnAt(reader, session.resource.id, 0)?.message_id ?? null,
    last_message_id: last?.message_id ?? null,
    through_event_id: copied ? (before?.through_event_id ?? null) : (last?.event_id ?? null),
    summary: summary.text,
    summary_source: summary.source,
    kept: kept.map(({ message_id, position }) => ({ message_id, position })),
    counted: {
      events: last?.events ?? 0,
      bytes: Math.max(0, (last?.bytes ?? 0) - keptBytes - (summary.text?.length ?? 0)),
    },
  };
}

/** What a model would have summarised, quoted instead: the same turns give the same text. */
export function extractOf(reader: StateReader, session: CleanSessionFold, to: number): string {
  const from = firstLiveTurn(session);
  const firstEnd = Math.min(to, from + QUOTED_FIRST);
  const lastStart = Math.max(firstEnd, to - QUOTED_LAST);
  return extractSummary({
    earlier: session.internal.archive?.summary ?? null,
    first: messagesIn(reader, session, from, firstEnd),
    between: lastStart - firstEnd,
    last: messagesIn(reader, session, lastStart, to),
  });
}

interface Kept {
  message_id: CleanText;
  position: number;
  bytes: number;
}

/** The newest turns with images or files among those before `to`, those kept so far included, oldest first. */
function keptOf(reader: StateReader, session: CleanSessionFold, to: number, most: number): Kept[] {
  const found: Kept[] = [];
  const from = Math.max(firstLiveTurn(session), to - LOOKED_AT);
  for (let at = to - 1; at >= from && found.length < most; at -= 1) {
    const message = messageAt(reader, session, at);
    if (message && isMultimodal(message)) found.unshift(kept(message, at));
  }
  const before = (session.internal.archive?.kept ?? []).flatMap(({ message_id, position }) => {
    const message = reader.get<CleanMessageState>(messageKeys.message(message_id))?.resource;
    return message === undefined ? [] : [kept(message, position)];
  });
  return most === 0 ? [] : [...before, ...found].slice(-most);
}

function kept({ id, parts }: Clean<Message>, position: number): Kept {
  return { message_id: id, position, bytes: jsonSize(parts) };
}

/** A reference that the gateway put in the place of long text is text. */
function isMultimodal({ parts }: Message): boolean {
  return parts.some(({ type, metadata }) => {
    if (type === 'artifact_ref') return metadata?.[INLINED_FROM] === undefined;
    return type === 'image_ref' || type === 'file_ref';
  });
}

function messagesIn(reader: StateReader, session: CleanSessionFold, from: number, to: number): Message[] {
  return Array.from({ length: to - from }, (_, at) => messageAt(reader, session, from + at)).filter(
    (message) => message !== undefined,
  );
}

export function messageAt(
  reader: StateReader,
  session: CleanSessionFold,
  position: number,
): Clean<Message> | undefined {
  const turn = turnAt(reader, session.resource.id, position);
  return turn && reader.get<CleanMessageState>(messageKeys.message(turn.message_id))?.resource;
}
