import type { Clean } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { LiveClientHolder } from '#resources/live-client/events.ts';
import { blockKey, type Folded, foreign, idKey, idList, idTextKey } from '#resources/states.ts';
import type { Session } from './schema.ts';
import type { TranscriptArchive } from './transcript/schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const sessionKeys = {
  session: idKey<CleanSessionFold>('r/session/'),
  tasks: blockKey('x/tasks/'),
  turns: blockKey('x/turns/'),
  keyedSession: (workspaceId: string, actor: string, key: string) =>
    `x/ks/${workspaceId}/${foreign(JSON.stringify([actor, key]))}`,
  /** By session and route. */
  sessionBinding: idTextKey('x/sb/'),
  /** By workspace. */
  sessions: idList('l/session/'),
  /** Sessions that have an `expires_at`, ordered by it. */
  expiringSessions: 'l/session-expiry/',
  /** Tasks whose ids are not in the order in which the session got them; the others are listed in blocks. */
  oddTasksOfSession: idList('l/task/s/'),
} as const;

export type SessionFold = Folded<
  Session,
  {
    /** Tasks that have not ended, oldest first; the queue limits bound their number. */
    open_tasks: string[];
    /** Tasks in WORKING. */
    working: number;
    /** Tasks waiting for input or authorization. */
    blocked: number;
    messages: number;
    /** Tasks that are listed in blocks; absent while there is none. */
    tasks?: number;
    /** Truncations so far: what a remote agent remembers of an earlier epoch is not this transcript. */
    epoch: number;
    /** Messages appended outside a task; they precede the next input. */
    pending: string[];
    /** The Memories it was given, where it was given any. */
    memory_ids?: string[];
    /** The only Skills that its tasks may use, where it lists any. */
    skill_ids?: string[];
    /** The only Vaults that its tasks may draw from, where it lists any. */
    vault_ids?: string[];
    /** Events so far. */
    events?: number;
    /** Bytes of the parts of all turns, as JSON. */
    bytes?: number;
    /** What compaction took out of the transcript. */
    archive?: TranscriptArchive;
    /** Whose its live clients are, by their ids; absent while nobody attached. */
    live?: Readonly<Record<string, LiveClientHolder>>;
    /** Set for one that was restored from a bundle: the Workspace and tenant it was recorded in. */
    imported?: { workspace_id: string; tenant_id: string | null };
  }
>;

/** The session that an actor knows by a key of its own. */
export interface KeyedSessionState {
  session_id: string;
}

/** What an upstream bound to a Session (remote context id). */
export interface SessionBindingState {
  binding: JsonObject;
  /** The transcript the remote context knows; a truncation begins another one. */
  epoch: number;
}

/** One turn of a transcript: the Message at a position, and the event that put it there. */
export interface TurnState {
  message_id: string;
  event_id: string;
  /** Events of the Session up to this turn; 0 for one that a fork copied. */
  events: number;
  /** Bytes of the parts of all turns up to this one. */
  bytes: number;
}

/** A turn as it is stored: the members of TurnState in their order, the event id without its leading zeros. */
export type TurnEntry = readonly [message_id: string, event: string, events: number, bytes: number];

/** Ids of some Tasks of a Session that follow each other. */
export interface TaskBlockState {
  tasks: string[];
}

/** Some turns that follow each other; null for one that is not here. */
export interface TurnBlockState {
  turns: (TurnEntry | null)[];
}

/** As they are read: what was folded of clean events is clean. */
export type CleanSessionFold = Clean<SessionFold>;
export type CleanKeyedSessionState = Clean<KeyedSessionState>;
export type CleanTurnState = Clean<TurnState>;
