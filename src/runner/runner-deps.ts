import type { DecisionTools } from '#core/facts.ts';
import type { ReadAhead } from '#core/read-ahead.ts';
import type { EventLog, Projection } from '#eventlog/event-log.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Logger } from '#protocol/ports.ts';
import type { TraceContext } from '#protocol/trace-context.ts';
import type { Interpret, ProtocolClient, TracedExchange, Turn } from '#protocol-client.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import type { FrameNumbers } from '#resources/task/task-frames.ts';
import type { Guards } from './upstream-guard.ts';

/** What the task runner and its runs get from the composition root. */
export interface RunnerDeps {
  log: EventLog;
  tools: DecisionTools;
  clients: ReadonlyMap<string, ProtocolClient>;
  logger: Logger;
  project: Projection;
  openInput(sealed: Buffer): Buffer;
  /** What the frames of a route mean, configured or not; undefined when no bridge knows its words. */
  interpretOf(route: string): Interpret | undefined;
  verificationKeys(): VerificationKeys;
  redactFrame: DecisionTools['redact'];
  /** Default: frames are read at once, however large. */
  readAhead?: ReadAhead;
  /** Reads JSON that this gateway has written; at once where it is short. */
  parse(text: string): JsonValue | Promise<JsonValue>;
  frameNumbers: FrameNumbers;
  guards: Guards;
  /**
   * Resolves once this process may act on what it has committed, or when the signal aborts. Rejects with `service_unavailable` where
   * another one decides. Default: it may at any time.
   */
  mayAct?(signal: AbortSignal): Promise<void>;
  /** The agent of a task said something for the first time in a turn. Default: nobody asks. */
  onFirstFrame?(taskId: string): void;
  /** Begins an exchange with an agent, in the turn that has this place in its trace. Default: none is traced. */
  traceExchange?(place: TraceContext, ...exchange: Parameters<NonNullable<Turn['begins']>>): TracedExchange;
  limits: { perRoute: (route: string) => number; total: number; cancelWaitMs: number; acceptWaitMs: number };
  nowMs(): number;
  /**
   * To be listened to itself and not through AbortSignal.any, which keeps no timeout alive: it would never come where garbage is
   * collected meanwhile (Node 20).
   */
  timeoutSignal(ms: number): AbortSignal;
}
