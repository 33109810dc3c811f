import type { SideEffectClass, ToolSideEffect } from './protocol/autonomy.ts';
import type { DescribedTool, IntendedCall } from './protocol/intended-call.ts';
import type { JsonObject, JsonValue } from './protocol/json.ts';
import type { Rules } from './protocol/rules.ts';
import type { Failure, TaskStatus } from './protocol/task-states.ts';
import type { ToolStep } from './protocol/tool-step.ts';
import type { ReportedUsage } from './protocol/usage.ts';
import type { CardVerdict } from './resources/agent/schema.ts';
import type { Part, Role } from './resources/message/schema.ts';
import type { PermissionAnswer, PermissionDraft } from './resources/permission/draft.ts';
import type { PermissionKind } from './resources/permission/schema.ts';
import type { PermissionClass } from './resources/permission-rule/schema.ts';
import type { PolicyDecided } from './resources/policy/events.ts';
import type { SessionModelPolicy } from './resources/session/schema.ts';
import type { GivenInput } from './resources/session-input/schema.ts';

export type { PermissionAnswer, PermissionDraft } from './resources/permission/draft.ts';

/**
 * The contract of a protocol client: it calls one A2A agent, ACP agent or MCP server. A replay has recorded frames in its place.
 *
 * `run` does I/O and yields frames as they came from the wire. `interpret` is pure: it turns a frame into moves by the
 * mapping tables. The task runner records each frame and applies its moves in one commit, so a live run and a replay are
 * the same code with a different source of frames.
 */
export interface ProtocolClient {
  /** Route name, for example `a2a:sample`. */
  readonly route: string;
  /** Override key prefix of its frames, for example `a2a:sample`; the runner appends `:<n>`. */
  readonly materialPrefix: string;
  /**
   * Reads what a turn would do, so that the policy judges it before it is done; what is judged is what `run` of the answer
   * does. Never throws for what the peer does. Left out by agents, whose turn is a run as a whole.
   */
  prepare?(turn: Turn): Promise<PreparedTurn>;
  /** Runs one turn of a task. Never throws for what the peer or the network does: that is a `fault` frame. */
  run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame>;
  /** Why an input cannot run, before its task is accepted. Undefined: it may, or too little is known yet. */
  refuse?(input: AskedInput): Refused | undefined;
  /** True where the peer takes a choice of a model (`Turn.modelPolicy`). */
  readonly takesModel?: boolean;
  /** True where a cancel can reach the peer only by what it bound to the task; others get it in the running turn. */
  readonly cancelsByBinding?: boolean;
  /** Asks the peer to cancel; yields what it answered. Bounded by the caller through `signal`. */
  cancel(turn: Turn, signal: AbortSignal): AsyncIterable<Frame>;
  interpret(frame: Frame, seen: Seen): Move[];
  /**
   * Hands the answer of a `permission` move to the running turn that waits for it; false when none does. Left out by those
   * that never wait inside a turn.
   */
  answer?(taskId: string, answer: PermissionAnswer): boolean;
  /**
   * Names who takes what the peer says while no turn runs, with the task whose turn was the last one in its session; resolves
   * when it is recorded. Called once, before the first turn. Left out where peers speak in turns only.
   */
  listen?(overhear: (taskId: string, frame: Frame) => Promise<void>): void;
  /** Clients of a protocol server are served by it beside the Tasks. Left out where none are. */
  readonly isServing?: boolean;
  /** Takes the place of another client of the same route, with what faces have given that one. Left out where they give nothing. */
  succeed?(before: ProtocolClient): void;
  /**
   * The inputs of a Session have changed, or are gone with it: tells a peer that runs and keeps them. True when it has them now; one
   * that does not run is told with its next turn. Left out by clients that read them at each call.
   */
  inputsChanged?(
    sessionId: string,
    given: (names: readonly string[]) => readonly GivenInput[],
  ): Promise<boolean>;
  /** Models that the peer last offered its clients to choose from. Left out by peers that offer none. */
  offeredModels?(): readonly OfferedModel[];
  /**
   * Somebody who knows the secret of a running turn says that the peer went on with it: it is looked at now. False where this peer
   * was given no address. Left out by clients that give none.
   */
  hinted?(secret: string): boolean;
  /** What the agent says of itself, for cards and skills; the last good answer while the peer is down. */
  describe(): AgentDescription | undefined;
  /** Starts discovery in the background; never throws. */
  start(): void;
  /**
   * Asks the peer now who it is, once, starting it where it runs on demand of a turn. Rejects with an error whose message is
   * public and says why there is no answer. Left out by peers that are nowhere but in this process.
   */
  reach?(): Promise<AgentDescription>;
  close(): Promise<void>;
}

