import { keysOfAll } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { nextTurn } from '#core/next-turn.ts';
import type { Query, QueryTools } from '#core/query.ts';
import type { Event } from '#eventlog/event-log.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { conceal, holdsScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { artifactIn, assetIn } from '#resources/artifact/artifact-in.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import type { Message } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import type { Session } from '../schema.ts';
import { type CleanSessionFold, type CleanTurnState, sessionKeys } from '../state.ts';
import { messageEventOf, systemPromptEvent, transcriptEventOf } from './event-layer.ts';
import { transcriptAsset, transcriptHead, transcriptMessage } from './transcript.ts';
import { turnAt } from './turns.ts';

/** Items read and sent at once: what a transcript of any length costs in memory. */
const PAGE = 32;
/** Sessions a fork looks back through for the artifacts of its turns. */
const MAX_ANCESTORS = 64;

/**
 * The whole value, streamed. It ends with the event that was newest when reading began. A compaction or truncation meanwhile
 * ends the answer early, and the caller reads again.
 */
export const getSessionTranscript: Query<'getSessionTranscript'> = ({ path }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id);
  return { status: 200, body: { kind: 'json_stream', chunks: bytesOf(session, tools) } };
};

async function* bytesOf(session: CleanSessionFold, tools: QueryTools): AsyncGenerator<Buffer, void> {
  const seesInternal = holdsScope(tools.caller, 'internal:read');
  const { resource, internal } = session;
  const head = conceal(transcriptHead(resource, internal.messages, internal.archive), seesInternal);
  const reading = { session, tools, seesInternal };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"messages":[`);
  yield* joined(messagesOf(reading));
  yield Buffer.from('],"events":[');
  yield* joined(eventsOf(reading));
  yield Buffer.from('],"assets":[');
  yield* joined(assetsOf(reading));
  yield Buffer.from(']}');
}

interface Reading {
  session: CleanSessionFold;
  tools: QueryTools;
  seesInternal: boolean;
}

/** Pages of items as pieces of one JSON array. */
async function* joined(pages: AsyncIterable<readonly object[]>): AsyncGenerator<Buffer, void> {
  let isFirst = true;
  for await (const page of pages) {
    const text = page.map((item) => JSON.stringify(item)).join(',');
    if (text === '') continue;
    yield Buffer.from(isFirst ? text : `,${text}`);
    isFirst = false;
  }
}

async function* messagesOf({ session, tools, seesInternal }: Reading): AsyncGenerator<object[], void> {
  const { archive } = session.internal;
  const shown = (message: Message | undefined, position: number) =>
    message === undefined ? [] : [transcriptMessage(conceal(message, seesInternal), position)];
  yield (archive?.kept ?? []).flatMap(({ message_id, position }) =>
    shown(messageOf(tools, message_id), position),
  );
  for await (const turns of turnsOf(session, tools))
    yield turns.flatMap(({ turn, position }) => shown(messageOf(tools, turn.message_id), position));
}

/** Turns that are not archived, page by page. */
async function* turnsOf(
  session: CleanSessionFold,
  tools: QueryTools,
): AsyncGenerator<{ turn: CleanTurnState; position: number }[], void> {
  const { resource, internal } = session;
  for (let from = internal.archive?.turns ?? 0; from < internal.messages; from += PAGE) {
    await nextTurn();
    refuseChanged(session, tools);
    const positions = Array.from({ length: Math.min(PAGE, internal.messages - from) }, (_, at) => from + at);
    yield positions.flatMap((position) => {
      const turn = turnAt(tools.reader, resource.id, position);
      return turn === undefined ? [] : [{ turn, position }];
    });
  }
}

function refuseChanged({ resource, internal }: CleanSessionFold, { reader }: QueryTools): void {
  const now = reader.get<CleanSessionFold>(sessionKeys.session(resource.id))?.internal;
  if (now?.epoch === internal.epoch && now.archive?.turns === internal.archive?.turns) return;
  throw new ProtocolError('conflict', 'The transcript was truncated or compacted meanwhile. Read it again.');
}

async function* eventsOf(reading: Reading): AsyncGenerator<object[], void> {
  const { session, tools, seesInternal } = reading;
  const { workspace_id } = session.resource;
  const nameOf = (id: string) => artifactIn(tools.reader, workspace_id, id)?.internal.name ?? id;
  const leading = systemPromptEvent(session.resource.metadata, seesInternal);
  if (leading !== undefined) yield [leading];
  yield* copiedTurns(reading, nameOf);
  const scope = { kind: 'session', id: session.resource.id } as const;
  const through = session.internal.archive?.through_event_id ?? NO_EVENT;
  const last = session.resource.last_event_id ?? NO_EVENT;
  // Behind what retention removed, the stream begins with what is left.
  let after = through !== NO_EVENT && tools.log.holds(scope, through) ? through : NO_EVENT;
  for (let size = PAGE; size === PAGE && after < last; ) {
    const page = await tools.log.range(scope, after, PAGE);
    const events = page.map((bytes) => JSON.parse(bytes.toString()) as Event);
    const shown = events.filter(({ id }) => id > through && id <= last);
    yield shown.map((event) => transcriptEventOf(conceal(event, seesInternal), nameOf, seesInternal));
    size = page.length;
    after = events.at(-1)?.id ?? last;
  }
}

/** Turns that a fork brought along happened in another Session; their messages are history here too. */
async function* copiedTurns(
  { session, tools, seesInternal }: Reading,
  nameOf: (id: string) => string,
): AsyncGenerator<object[], void> {
  const first = turnAt(tools.reader, session.resource.id, session.internal.archive?.turns ?? 0);
  if (first?.events !== 0) return;
  for await (const turns of turnsOf(session, tools)) {
    const copied = turns.filter(({ turn }) => turn.events === 0);
    yield copied.flatMap(({ turn: { message_id, event_id } }) => {
      const message = messageOf(tools, message_id);
      if (message === undefined) return [];
      const head = { event_id, event: 'session.message_appended', created_at: message.created_at };
      return [messageEventOf(conceal(message, seesInternal), head, nameOf)];
    });
    if (copied.length < turns.length) return;
  }
}

/** Artifacts of the Session, of those it was forked from up to then, and what its turns refer to. */
async function* assetsOf({ session, tools, seesInternal }: Reading): AsyncGenerator<object[], void> {
  const { reader, log } = tools;
  const prefixes: string[] = [];
  let next: CleanSessionFold | undefined = session;
  for (let depth = 0; next !== undefined && depth < MAX_ANCESTORS; depth += 1) {
    const { id, parent_session_id }: Session = next.resource;
    prefixes.push(artifactKeys.artifactsOfSession(id), artifactKeys.assetsOfSession(id));
    next =
      parent_session_id === null
        ? undefined
        : reader.get<CleanSessionFold>(sessionKeys.session(parent_session_id));
  }
  for await (const ids of keysOfAll(log, prefixes, PAGE)) {
    yield ids.flatMap((id) => {
      const state = assetIn(reader, session.resource.workspace_id, id);
      if (state === undefined || !belongsTo(state, session)) return [];
      return [conceal(transcriptAsset(state), seesInternal)];
    });
  }
}

/** What a session that it was forked from made later is no part of it. */
function belongsTo(
  { resource: { session_id, created_at } }: CleanArtifactState,
  { resource }: CleanSessionFold,
): boolean {
  return session_id === resource.id || session_id === null || created_at <= resource.created_at;
}

function messageOf({ reader }: QueryTools, id: string): Message | undefined {
  return reader.get<CleanMessageState>(messageKeys.message(id))?.resource;
}
