import type { JsonObject, JsonValue, MendedJson } from '#protocol/json.ts';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import type { AskedAbout, AskedThing, Frame, Move, ProtocolClient, Seen } from '#protocol-client.ts';
import type { ProtocolServer, ServerDeps } from '#protocol-server.ts';
import type { Task } from '#resources/task/schema.ts';

/** Timers, injected so that tests decide when time passes. Milliseconds. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** Where a secret is kept; its value never stands in the configuration. */
export type SecretRef = { env: string } | { file: string } | { vault: string };

/** How the gateway proves to an agent who it is. */
export interface UpstreamAuth {
  type: 'bearer' | 'header' | 'oauth2';
  /** Header that carries the value; for type `header`. */
  name?: string | undefined;
  /** The token or header value itself; for type `oauth2` the secret of the client. */
  value: SecretRef;
  /** For type `oauth2`: who asks whom for which token. */
  token_url?: string | undefined;
  client_id?: string | undefined;
  scope?: string | undefined;
  audience?: string | undefined;
}

/** What every bridge gets from the composition root. */
export interface BridgeDeps {
  clock: Clock;
  random: Random;
  timers: Timers;
  logger: Logger;
  /** URL by which others reach the gateway; undefined until it listens. */
  publicUrl(): string | undefined;
  /** Of several, the one of this gateway, four digits: an address that comes without a credential names it. Default: it is the only one. */
  partition?: string | undefined;
  /** Reads a secret now; throws when it is missing. Called for each request, so that a rotated file takes effect. */
  readSecret(ref: SecretRef): string;
  /**
   * The headers that carry a credential now; names are lower case. Rejects when a secret is missing, or no token can be had.
   * Called for each request, so that a rotated file or a renewed token takes effect.
   */
  credential(auth: UpstreamAuth): Promise<Record<string, string>>;
  /** The strict JSON reader; throws for what readers disagree about. Half of a character becomes U+FFFD. */
  parseJson(text: string): JsonValue;
  /** Reads messages that cannot be refused, and says what was mended. Throws for what is no JSON, or nested too deeply. */
  mendJson(text: string): MendedJson;
  keptCards: KeptCards;
  /** Takes secrets out of what a peer says of itself before it is kept or shown; `hit`: there was one. */
  redact(value: JsonValue): { value: JsonValue; hit: boolean };
  /** The RFC 8785 spelling of a value, the only one that is hashed. */
  canonicalJson(value: JsonValue): string;
  /** Version of the gateway, as it introduces itself to peers. */
  version: string;
  /** The gateway's own environment, of which a child gets an allowed part. */
  environment: Readonly<Record<string, string | undefined>>;
  definitions: Definitions;
  guard: ChildGuard;
}

/** Ends the process groups of children that would outlive a gateway which was killed. */
export interface ChildGuard {
  /** Takes a group on, by the id of its leader, as soon as it is started. */
  watch(group: number): void;
  /** The group is gone. */
  release(group: number): void;
}

/** What is durably known of the definitions of tools, so that one that changes behind a restart is noticed too. */
export interface Definitions {
  /** The accepted definition of a tool of a route; undefined for one that was never listed. */
  pinned(route: string, name: string): PinnedDefinition | undefined;
  /** Keeps what happened to definitions; returns at once. */
  report(route: string, changes: readonly DefinitionChange[]): void;
}

export interface PinnedDefinition {
  sha256: string;
  /** As it may be shown; undefined where it was too long to keep. */
  shown: JsonObject | undefined;
}

export interface DefinitionChange {
  name: string;
  /** `accepted`: the changed one is the one to be held to from now on. */
  change: 'added' | 'changed' | 'removed' | 'accepted';
  /** `sha256:` of the definition now. */
  definitionSha256: string;
  /** The one that was accepted before. */
  pinnedSha256: string;
  /** The definition now, as it may be shown; undefined where it is too long to keep. */
  shown: JsonObject | undefined;
}

/** How the events of a Task are sent to a receiver of push notifications. Pure: the same events give the same bodies. */
export interface PushForm {
  /** Headers of every post, `content-type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Begins with the first event of a Task. The function takes every event in order, without what is internal, and gives
   * what is to be posted for it, in order; nothing for most. `task` gives the Task as it is now.
   */
  open(task: () => Task): (event: PushedEvent) => readonly JsonValue[];
}

/** What a form reads of an Event. */
export interface PushedEvent {
  id: string;
  event: string;
  created_at: string;
  payload: JsonObject;
}

/** Where what agents said of themselves outlives the gateway; one record per route. */
export interface KeptCards {
  load(route: string): string | undefined;
  /** Resolves when the record is durable. */
  save(route: string, record: string): Promise<void>;
}

/**
 * A protocol that joins the gateway. `createClients` makes one protocol client per row of the configuration section
 * `upstreams.<id>`; nothing is contacted before `ProtocolClient.start`.
 */
export interface Bridge<Row> {
  readonly id: string;
  /** `ProtocolClient.interpret` of all its clients: pure, so a replay needs neither the configuration nor the agent. */
  interpret(frame: Frame, seen: Seen): Move[];
  createClients(rows: readonly Row[], deps: BridgeDeps): ProtocolClient[];
  /** What a question of an agent is about, where the bridge knows it better than the question says. Pure. */
  askedAbout?(asked: AskedThing): AskedAbout;
  /** How push notifications about tasks are written, by the name that a push config gives. */
  pushForms?: Readonly<Record<string, PushForm>>;
  /** The half that clients call; left out by a bridge that only calls. */
  createServer?(deps: ServerDeps): ProtocolServer;
}
