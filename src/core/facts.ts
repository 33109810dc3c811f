import type { Caller } from '#auth/caller.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Halts } from '#policy/halts.ts';
import type { PolicySettings } from '#policy/settings.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import type { JudgedTool } from '#protocol/intended-call.ts';
import type { IdSource } from '#protocol/ports.ts';
import type { ProtocolVersion } from '#protocol/versions.ts';
import type {
  AgentDescription,
  AskedAbout,
  AskedThing,
  OfferedModel,
  PermissionAnswer,
  Refused,
} from '#protocol-client.ts';
import type { ReceiptKey } from '#receipts/build-receipt.ts';
import type { KeyRow } from '#receipts/key-registry.ts';
import type { ProveRedaction } from '#receipts/redaction-proof.ts';
import type { CircuitState } from '#resources/agent/schema.ts';
import type { ConnectorRow } from '#resources/connector/schema.ts';
import type { LiveMemory } from '#resources/live-client/live-memory.ts';
import type { Part } from '#resources/message/schema.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';
import type { QuotaRow } from '#resources/quota/schema.ts';
import type { ProviderCatalog } from '#resources/runtime/catalog-schema.ts';
import type { TranscriptBudget } from '#resources/session/transcript/budget.ts';
import type { SessionInputs } from '#resources/session-input/session-inputs.ts';
import type { OnceAMinute } from './once-a-minute.ts';

/** What a decision may know beyond the log: identity, ids, limits, and what runs right now. */
export interface Facts extends DecisionTools {
  caller: Caller;
  /** What the log may say about the caller. Decisions use `caller`. */
  by: CallerName;
  /** The version the call is in; the widest rules where its surface negotiates otherwise. */
  version: ProtocolVersion;
  /** The connection that the call came on; undefined for a request that stands for itself. */
  connection?: CleanText;
  /** The call said that nobody is to record its trace. Default: it did not. */
  isUnsampled?: boolean;
}

/** The names of a caller without what may be secret in them: claims of a token are words of somebody else. */
export type CallerName = Clean<Pick<Caller, 'actor' | 'tenant' | 'signedSha256'>>;

/** The same without a caller, for the runner. */
export interface DecisionTools {
  newId: IdSource;
  limits: DecisionLimits;
  /** Takes secrets out of what came in; `hit`: something was replaced. */
  redact<T>(value: T): { value: Clean<T>; hit: boolean };
  /** Commits to what was replaced; the place is the message, or the frame of a task, that it stood in. */
  proveRedaction: ProveRedaction;
  /** Whether a member of this name holds a secret. */
  isSecretName(name: string): boolean;
  /** Encrypts an input that was redacted, so that the upstream still gets what the caller sent. */
  sealInput(plain: Buffer): Buffer;
  /** A fresh key with this name in it, known as a secret from now on, and the hash that is kept. */
  newApiKey(name: string): { key: string; hash: CleanText };
  /** Whether a root leads to files that every workspace over the configured directories shares. */
  isServedRoot(root: string): boolean;
  receipts: ReceiptFacts;
  approvals: ApprovalFacts;
  /**
   * What rules answered when a run was recorded, by the agent's id of the question; set while it is made again, so that the rules of
   * today change nothing.
   */
  recordedAnswers?: (upstreamId: string) => Clean<RuleAnswer> | undefined;
  /** Which of many equal checks of permissions is recorded. */
  checks: Pick<OnceAMinute, 'due'>;
  signingKeys: SigningKeyFacts;
  routes: RouteFacts;
  runs: RunFacts;
  outbox: OutboxFacts;
  /** Who works in which Session, as far as the log does not know. */
  live: LiveMemory;
  /** Variables and secrets of running Sessions. */
  inputs: SessionInputs;
  self: SelfFacts;
}

/** Who issues the receipts of this gateway, and the key that signs now. */
export interface ReceiptFacts {
  issuer: { id: CleanText; name: string | null };
  /** Whether the acceptance of a task without a persona is proved by a receipt of its own (`receipts.acceptance`). */
  acceptance: boolean;
  /** Set while a run is made again: what it proves was proved when it ran. */
  isRehearsal?: true;
  key(): ReceiptKey;
}

/** The key registry. Changes are durable when they return; they throw `service_unavailable` when nothing changed. */
export interface SigningKeyFacts {
  /** Whether several nodes write the log, each with keys of its own. */
  readonly isShared: boolean;
  rows(): readonly KeyRow[];
  /** A new key signs from `at` on; to call inside of a transaction, with its time. */
  rotate(at: string): KeyRow;
  /** Undefined when there is no such key. */
  revoke(keyId: string, at: string): KeyRow | undefined;
}

/** How permission requests are answered. */
export interface ApprovalFacts {
  termsOf(workspaceId: string): ApprovalTerms;
}

/** What the configuration says of the requests of one workspace. */
export interface ApprovalTerms {
  /** Actors that have to approve. */
  quorum: number;
  /** The submitter of the Task may not be one of them. */
  fourEyes: boolean;
  /** Undefined: that of all workspaces. */
  timeoutMs: number | undefined;
  /** Ids of the webhooks that are notified. */
  webhooks: readonly CleanText[];
}

