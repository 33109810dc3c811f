import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { jsonSize } from '#json/large-json.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { artifactKeys } from '#resources/artifact/state.ts';
import { liveClientKeys } from '#resources/live-client/state.ts';
import { putMessage } from '#resources/message/fold.ts';
import { artifactIdsOf } from '#resources/message/schema.ts';
import { type MessageState, messageKeys } from '#resources/message/state.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { foldRulesOfClosed } from '#resources/permission-rule/fold.ts';
import type { Session, SessionState } from './schema.ts';
import {
  type KeyedSessionState,
  type SessionBindingState,
  type SessionFold,
  sessionKeys,
  type TaskBlockState,
} from './state.ts';
import type { TranscriptArchive } from './transcript/schema.ts';
import { copyTurns, cutTurns, putTurn, turnAt } from './transcript/turns.ts';

export const folds: Folds = {
  'session.created': [foldSessionCreated],
  'session.closed': [foldSessionClosed, foldRulesOfClosed],
  'vendor.harn_gateway.session_updated': [foldSessionUpdated],
  'session.message_appended': [foldMessageAppended],
  'vendor.harn_gateway.agent_update': [foldAgentUpdate],
  'session.truncated': [foldSessionTruncated],
  'session.compacted': [foldSessionCompacted],
  'vendor.harn_gateway.transcript_budget': [foldTranscriptBudget],
};

function foldSessionCreated(event: Event, states: StateWriter): void {
  const { session, forked, key, memory_ids, skill_ids, vault_ids } = payload(event, 'session.created');
  const messages = forked?.turn_count ?? 0;
  const internal = {
    open_tasks: [],
    working: 0,
    blocked: 0,
    messages,
    epoch: 0,
    pending: [],
    ...(memory_ids ? { memory_ids } : {}),
    ...(skill_ids ? { skill_ids } : {}),
    ...(vault_ids ? { vault_ids } : {}),
    ...(forked ? bytesOf(copyTurns(states, forked.session_id, session.id, messages)) : {}),
    ...(forked?.archive ? { archive: forked.archive } : {}),
  };
  // What held then; what holds now is read off the rest.
  const { mode_id: _, ...resource } = session;
  states.set(sessionKeys.session(session.id), { resource, internal } satisfies SessionFold);
  states.index(sessionKeys.sessions(session.workspace_id) + session.id);
  if (key !== undefined && event.actor !== null) {
    const place = sessionKeys.keyedSession(session.workspace_id, event.actor, key);
    states.set(place, { session_id: session.id } satisfies KeyedSessionState);
  }
  if (session.expires_at) states.index(`${sessionKeys.expiringSessions}${session.expires_at}/${session.id}`);
}

/** The turns of a fork are the same Messages; what happens to one transcript later leaves the other alone. */
function bytesOf(last: { bytes: number } | undefined): { bytes?: number } {
  return last === undefined ? {} : { bytes: last.bytes };
}

function foldSessionClosed(event: Event, states: StateWriter): void {
  changeSession(event, states, (state) => {
    const { expires_at, id } = state.resource;
    if (expires_at) states.unindex(`${sessionKeys.expiringSessions}${expires_at}/${id}`);
    state.resource.state = 'CLOSED';
    if (state.internal.live !== undefined) clearLiveClients(states, state);
  });
}

/** Nobody works in a Session that ended. */
function clearLiveClients(states: StateWriter, { resource, internal }: SessionFold): void {
  resource.live_clients = [];
  resource.live_controller_id = null;
  internal.live = {};
  states.unindex(liveClientKeys.liveSessions + resource.id);
}

function foldSessionUpdated(event: Event, states: StateWriter): void {
  const { changes } = payload(event, 'vendor.harn_gateway.session_updated');
  changeSession(event, states, (state) => {
    const before = state.resource;
    state.resource = { ...before, ...changes };
    if (changes['model_policy'] === null) delete state.resource.model_policy;
    if (before.state !== 'CLOSED') moveExpiry(states, before, state.resource);
  });
}

/** The newest word of each kind about the Session is kept in its metadata, under the protocol it is spoken in. */
function foldAgentUpdate(event: Event, states: StateWriter): void {
  const { about, protocol, kind, update } = payload(event, 'vendor.harn_gateway.agent_update');
  if (about !== 'session') return;
  changeSession(event, states, ({ resource }) => {
    const { metadata } = resource;
    const after = { ...objectOf(metadata[protocol]), [kind]: update.body };
    resource.metadata = { ...metadata, [protocol]: after };
  });
}

function moveExpiry(states: StateWriter, before: Session, after: Session): void {
  if (before.expires_at === after.expires_at) return;
  if (before.expires_at) states.unindex(`${sessionKeys.expiringSessions}${before.expires_at}/${before.id}`);
  if (after.expires_at) states.index(`${sessionKeys.expiringSessions}${after.expires_at}/${after.id}`);
}

