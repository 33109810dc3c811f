import type { JsonObject } from '#protocol/json.ts';
import type { UpstreamAuth } from '../../bridge.ts';
import type { NamedInputs } from '../../wire/session-inputs.ts';

/** One row of `upstreams.a2a`, as the configuration gives it. */
export interface A2aClientConfig {
  id: string;
  /** URL of the card, or of the agent when its path ends with a slash: then the well-known paths are tried. */
  card: string;
  auth?: UpstreamAuth | undefined;
  /** Pins the version; `auto` (default) takes the newest the card offers. */
  protocol?: 'auto' | '1.0' | '0.3' | undefined;
  /** Pins the binding; unset: `INTERFACES` decides. An agent that has JSON-RPC of 0.3 alone is called by that all the same. */
  binding?: 'JSONRPC' | 'HTTP+JSON' | 'GRPC' | undefined;
  /** Public keys (JWK) that may sign its card; unset: those that its own origin publishes. */
  card_keys?: readonly JsonObject[] | undefined;
  /** `required`: a card without a good signature is not used. Default `optional`. */
  card_signature?: 'optional' | 'required' | undefined;
  /** Gives the agent an address for push notifications, which are hints to look. Default false. */
  push?: boolean | undefined;
  /** Session inputs by the headers that carry them. */
  inputs?: { headers: NamedInputs } | undefined;
  limits?: Partial<A2aLimits> | undefined;
  /** Set for an agent that runs only when it is needed. */
  onDemand?: AgentOnDemand | undefined;
}

export interface AgentOnDemand {
  /** The text of its card, known before it runs: what is read at the URL `card`, to whose origin its interfaces belong. */
  card: string;
  agent: {
    /** Where it listens (`host:port`, plain HTTP); undefined while it does not run. */
    readonly host: string | undefined;
    /** Starts it, unless it is started already. Rejects with an error whose message says why it does not start. */
    start(): Promise<string>;
  };
}

export interface A2aLimits {
  connect_timeout_ms: number;
  first_frame_timeout_ms: number;
  idle_timeout_ms: number;
  total_timeout_ms: number;
  max_frame_bytes: number;
  max_response_bytes: number;
  concurrency: number;
}

export const DEFAULT_LIMITS: A2aLimits = {
  connect_timeout_ms: 10_000,
  first_frame_timeout_ms: 60_000,
  idle_timeout_ms: 120_000,
  total_timeout_ms: 3_600_000,
  max_frame_bytes: 4 * 1024 * 1024,
  max_response_bytes: 64 * 1024 * 1024,
  concurrency: 32,
};

/** Bounds that no operator needs to turn. */
export const FIXED_LIMITS = {
  /** A card is a page of text; more is an attack. */
  maxCardBytes: 1024 * 1024,
  /** A few keys; more is an attack. */
  maxKeySetBytes: 256 * 1024,
  /** A card comes from memory; longer means that the agent is down. */
  cardTimeoutMs: 10_000,
  /** A card older than this is asked for again, by ETag. */
  cardRefreshMs: 300_000,
  /** First and longest wait between two attempts to find an agent that is down. */
  rediscoverMs: { first: 1_000, longest: 30_000 },
  /** A reconnect outlives the restart of an agent: 8 attempts wait 32 s in all. */
  reconnect: { attempts: 8, firstMs: 250, longestMs: 8_000 },
  /** Polling starts quickly for short tasks and settles at a rate that costs nothing. */
  poll: { firstMs: 200, longestMs: 5_000 },
  /** Longest wait between two looks at a task whose agent says by itself that it went on: it may forget to. */
  hintedPollMs: 60_000,
  /** Polls that may answer an unknown state after the stream is over. */
  unknownPolls: 5,
  /** Polls that may answer with a task as it stood, without a question that could be distinguished from another, before that is its answer. */
  standingPolls: 5,
  /** How long a refusal to stream is held to be one of the agent and not of a moment. */
  learnedMs: 300_000,
  /** Tasks of which is remembered that their answers are not streamed. */
  learnedTasks: 1_000,
  /** Cancels, polls and cards must not queue behind streams. */
  controlConnections: 8,
  /** How long a finished answer may take to close, so that its connection is used again. */
  lingerMs: 1_000,
  lingerBytes: 64 * 1024,
  /** A cancel that nobody waits for. */
  abandonMs: 5_000,
} as const;
