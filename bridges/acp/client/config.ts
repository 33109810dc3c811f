import type { SecretRef, UpstreamAuth } from '../../bridge.ts';
import type { NamedInputs } from '../../wire/session-inputs.ts';

/** One row of `upstreams.acp`, as the configuration gives it: a command that is spawned, or the URL of a WebSocket. */
export interface AcpClientConfig {
  id: string;
  command?: readonly string[] | undefined;
  url?: string | undefined;
  auth?: UpstreamAuth | undefined;
  /** What the agent finds in its environment besides the few names every program needs. */
  env?: Readonly<Record<string, string | SecretRef>> | undefined;
  /** Absolute directory the agent runs and works in. */
  cwd?: string | undefined;
  /** Session inputs that it is told by `session/inputs`, `*` for all, and those in its environment, by their variables. */
  inputs?: { names: readonly string[]; env: NamedInputs } | undefined;
  /** Work in the directories that the client of the Session named instead. */
  client_cwd?: boolean | undefined;
  /** Only where they are under one of these. Default: anywhere. */
  client_roots?: readonly string[] | undefined;
  /** Offer the agent the files and terminals of the client's machine, where the client offers them. Default: true. */
  client_files?: boolean | undefined;
  limits?: Partial<AcpLimits> | undefined;
}

export interface AcpLimits {
  start_timeout_ms: number;
  session_timeout_ms: number;
  idle_timeout_ms: number;
  total_timeout_ms: number;
  cancel_grace_ms: number;
  idle_stop_ms: number;
  max_frame_bytes: number;
  max_turn_bytes: number;
  concurrency: number;
}

export const DEFAULT_LIMITS: AcpLimits = {
  start_timeout_ms: 60_000,
  session_timeout_ms: 60_000,
  idle_timeout_ms: 600_000,
  total_timeout_ms: 3_600_000,
  cancel_grace_ms: 10_000,
  idle_stop_ms: 600_000,
  max_frame_bytes: 16 * 1024 * 1024,
  max_turn_bytes: 64 * 1024 * 1024,
  concurrency: 8,
};

/** Bounds that no operator needs to turn. */
export const FIXED_LIMITS = {
  /** Updates that are kept of what an agent says between two turns. */
  betweenTurns: 2_000,
  /** Sessions of the agent that are remembered as open; older ones are loaded again. */
  openSessions: 1_000,
  /** Characters of earlier turns that are sent to an agent which has lost its session. */
  historyChars: 200_000,
  /** Tool calls of a session whose ids are remembered. */
  heardCalls: 10_000,
  /** Characters that are kept of what one command of the agent prints: its end. */
  printedChars: 100_000,
} as const;