/** The position in the transcript is the event's; a pending message waits for the next task input. */
function foldMessageAppended(event: Event, states: StateWriter): void {
  const { message_id, position, pending, message, sealed } = payload(event, 'session.message_appended');
  if (message) putMessage(event, message, states, sealed ?? false);
  const parts = states.get<MessageState>(messageKeys.message(message_id))?.resource.parts ?? [];
  const assets = artifactKeys.assetsOfSession(event.resource.id);
  for (const id of artifactIdsOf(parts)) states.index(assets + id);
  changeSession(event, states, ({ resource, internal }) => {
    const bytes = (internal.bytes ?? 0) + jsonSize(parts);
    const events = (internal.events ?? 0) + 1;
    putTurn(states, event.resource.id, position, { message_id, event_id: event.id, events, bytes });
    resource.transcript = { ...resource.transcript, message_count: position + 1 };
    internal.messages = position + 1;
    internal.bytes = bytes;
    if (pending) internal.pending = [...internal.pending, message_id];
  });
}

/** Turns keep their places, so what was archived comes back whole when the transcript is cut inside of it. */
function foldSessionTruncated(event: Event, states: StateWriter): void {
  const { kept_turn_count: kept } = payload(event, 'session.truncated');
  changeSession(event, states, (state) => {
    const { archive, ...internal } = state.internal;
    const { id } = state.resource;
    const removed = cutTurns(states, id, kept, internal.messages);
    const pending = internal.pending.filter((messageId) => !removed.has(messageId));
    const bytes = kept === 0 ? 0 : turnAt(states, id, kept - 1)?.bytes;
    const transcript = { ...state.resource.transcript, message_count: kept };
    const rest = archive !== undefined && archive.turns <= kept ? archive : undefined;
    state.resource = withSummary({ ...state.resource, transcript }, archive, rest);
    state.internal = {
      ...internal,
      messages: kept,
      pending,
      epoch: internal.epoch + 1,
      ...(bytes === undefined ? {} : { bytes }),
      ...(rest === undefined ? {} : { archive: rest }),
    };
  });
}

export function foldSessionCompacted(event: Event, states: StateWriter): void {
  const { archive } = payload(event, 'session.compacted');
  changeSession(event, states, (state) => archiveIn(states, state, archive));
}

/** The Session says itself why its context became shorter. */
function foldTranscriptBudget(event: Event, states: StateWriter): void {
  const { action, reason, archive } = payload(event, 'vendor.harn_gateway.transcript_budget');
  changeSession(event, states, (state) => {
    if (archive !== undefined) archiveIn(states, state, archive);
    const { resource } = state;
    const policy = objectOf(resource.metadata['transcript_budget']);
    const last_action = { action, reason, at: event.created_at, event_id: event.id };
    resource.metadata = { ...resource.metadata, transcript_budget: { ...policy, last_action } };
  });
}

/** The boundary among the events is where the last archived turn stands here: imported events have ids of their own. */
function archiveIn(states: StateWriter, state: SessionFold, recorded: TranscriptArchive): void {
  const { resource, internal } = state;
  const last = turnAt(states, resource.id, recorded.turns - 1);
  const through_event_id =
    recorded.through_event_id === null ? null : (last?.event_id ?? recorded.through_event_id);
  const archive = { ...recorded, through_event_id };
  state.resource = withSummary(resource, internal.archive, archive);
  internal.archive = archive;
}

/** A summary that somebody wrote into the Session stays; one that an earlier compaction put there is replaced. */
function withSummary(
  session: Session,
  before: TranscriptArchive | undefined,
  after: TranscriptArchive | undefined,
): Session {
  if (before === after) return session;
  const isOurs = session.summary === null || session.summary === (before?.summary ?? null);
  const summary = isOurs || after?.summary_source === 'caller' ? (after?.summary ?? null) : session.summary;
  const { archived_turn_count: _, ...transcript } = session.transcript;
  const count = after === undefined ? {} : { archived_turn_count: after.turns };
  return { ...session, summary, transcript: { ...transcript, ...count } };
}

/** Keeps the counts that decide the Session state when a task enters (`before` undefined), moves or ends. */
export function foldTaskCounts(
  event: Event,
  states: StateWriter,
  before: TaskCount | undefined,
  after: TaskCount | undefined,
): void {
  changeSession(event, states, (state) => {
    const { resource, internal } = state;
    if (before === undefined) addSessionTask(states, state, event.resource.id);
    const taskId = event.resource.id;
    if (before === undefined) internal.open_tasks = [...internal.open_tasks, taskId];
    else if (after === undefined) internal.open_tasks = internal.open_tasks.filter((id) => id !== taskId);
    internal.working += Number(after === 'working') - Number(before === 'working');
    internal.blocked += Number(after === 'blocked') - Number(before === 'blocked');
    // A new task is sent what waits for the next input; a replay sends nothing.
    if (before === undefined && payload(event, 'task.submitted').replay === undefined) internal.pending = [];
    resource.state = stateOf(resource.state, internal);
  });
}

