import type { SecretRef, UpstreamAuth } from '../../bridge.ts';
import type { NamedInputs } from '../../wire/session-inputs.ts';

/** One row of `upstreams.mcp`, as the configuration gives it. One of `command` and `url` is set. */
export interface McpClientConfig {
  id: string;
  /** Program and arguments of a stdio server. */
  command?: readonly string[] | undefined;
  /** Streamable HTTP endpoint. */
  url?: string | undefined;
  /** Revision to speak; `auto` takes the newest one that the server speaks. Default: `auto`. */
  protocol?: 'auto' | '2025-11-25' | '2026-07-28' | undefined;
  /** Variables of the child besides the inherited ones. */
  env?: Readonly<Record<string, string | SecretRef>> | undefined;
  cwd?: string | undefined;
  /** Session inputs by the headers and arguments that carry them. */
  inputs?: { headers: NamedInputs; arguments: NamedInputs } | undefined;
  auth?: UpstreamAuth | undefined;
  tools?: ToolRules | undefined;
  /** False: what the server says of its tools' harmlessness is not believed. Default: true. */
  trust?: boolean | undefined;
  /**
   * True: the server may ask the caller, and gets one connection per actor and Session. False: it may not. Default: it may, and
   * gets connections of that kind once it has asked.
   */
  interactive?: boolean | undefined;
  /** An interactive server may also ask for what a model would write. Default: false. */
  sampling?: boolean | undefined;
  /** Directories the server gets as roots; interactive servers only. */
  roots?: readonly string[] | undefined;
  /** Served at `/mcp/<id>` as it is. Default: false. */
  mount?: boolean | undefined;
  /** What a result with `isError` makes of the Task. Default: `fail`. */
  tool_errors?: 'fail' | 'complete' | undefined;
  /** What a changed definition does: calls wait for permission, or nothing but the event. Default: `report`. */
  changed_tools?: 'report' | 'hold' | undefined;
  limits?: Partial<McpLimits> | undefined;
}

export interface ToolRules {
  /** Only these, when set. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  /** Calls of these wait for a person's permission. */
  approve?: readonly string[] | undefined;
}

export interface McpLimits {
  connect_timeout_ms: number;
  restart_wait_ms: number;
  idle_timeout_ms: number;
  total_timeout_ms: number;
  max_message_bytes: number;
  max_connections: number;
  concurrency: number;
}

export const DEFAULT_LIMITS: McpLimits = {
  connect_timeout_ms: 20_000,
  restart_wait_ms: 10_000,
  idle_timeout_ms: 120_000,
  total_timeout_ms: 3_600_000,
  max_message_bytes: 16 * 1024 * 1024,
  max_connections: 16,
  concurrency: 32,
};

/** Bounds that no operator needs to turn. */
export const FIXED_LIMITS = {
  /** How long a call that changes nothing waits for its answer before it is recorded: both are durable together then. */
  togetherMs: 5,
  /** First and longest wait between two attempts to start a server that fails. */
  restartMs: { first: 1_000, longest: 60_000 },
  /** First wait before a connection for one caller is opened again that did not come up; it doubles. */
  reopenMs: 500,
  /** Pages and tools of one list; more is an attack or a loop. */
  maxPages: 100,
  maxTools: 2_000,
  /** A connection of an actor and Session that nobody uses. */
  connectionIdleMs: 300_000,
  /** Progress is recorded at most this often, after so many that are recorded at once; what comes faster is dropped. */
  progressMs: 100,
  progressBurst: 10,
  /** Log lines of a server that are kept per call. */
  logsPerCall: 200,
  /** Longest definition of a tool that is kept, to show later what has changed. */
  keptDefinitionChars: 8_192,
  /** Questions a server may ask during one call. */
  questionsPerCall: 20,
  /** A list that changes again and again is read once per this time. */
  relistMs: 250,
  /** Longest wait for a server on standard streams to say which revisions it speaks; silence means the older ones. */
  discoverMs: 5_000,
  /** Longest wait for an endpoint to take somebody who listens, before it is asked anything. */
  listenMs: 300,
  /** Wait for lines that a server logs beside the answer to a call. */
  lastLinesMs: 20,
  /** Wait before listening again to a server that ended it. */
  listenAgainMs: 1_000,
  /** Times a server may ask for more input before it has a result. */
  roundsPerCall: 20,
  /** Resources whose changes one client of a mount is notified of. */
  watchedResources: 100,
  /** Longest wait for a server to take or end a subscription to a resource. */
  watchMs: 20_000,
  /** Longest wait for a server to hear that its task is given up. */
  cancelMs: 20_000,
  /** A question to a client without a session that it does not come back for. */
  questionIdleMs: 300_000,
  /** Requests that wait for their clients to come back, per mount; the oldest makes room. */
  heldRequests: 100,
  /** Shortest and longest wait between two questions after a task of the server, and what is taken where it says nothing. */
  pollMs: { shortest: 100, longest: 10_000, usual: 1_000 },
  /** Text and JSON of a result that stand inside its tool_result part; larger ones are parts of their own. */
  inlineResultBytes: 16 * 1024,
} as const;
