import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame } from '#protocol-client.ts';
import type { RememberedAnswer } from '#resources/permission/draft.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import type { HostMethod } from '../../../mappings/acp/host-methods.ts';
import type { UpdateRow } from '../../../mappings/acp/update-kinds.ts';

/**
 * What is recorded of a turn: messages of the agent as they came, before anything is read from them, and what the driver knows
 * besides. Interpretation needs nothing else, so that a replay gives the same moves.
 */
export type AcpRecord =
  /** Which session of the agent the turn runs in, and how it was come by. */
  | {
      op: 'session';
      how: 'new' | 'loaded' | 'resumed' | 'open';
      session_id: string;
      /** Its answer, where it was asked. */
      result?: JsonValue;
      /** Updates that repeated what the log has. */
      replayed_updates?: number;
      /** Earlier turns that were sent again, because the agent does not know them. */
      history?: { turns: number; chars: number };
      /** Names of the MCP servers of the editor that it got, or that it could not be given. */
      mcp_servers?: string[];
      unused_mcp_servers?: string[];
      /** Those that came while its session was open, which the agent does not take up again. */
      late_mcp_servers?: string[];
      /** Directories that the client named, and that the agent does not work in. */
      unused_directories?: string[];
      /** What the agent offered, and refused, before it took its own session up another way. */
      refused_ways?: { method: string; error: JsonValue }[];
      /** Why its own session could not be taken up. */
      lost?: JsonValue;
    }
  | {
      op: 'update';
      message: JsonObject;
      tool?: ToolFacts;
      between_turns?: true;
      /** What it lost, where readers disagree about the text that came. */
      mended?: JsonMend[];
    }
  /** A message whose pieces are complete. */
  | { op: 'said'; voice: NonNullable<UpdateRow['voice']>; id?: string; blocks: JsonValue[] }
  /** The agent waits for an answer; `key` is the gateway's name of the request. */
  | {
      op: 'asked';
      key: string;
      message: JsonObject;
      /** The tool call it is about. */
      tool?: ToolFacts;
      /** The policy lets an answer for good be remembered. */
      remembers?: true;
      /** The answer that is, and that the agent gets. Only in runs that were recorded before rules answered. */
      remembered?: RememberedAnswer;
    }
  | { op: 'withdrawn'; key: string }
  /** The agent asks for a file or a terminal of its client's machine; the client is asked when this is recorded. */
  | {
      op: 'host_asked';
      key: string;
      message: JsonObject;
      /** What keeps it back: somebody is asked first, or it is not done. */
      decided?: PolicyDecided;
    }
  /** What the client answered. */
  | {
      op: 'host_answered';
      key: string;
      method: HostMethod;
      result?: JsonValue;
      error?: JsonValue;
      /** The call that this ends, by the key it was asked under. */
      ends?: string;
      /** The file that was written: its path, bytes of its content and their SHA-256 in lower-case hex. */
      wrote?: { path: string; bytes: number; sha256: string };
    }
  /** A request that the gateway does not serve; the agent got an error. */
  | { op: 'refused'; message: JsonObject }
  /** The end of the turn: result or error of `session/prompt`, and how to log in where that is what it wants. */
  | {
      op: 'answer';
      result?: JsonValue;
      error?: JsonValue;
      auth_methods?: string[];
      superseded?: true;
      denied_calls?: DeniedCall[];
      /** About how often the agent asked its model in the turn: once, and once for each tool call. */
      model_calls?: number;
    }
  /** What a client chose and the agent refuses has changed. */
  | {
      op: 'options_refused';
      /** What is refused now. */
      options: RefusedOption[];
      /** Names of those that were not reported yet. */
      news: string[];
    }
  /** What became of the model that the Session wishes for. */
  | {
      op: 'model_policy';
      provider: string;
      model: string;
      /** Options that the agent was told, by name; those that it refused are not among them. */
      told: Record<string, string>;
      /** Members of the wish that it does not offer, or refuses, or that its client chose otherwise. */
      unmet: string[];
    }
  /** Inputs of the Session that the agent was told, by their names; their values are in no record. */
  | {
      op: 'inputs';
      names: string[];
      /** `unknown`: it has no such method. `later`: they are for its environment, and it cannot be started again now. */
      outcome: 'taken' | 'unknown' | 'refused' | 'later';
      code?: number;
      message?: string;
    }
  /** The agent says more while no prompt runs than is kept of it; what follows is lost. */
  | { op: 'unheard'; max_updates: number; max_bytes: number }
  /** The task was cancelled before its prompt was sent: the agent has heard nothing of it. */
  | { op: 'unsent' };

/** A mode or an option that a client chose and the agent refused, in its words. */
export interface RefusedOption {
  name: string;
  value: JsonValue;
  code: number;
  message: string;
}

/** The record of how the session of a turn was come by. */
export type SessionRecord = Extract<AcpRecord, { op: 'session' }>;

/** The record of what became of the inputs that an agent was to have. */
export type InputsRecord = Extract<AcpRecord, { op: 'inputs' }>;

/** The record of an update. */
export function updateRecord(message: JsonObject, mended: JsonMend[]): Extract<AcpRecord, { op: 'update' }> {
  return { op: 'update', message, ...(mended.length === 0 ? {} : { mended }) };
}

/** What earlier updates of the turn said about a tool call. */
export interface ToolFacts {
  name: string;
  /** It counts as requested from here on. */
  isNew: boolean;
  /** What it is called with, where the update that begins it does not say. */
  input?: JsonValue;
  /** No `tool_call` has spoken of it: it begins with its end, or with a question. */
  isUnheard?: true;
  /** All that a command of the agent printed, when the call ends. */
  printed?: string;
}

/** A tool call that was not allowed, and that the agent said nothing more of. */
export interface DeniedCall {
  id: string;
  name: string;
}

/** A session is opened before the prompt is sent, and a prompt that wants a login first was not taken. */
export function frameOf(record: AcpRecord): Frame {
  const isUnsent = record.op === 'session' || (record.op === 'answer' && record.auth_methods !== undefined);
  return {
    kind: 'message',
    body: record as unknown as JsonObject,
    ...(isUnsent ? { unsent: true } : {}),
  };
}
