import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { UsageTotals } from '#protocol/usage.ts';
import type { ApiKey } from './api-key/schema.ts';
import type { Artifact } from './artifact/schema.ts';
import type { Branch } from './branch/schema.ts';
import type { ConnectorDelivery } from './connector/schema.ts';
import type { MemoryDescription } from './memory/schema.ts';
import type { Message } from './message/schema.ts';
import type { RememberedAnswer } from './permission/draft.ts';
import type { PermissionRequest } from './permission/schema.ts';
import type { Persona } from './persona/schema.ts';
import type { BlockingEffect } from './policy/events.ts';
import type { QuotaReservation } from './quota/schema.ts';
import type { PersonaTerms } from './receipt/events.ts';
import type { Receipt } from './receipt/schema.ts';
import type { ReplayTerms } from './replay/schema.ts';
import type { Session } from './session/schema.ts';
import type { TranscriptArchive } from './session/transcript/schema.ts';
import type { CancelReport } from './task/events.ts';
import type { Task } from './task/schema.ts';
import type { Review } from './trust/schema.ts';
import type { Vault } from './vault/schema.ts';
import type { Workspace } from './workspace/schema.ts';

/** A folded resource: what clients see, and what only the gateway needs. All of it comes from events. */
export interface Folded<Resource, Internal> {
  resource: Resource;
  internal: Internal;
}

export type WorkspaceState = Folded<Workspace, { tenant: string; members: string[] }>;

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
    /** Set for one that was restored from a bundle: the Workspace and tenant it was recorded in. */
    imported?: { workspace_id: string; tenant_id: string | null };
  }
>;

export type TaskState = Folded<
  Task,
  {
    /** Route the task runs on, for example `a2a:sample`. */
    route: string;
    /** Number of the rules by which its run becomes events; absent: 1. */
    rules?: number;
    /** The agent's own id of the Skill that the task named as its route. */
    skill_id?: string;
    /** What the upstream bound to this task (remote task id). */
    binding: JsonObject | null;
    cancel_requested: boolean;
    /** Set for one that was canceled without its agent confirming it. */
    cancel?: CancelReport;
    /** W3C trace id of the submission; goes on to the upstream and into later events. */
    trace_id: string | null;
    /** Message that the running or next turn sends. */
    turn_message: string;
    /** Messages that precede the first input. */
    preceding: string[];
    /** Lifecycle transitions so far; numbers the checkpoints. */
    transitions: number;
    /** Turns of agents so far; numbers the spans. */
    turns: number;
    open_artifacts: string[];
    /** Permission requests that wait for an answer, oldest first. */
    open_requests: string[];
    /** Time of its newest move, or of what the agent said since; absent while there is neither. */
    status_at?: string;
    /** What the agent said, newest last, at most as many as an Outcome shows. */
    said: SaidMessage[];
    /** Quotas that the task counts against. */
    quotas?: string[];
    /** What it set aside of those that have budgets. */
    reservations?: QuotaReservation[];
    /** Time in WORKING, kept where something is reserved; `since` is set while it works. */
    worked?: { ms: number; since: string | null };
    /** Set for a replay: what was asked, and of which Task. */
    replay?: ReplayTerms;
    /** How often the task was replayed. */
    replays?: number;
    /** Start of the newest agent text. Absent while there is none; once the Task has ended, where its summary is the same. */
    last_text?: string;
    /** Of its Outcome; absent until it has ended. */
    summary?: string;
    /** The terms of the persona the task was accepted under; absent where it names none. */
    persona?: PersonaTerms;
    /** The tier it was accepted under; absent where it is that of its persona, or the built-in one without a persona. */
    tier?: AutonomyTier;
    /** Set for one that another gateway ran. */
    imported?: true;
    /** Receipts besides the one that it names, oldest first; absent where there is none. */
    receipts?: string[];
    /** What its receipt will say; absent while there is nothing, and once the receipt is issued. */
    run?: RunFacts;
  }
>;

export type MessageState = Folded<Message, { sealed: boolean }>;

export type ArtifactState = Folded<
  Artifact,
  {
    /** `parts`: what an agent sent part by part; `bytes`: one byte string. */
    store: 'none' | 'parts' | 'bytes';
    /** Numbers of its parts, or of the pieces of its bytes: from the first one, those of replaced parts before it, up to the end. */
    first_piece: number;
    pieces: number;
    /** True while every part is text: the content is then their concatenation. */
    all_text: boolean;
    size: number;
    /** The agent's own artifact id. */
    upstream_id: string | null;
    name: string | null;
    closed: boolean;
    /** Set once a chunk came after the last one: the agent's word for the end is worth nothing any more. */
    reopened?: true;
    /** Set for what belongs to no workspace: the tenant that may read it. */
    tenant?: string;
  }
>;

export type BranchState = Folded<Branch, { state: 'open' | 'merged' | 'abandoned' }>;

export type PermissionRequestState = Folded<
  PermissionRequest,
  {
    /** The agent's id of a request that it waits for inside its running turn; null when the answer is a next turn. */
    upstream_id: string | null;
    /** The agent took nothing of the turn; an approval sends it again. */
    resends?: true;
    /** Who has approved so far, where one approval is not enough. */
    votes?: Review[];
    /** What it is about, where its answer may be remembered. */
    subject_sha256?: string;
  }