export type TaskCount = 'queued' | 'working' | 'blocked';

/** ACTIVE: a task runs; PAUSED: every open task is blocked; IDLE otherwise; see README.md, States. */
function stateOf(current: SessionState, counts: { open_tasks: string[]; blocked: number }): SessionState {
  if (current === 'CLOSED' || current === 'FAILED') return current;
  if (counts.open_tasks.length === 0) return 'IDLE';
  return counts.open_tasks.length === counts.blocked ? 'PAUSED' : 'ACTIVE';
}

/**
 * Changes the Session of an event in place. Every event moves its `last_event_id` and counts once, whatever else it changes.
 * Source: Agents Protocol v1, "Session".
 */
export function changeSession(
  event: Event,
  states: StateWriter,
  change?: (state: SessionFold) => void,
): void {
  if (event.session_id === null) return;
  const state = states.draft<SessionFold>(sessionKeys.session(event.session_id));
  if (!state) return;
  const isCounted = state.resource.last_event_id === event.id;
  change?.(state);
  const { resource, internal } = state;
  resource.last_event_id = event.id;
  resource.updated_at = event.created_at;
  if (!isCounted) internal.events = (internal.events ?? 0) + 1;
}

/** Tasks that share a row. */
const TASKS_IN_BLOCK = 16;

/**
 * Lists a Task in its Session: in blocks in the order of the ids, which is that of submission. An id that is not behind all
 * others has a row of its own: a replay gets one that follows from its source.
 */
export function addSessionTask(
  states: StateWriter,
  { resource, internal }: SessionFold,
  taskId: string,
): void {
  const count = internal.tasks ?? 0;
  const newest = taskAt(states, resource.id, count - 1);
  if (newest !== undefined && newest >= taskId) {
    states.index(sessionKeys.oddTasksOfSession(resource.id) + taskId);
    return;
  }
  const key = keyOf(resource.id, count);
  // The first of a block has nothing before it to read.
  const before = count % TASKS_IN_BLOCK === 0 ? undefined : states.get<TaskBlockState>(key);
  const tasks = [...(before?.tasks ?? []), taskId];
  states.set(key, { tasks } satisfies TaskBlockState);
  internal.tasks = count + 1;
}

/** How many of the listed Tasks, the oldest first, have an id before this one. */
export function tasksBefore(reader: StateReader, session: SessionFold, id: string): number {
  let low = 0;
  for (let high = session.internal.tasks ?? 0; low < high; ) {
    const middle = (low + high) >> 1;
    if ((taskAt(reader, session.resource.id, middle) ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The listed Task at a place from 0. */
export function taskAt(reader: StateReader, sessionId: string, place: number): string | undefined {
  if (place < 0) return undefined;
  return reader.get<TaskBlockState>(keyOf(sessionId, place))?.tasks[place % TASKS_IN_BLOCK];
}

function keyOf(sessionId: string, place: number): string {
  return sessionKeys.tasks(sessionId, Math.floor(place / TASKS_IN_BLOCK));
}

/** What an upstream bound to a Session, unless the transcript was truncated since: then it knows another one. */
export function sessionBinding(
  reader: StateReader,
  sessionId: string,
  route: string,
): JsonObject | undefined {
  const bound = reader.get<SessionBindingState>(sessionKeys.sessionBinding(sessionId, route));
  const epoch = reader.get<SessionFold>(sessionKeys.session(sessionId))?.internal.epoch;
  return bound && bound.epoch === epoch ? bound.binding : undefined;
}

/** What stands for a session that retention removed whole: no fold, but a record of its own. */
export interface Tombstone {
  session_id: string;
  workspace_id: string;
  created_at: string;
  /** Of its last event. */
  closed_at: string;
  removed_at: string;
  last_event_id: string | null;
  tasks: number;
  /** Places in the receipt log of the receipts that went; their leaves have the hashes. */
  receipts: number[];
  /** Hash of the newest receipt of its chain, `sha256:` and hex; null for none. */
  receipt_chain_head: string | null;
  /** Set where an erasure removed it. */
  erasure_id?: string;
}

/** What stands for receipts that went from the middle of chains. */
export interface PartTombstone extends Pick<Tombstone, 'receipts'> {
  erasure_id: string;
  /** Their places in the receipt log, and the Sessions in whose chains they are links. */
  links: { log_index: number; session_id: string }[];
}