/** What the gateway knows of itself and of the agents behind it. */
export interface SelfFacts {
  version: string;
  /** RFC 3339 time of the start. */
  startedAt: string;
  /** Every route that a bridge serves, described or not. */
  routes(): readonly string[];
  /** Agents that have described themselves so far. */
  agents(): readonly RoutedAgent[];
  policy: PolicySettings;
  /** What operators have halted. */
  halts: Halts;
  /** How the agents do that are guarded, by route (`resilience` of the configuration). */
  guards(): readonly GuardSight[];
  /** Configured API keys, without their hashes. */
  keys(): readonly KnownKey[];
  /** Whether calls of a tool wait for a permission where no persona says otherwise. */
  asksFor(tool: JudgedTool): boolean;
  quotas: readonly Clean<QuotaRow>[];
  connectors: readonly Clean<ConnectorRow>[];
  /** The configured catalog of providers; undefined where there is none. */
  catalog: ProviderCatalog | undefined;
  /** Models that agents have offered since the start. */
  offeredModels(): readonly OfferedModels[];
  /** What the bridge of a route knows of a question of its agent, in the words of rules. */
  askedAbout(route: string, asked: AskedThing): AskedAbout;
  /** Routes whose configuration names a session input. */
  routesTaking(input: string): readonly string[];
  /** Vaults that hold a credential of the agent of a route. */
  vaultsOf(route: string): readonly NeededVault[];
}

/** How an agent does that is guarded, as it is shown. */
export interface GuardSight {
  route: string;
  /** Undefined without a circuit breaker. */
  circuit: CircuitState | undefined;
  /** Failures in a row. */
  failures: number;
  /** Epoch milliseconds at which an open circuit lets a task through; undefined for another one. */
  untilMs: number | undefined;
  fallback: string | undefined;
  /** Since the start. */
  retries: number;
  fallbacks: number;
}

/** The models that the agent of a route lets its clients choose from. */
export interface OfferedModels {
  route: string;
  /** What the agent calls itself. */
  name: string;
  protocol: string;
  models: readonly OfferedModel[];
}

export interface NeededVault {
  id: string;
  /** Whose tasks may use it; null: those of every workspace. */
  workspaceId: string | null;
}

/** An API key as the configuration gives it. */
export interface KnownKey {
  id: string;
  actor: string;
  tenant: string;
  scopes: readonly string[];
  workspaces: readonly string[];
}

export interface RoutedAgent {
  route: string;
  description: AgentDescription;
}

export interface DecisionLimits {
  /** Larger content goes to an Artifact and a reference. */
  inlineBytes: number;
  artifactBytes: number;
  /** Largest file under a workspace root. */
  fileBytes: number;
  /** Tasks that may wait to start, over the whole gateway; a tenant that has less than its share may still add one. */
  queuedTasks: number;
  /** Whether an approval of a tool call names the hash of its arguments, and covers no others; false in runs recorded before. */
  bindsApprovals: boolean;
  /** Time a permission request waits; undefined: for ever. */
  permissionTimeoutMs: number | undefined;
  /** What the transcript of a Session may hold, and what becomes of a full one, unless the Session says less. */
  transcript: TranscriptBudget;
}

interface OutboxFacts {
  /** The forms in which events can be posted to receivers. */
  forms: readonly string[];
  /** To call after commit: the push configs of a task have changed. */
  wake(taskId: string): void;
  /** To call after commit: a dead letter is to be posted once more. */
  retry(deadLetterId: string): void;
}

export interface RouteFacts {
  /** The route of that name, or the one of the agent that has the Skill of `skill:<id>`; undefined when unknown. */
  find(name: string): Route | undefined;
  /** The route that may turn out to have the Skill of `skill:<id>`: its agent has not said yet what it offers. */
  awaited(name: string): string | undefined;
  /** The route of what names none; undefined where no agent is configured. */
  default: CleanText | undefined;
  /** Why the agent of a route cannot run an input, as far as that is known before it is asked. */
  refuse(chosen: Route, parts: readonly Part[]): Refused | undefined;
  /** Whether the agent of a route takes a choice of a model. */
  takesModel(route: string): boolean;
}

/** Where a task runs, and on which Skill of the agent when it named one. */
export interface Route {
  route: CleanText;
  /** The agent's own id of the Skill. */
  skillId?: CleanText;
}

export interface RunFacts {
  /** Whether a task of this route could start now (free slot); the session's own lane is in its state. */
  hasSlot(route: string): boolean;
  /** Tasks accepted and not started. */
  queued(): number;
  /** Whether a tenant has less than its share of a queue of this length in it. */
  hasShare(tenant: string, length: number): boolean;
  /**
   * Counts a task before its commit, so that decisions made meanwhile see it: in a slot when it starts at once, else in
   * the queue.
   */
  claim(
    taskId: string,
    waiting: { tenant: string; sessionId: string; route: string },
    startsNow: boolean,
  ): void;
  /**
   * To call after commit: the task was accepted, got its input, or ended and leaves its lane to the next one. An
   * interrupt names its message: several may wait for their turn.
   */
  wake(taskId: string, messageId?: string): void;
  /** To call after commit: what the running turn of a task waits for is decided. */
  answer(taskId: string, answer: PermissionAnswer): void;
  /** To call after commit: a new rule or policy may answer what tasks wait for. */
  answerOpen(): void;
  /** To call after commit: the task waits for an answer that a rule may give. */
  answerByRule(taskId: string): void;
  /** To call after commit: the agent has cost more than its session may; the task fails and the agent is told to stop. */
  endBeyondCeiling(taskId: string): void;
  /** To call after commit: a halt was placed or released, and is in force or not from now on. */
  haltsChanged(): void;
  /** To call after commit: the task was canceled here; notify the upstream, without waiting. */
  forwardCancel(taskId: string): void;
}

/** Where moves are applied: one transaction, one task, one recorded frame. */
export interface MoveTarget {
  tx: Transaction;
  tools: DecisionTools;
  taskId: string;
  /** Override key of the frame, for example `a2a:sample:3`. */
  material: CleanText;
  /** Reads what the frame says; what comes of a frame without secrets has none and is not read again. */
  clean: DecisionTools['redact'];
}