>;

/** The newest answer for good about one subject. */
export type RememberedState = RememberedAnswer;

/** A permission request whose answer is remembered, and the key it is remembered under. */
export type RememberedRequestState = Folded<{ id: string; workspace_id: string | null }, { key: string }>;

export type PersonaState = Folded<
  Persona,
  {
    tenant: string;
    revision: number;
    /** Hash of the file it was last read from. */
    file_hash: string | null;
  }
>;

/** `hash` is that of the whole key, as in the configuration. */
export type ApiKeyState = Folded<ApiKey, { tenant: string; hash: string }>;

/** What a tool of an upstream is held to, and what it was last listed as. */
export interface ToolDefinitionState {
  pinned_sha256: string;
  seen_sha256: string;
}

export type VaultState = Folded<Vault, { tenant: string }>;

/** Ids of the vaults that the configuration has, or had. */
export interface ConfiguredVaultsState {
  ids: string[];
}

export type MemoryState = Folded<
  MemoryDescription,
  {
    tenant: string;
    session_id: string | null;
    /** Artifact made for large content; forgotten together with the Memory. */
    artifact_id: string | null;
    /** What its content is as JSON; `sha256` is bare hex. */
    content?: { sha256: string; size: number };
  }
>;

/** What became of a delivery. */
export interface DeliveryState {
  delivery: ConnectorDelivery;
}
/** The session that a connector without a configured one delivers to. */
export interface ConnectorSessionState {
  session_id: string;
}

/** The session that an actor knows by a key of its own. */
export interface KeyedSessionState {
  session_id: string;
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

/** Where an Outcome stands: in its Task. */
export interface OutcomeState {
  task_id: string;
}

/** A Message of an agent; the newest ones of a Task with the id that the agent gave them, where it gave one. */
export type SaidMessage = string | readonly [id: string, upstreamId: string];

/** Message id given to an upstream's message id within a task, once more was said than the Task keeps these ids of. */
export interface UpstreamMessageState {
  message_id: string;
}
/** Artifact id given to an upstream's artifact id within a task. */
export interface UpstreamArtifactState {
  artifact_id: string;
}
/** Permission request made of an upstream's request id within a task. */
export interface UpstreamRequestState {
  request_id: string;
}
/** The arguments that a tool call of a task was approved with. */
export interface ApprovedCallState {
  input_sha256: string;
}
/** What an upstream bound to a Session (remote context id). */
export interface SessionBindingState {
  binding: JsonObject;
  /** The transcript the remote context knows; a truncation begins another one. */
  epoch: number;
}

/** What is kept of a receipt besides its bytes, which are a record of their own. */
export type ReceiptState = Folded<
  Omit<Receipt, 'wire'>,
  {
    /** `sha256:` and hex. */
    hash: string;
    /** Place in the gateway-wide receipt log, from 0. */
    log_index: number;
    /** Place in the chain of its session, from 0; null for a replay, which follows its source instead. */
    chain_index: number | null;
    /** The receipt before it in that chain; absent for the first one, and for a replay. */
    previous_id?: string;
  }
>;

/** The chain of the receipts of one session. */
export interface ReceiptChainState {
  count: number;
  /** Id of the newest receipt. */
  newest: string;
  /** Its hash, `sha256:` and hex. */
  head: string;
  /** RFC 6962 frontier over all hashes of the chain, hex. */
  frontier: string[];
}

/** Where a trust record is; its bytes are a record of their own. */
export interface TrustRecordState {
  topic: string;
  chain_index: number;
  /** `sha256:` and hex. */
  entry_hash: string;
}

/** The chain of the trust records of one workspace or tenant. */
export interface TrustChainState {
  count: number;
  /** Hash of the newest record, `sha256:` and hex. */
  head: string;
}

/** What the log says of a signing key; the registry is the file beside it. */
export interface SigningKeyState {
  status: 'current' | 'retired' | 'revoked';
}

/** How many receipts were issued; the next one becomes the leaf of this index. */
export interface ReceiptLogState {
  size: number;
}

/** One thing that a receipt says of a run; resources are named, not copied. */
export type RunFact =
  | { kind: 'artifact'; id: string }
  | { kind: 'request'; id: string; actor: string | null }
  | { kind: 'tool_called'; call_id: string; tool: string; input_hash: string }
  | { kind: 'tool_ended'; call_id: string; status: 'succeeded' | 'failed'; output_hash?: string }
  | { kind: 'input_redacted'; message_id: string; proof_hash: string }
  | { kind: 'file_written'; path: string; sha256: string }
  | { kind: 'policy'; effect: BlockingEffect; rule: string; action: string; at: string };

/** The newest facts, oldest first; full pages of older ones are states of their own. */
export interface RunFacts {
  pages: number;
  newest: RunFact[];
  /** Absent where the agent said nothing. */
  usage?: UsageTotals;
}

/** A full page of the facts of a run. */
export interface RunPageState {
  facts: RunFact[];
}