/** A turn that is read and not begun. */
export interface PreparedTurn {
  /** The tool call it would make; undefined when it makes none, for example because the input names no tool. */
  call?: IntendedCall;
  run(signal: AbortSignal): AsyncIterable<Frame>;
}

/** The input of a task that is not accepted yet. */
export type AskedInput = { parts: readonly Part[]; skillId?: string | undefined };
/** `param`: JSON path of the bad field in the request; the message says what to send instead. */
export type Refused = { param: string; message: string };

/** One turn: first input, a continuation after a blocked state, an interrupt, or taking up a run after a restart. */
export interface Turn {
  kind: 'start' | 'continue' | 'reattach';
  taskId: string;
  sessionId: string;
  /** Who submitted the task; absent when nobody is known to have. */
  actor?: string;
  /** The Skill that the task names as its route (`skill:<id>`), by the id the agent gave it. */
  skillId?: string;
  /** The message to send; absent for `reattach` and for `cancel`. */
  message?: OutboundMessage;
  /** What earlier frames of this task bound (remote task id), kept durably by the core. */
  binding: JsonObject | undefined;
  /** What earlier tasks of this Session bound at this peer (remote context id), kept durably by the core. */
  sessionBinding: JsonObject | undefined;
  /** What an earlier Task bound here, by its id; undefined for one that is not of this route and Workspace. */
  bindingOf(taskId: string): JsonObject | undefined;
  /**
   * The Tasks of this route and Workspace, by the ids (`task_id` of what they bound) that the agent has for them; an id that
   * none of the newest ones bound is left out.
   */
  tasksBoundTo(remoteIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Metadata of what agents said in this Session, newest first; callers cannot put anything there. */
  metadataSaid(): JsonObject[];
  /** Of a Session that was forked: the newest Tasks that it has turns of and that ran in its source, newest first. */
  tasksForked(): string[];
  /** W3C trace context to pass on. */
  traceparent?: string;
  /**
   * Begins an exchange with the peer, whose trace context goes on in place of `traceparent`. `attributes` are names and numbers,
   * never what is said. Left out where nothing is traced.
   */
  begins?(name: string, attributes: Readonly<Record<string, string | number>>): TracedExchange;
  /** Metadata of the Session; a bridge reads its own protocol's member. */
  sessionMetadata: JsonObject;
  /** The model that the Session wishes for; a peer that offers no choice does as it does. */
  modelPolicy?: SessionModelPolicy;
  /**
   * What the policy says now of an action inside the turn; undefined when it may be done. A decision that keeps it back goes
   * into the record as a `policy` move, so that a replay is held to the same.
   */
  judge(action: InnerAction): PolicyDecided | undefined;
  /**
   * Whether an answer for good to a question would be remembered; `subject` as in a `PermissionDraft`. It goes into the record of
   * the question, so that a replay is held to the same.
   */
  remembers(subject: JsonObject): boolean;
  /** Turns of the transcript before this one, oldest first, for an agent that does not know them; read when called. */
  history(): PastTurn[];
  /** What was answered to a question that the peer asked inside a turn of the task; undefined while nobody has. */
  answerTo(upstreamId: string): PermissionAnswer | undefined;
  /**
   * A variable or secret of the Session, now, for a peer at this origin; undefined where there is none. It goes into no frame. Left out
   * where a run is made again.
   */
  sessionInput?(name: string, origin: string | undefined): string | undefined;
  /** Those of these names, `*` for all, for an agent that keeps them itself. They go into no frame. Left out as the one above. */
  sessionInputs?(names: readonly string[]): readonly GivenInput[];
  /** Somebody asked to cancel the task, or it has ended: what is not sent yet is not sent any more. */
  isCanceled(): boolean;
}

/** One request to the peer and what comes back, as a span of the trace. */
export interface TracedExchange {
  traceparent: string;
  /** It is over; `failure` is a code. Called again it does nothing. */
  end(failure?: string): void;
}

/** What an agent asks the gateway to do for it, in the middle of its turn. */
export interface InnerAction {
  toolCallId: string;
  /** Personas and Sessions that list tools list it by this name. */
  name: string;
  sideEffect: ToolSideEffect;
  input: JsonValue;
}

/** A question as far as rules are about it. */
export interface AskedThing {
  kind: PermissionKind;
  action: JsonValue;
  toolName?: string | undefined;
  input?: JsonValue | undefined;
  metadata: JsonObject;
  /** What the task has bound at its agent. */
  binding: JsonObject | null;
}

/** What a bridge says of a question in the words of rules; what it leaves out, the question itself says. */
export interface AskedAbout {
  class?: PermissionClass;
  /** Paths, a command, hosts; the first is the one that is named. */
  targets?: readonly string[];
  sideEffect?: SideEffectClass;
}

/** One earlier turn of a Session, public text only. */
export interface PastTurn {
  role: Role;
  text: string;
}

export interface OutboundMessage {
  /** Passed on unchanged as the peer's message id. */
  id: string;
  role: Role;
  parts: Part[];
  metadata: JsonObject;
  /** Bytes of artifacts that parts refer to, by artifact id, for inlining. */
  artifacts: ReadonlyMap<string, { bytes: Buffer; mimeType: string; name?: string }>;
}

/**
 * A thing that arrived, before any interpretation. `message`: a decoded protocol message, raw members kept.
 * `fault`: the transport or the peer failed. `end`: the peer closed the turn in good order.
 */
export type Frame =
  | {
      kind: 'message';
      body: JsonValue;
      /** What follows the prefix in its override key, unique per task; default: its number. */
      label?: string;
      /** True while the peer has taken nothing of the turn. */
      unsent?: boolean;
      /** Said by the bridge of what it does: the peer has not answered by it. */
      own?: true;
      /** The next frame came together with this one: both are recorded and applied in one transaction, when that one is given. */
      more?: true;
      /** It says what is done next, and that has an effect: the frame is durable before the next one is asked for. */
      intent?: true;
      /** What its bridge read in the body, for its own `interpret`. Never recorded: a replay reads the body again. */
      read?: object;
    }
  | { kind: 'fault'; code: FaultCode; message: string; details?: JsonObject }
  | { kind: 'end' };

export type FaultCode =
  | 'upstream_unavailable'
  | 'deadline_exceeded'
  | 'payload_too_large'
  | 'auth_required'
  | 'rejected';

/** What a frame means, given the run so far. Pure: the same frame and the same past give the same moves. */
export type Interpret = (frame: Frame, seen: Seen) => Move[];

/** What the pure interpretation may know of the run so far. */
export interface Seen {
  /** By which the task was accepted; what they differ in is read from here, so that a replay does as the run did. */
  rules: Rules;
  status: TaskStatus;
  binding: JsonObject | undefined;
  sessionBinding: JsonObject | undefined;
  /** True for a message of this upstream id that is in the log of this task; of other parts than these it is another one. */
  hasMessage(upstreamId: string, parts?: readonly DraftPart[]): boolean;
  /** Parts already recorded per upstream artifact id; undefined when unknown. */
  artifactParts(upstreamId: string): number | undefined;
}

export interface MessageDraft {
  /** The peer's id; used as Message.id when free in our store, kept in metadata otherwise. */
  upstreamId?: string;
  role: Role;
  parts: DraftPart[];
  metadata?: JsonObject;
}

/** A part as a peer sent it: a Harn part, or bytes that the core turns into an Artifact and a reference. */
export type DraftPart =
  | Part
  | { type: 'bytes'; base64: string; mime_type: string; name?: string; metadata?: JsonObject };

export interface ArtifactDraft {
  /** The peer's artifact id, unique per task. */
  upstreamId: string;
  name?: string;
  description?: string;
  parts: DraftPart[];
  /** Append to the artifact's list of parts instead of replacing it. */
  append: boolean;
  lastChunk: boolean;
  metadata?: JsonObject;
}

export interface UpdateDraft {
  /** Protocol whose words these are, for example `acp`. */
  protocol: string;
  /** The protocol's name of the update. */
  kind: string;
  body: JsonObject;
  /** `session`: the newest of its kind is kept in the metadata of the Session, under the protocol. */
  about: 'turn' | 'session';
  visibility: 'public' | 'internal';
}

/**
 * What a frame means, in words of the core. The core inserts WORKING where the transition table needs it. `betweenTurns`: it was
 * said while no turn ran, so it lands although its task has ended.
 */
export type Move =
  | { type: 'bind'; binding?: JsonObject; sessionBinding?: JsonObject }
  | { type: 'status'; to: TaskStatus; message?: MessageDraft; failure?: Failure; metadata?: JsonObject }
  | { type: 'message'; message: MessageDraft }
  | { type: 'artifact'; artifact: ArtifactDraft }
  /** The peer wants something allowed or answered. Blocks the Task until the last open one is resolved. */
  | { type: 'permission'; permission: PermissionDraft }
  /** The peer no longer waits for an answer; it was given elsewhere, or withdrawn. */
  | { type: 'permission_closed'; upstreamId: string; approved: boolean; reason: string }
  /** The policy keeps back what the peer asked for. */
  | { type: 'policy'; decided: PolicyDecided }
  /** A tool is called: by the peer, which reports it, or by the gateway at a tool server. */
  | { type: 'tool'; tool: ToolStep }
  /** What the agent says of its thinking; never public. */
  | { type: 'reasoning'; text: string }
  /** A live word that has no resource of its own: a piece of a message, a plan, commands, modes. */
  | { type: 'update'; update: UpdateDraft; betweenTurns?: true }
  /** What the agent says that the Task used: tokens, money, a model. Its receipt says it. */
  | { type: 'usage'; usage: ReportedUsage }
  /** A file was written at somebody's machine, by its path there; `sha256` in lower-case hex. The receipt names it. */
  | { type: 'file_written'; file: { path: string; bytes: number; sha256: string } }
  /** Metadata merged into the Task. */
  | { type: 'metadata'; patch: JsonObject }
  /** A diagnostic worth keeping that moves nothing (`unknown_state`, `context_changed`, `late_result`). */
  | { type: 'note'; note: string; details?: JsonObject; betweenTurns?: true };

export interface AgentDescription {
  name: string;
  description: string;
  version: string;
  skills: DescribedSkill[];
  inputModes: string[];
  outputModes: string[];
  streaming: boolean;
  /** The interface that is used of those it offers, for example `grpc-1.0`; left out where there is no choice. */
  spokenBy?: string;
  /** Interfaces that it would be called by without that one, in order. */
  spokenElse?: readonly string[];
  /** The agent refused to stream although its card says that it does; `until` is when it is asked again (RFC 3339). */
  streamingRefused?: { because: string; until: string };
  provider?: { organization: string; url: string };
  documentationUrl?: string;
  iconUrl?: string;
  /** Extensions of its protocol that the peer offers, as it declares them; each has a `uri`. */
  extensions?: JsonObject[];
  /** The peer's own card as it came, byte for byte as parsed. */
  raw: JsonValue;
  /** How the card was read; left out by protocols without cards. */
  card?: ReadUpstreamCard;
  /** How far the clock of the peer was from ours when it was asked, in milliseconds; positive: it is ahead. Left out where it says no time. */
  skewMs?: number;
}

/** A model by the peer's own name of it. */
export interface OfferedModel {
  id: string;
  name: string;
  description?: string;
}

/** How and when the card of an agent was read, and what its signature is worth. */
export interface ReadUpstreamCard {
  url: string;
  /** RFC 3339 time at which the agent last gave it, or said that it has not changed. */
  fetchedAt: string;
  /** Lower-case hex, over the bytes as they came. */
  sha256: string;
  signature: CardVerdict;
  /** False: the agent did not answer when last asked; this is the last good one. */
  isCurrent: boolean;
}

export interface DescribedSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  inputModes?: string[];
  outputModes?: string[];
  /** Set for a tool of an MCP server. */
  tool?: DescribedTool;
}
