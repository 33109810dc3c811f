import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { Restored, RestoreRequest } from '#resources/bundle/restore-session.ts';
import type { CommandId, OperationInput, RawBody, SpooledBody } from '#resources/operations.ts';
import type { StoredVerdict } from '#resources/receipt/verify-receipt.ts';
import type { ReplayCheck, ReplayCheckRequest } from '#resources/replay/schema.ts';
import type { ReloadReport } from '#resources/runtime/schema.ts';
import type { CancelReport } from '#resources/task/events.ts';
import type { FileRoot } from '#store/file-tree.ts';
import type { Facts } from './facts.ts';
import type { Queries } from './query.ts';

/** What a command decided: the resource to answer with, and the status when it is not the operation's usual one. */
export interface Decided {
  body: object;
  status?: number;
  /** Id of a Task that was accepted and is next in its lane: the answer may wait a moment for it to start. */
  startsSoon?: string;
}

/**
 * A decoded call without its secrets. Ids in the path only name what is loaded. `sent`: the body as the caller sent it, for what
 * goes on to an agent or is kept encrypted; the very same as `body` where there was nothing to hide.
 */
export interface CommandInput<Id extends CommandId> {
  path: OperationInput<Id>['path'];
  query: Clean<OperationInput<Id>['query']>;
  body: CleanBody<OperationInput<Id>['body']>;
  sent: OperationInput<Id>['body'];
  /** The query as the caller sent it, for the name of something that lies outside of the log. */
  asked: OperationInput<Id>['query'];
}

/** Bytes are not read: what is recorded about them is cleaned where it is recorded. */
type CleanBody<Body> = Body extends RawBody | SpooledBody | undefined ? Body : Clean<Body>;

/**
 * A command decides on the newest state and appends what happened; it is pure but for its arguments. Naming an effect makes
 * it two-phased: after the first phase is durable the effect happens, then `conclude` decides the answer. A crash in
 * between leaves the effect without what `conclude` would have recorded.
 */
export interface Command<Id extends CommandId> {
  decide(input: CommandInput<Id>, tx: Transaction, facts: Facts): Decided | Deferred;
  conclude?(input: CommandInput<Id>, tx: Transaction, facts: Facts, done: EffectResult): Decided;
  /**
   * Reads the answer to a repeated call again, by the id of what was made. Only that id is then kept under the caller's key:
   * for what can be deleted, and must not live on there.
   */
  again?(id: string, tx: Transaction, facts: Facts): Decided;
  /** Records that a call was refused, in a transaction of its own. */
  refused?(path: OperationInput<Id>['path'], tx: Transaction, facts: Facts, error: ProtocolError): void;
  /** Calls with the same key run one after another, both phases and the effect, so that their order is that of the log. */
  mutexKey?(path: OperationInput<Id>['path']): string;
}

/** The ended Tasks of a Session, or those of one trace among them. */
export interface SessionSource {
  sessionId: string;
  traceId?: string;
}

/** What happens outside the log between the phases of a command. */
export type Effect =
  /** The upstream takes note of a cancel; bounded. */
  | { kind: 'await_cancel'; taskId: string }
  /** The URL of a caller proves to be one that may be called. */
  | { kind: 'check_target'; url: string }
  /** Refuses when something is missing that a replay of these Tasks, or of all of a Session, would need. */
  | { kind: 'check_replay'; source: { taskId: string } | SessionSource }
  /** What runs or waits on what is halted has ended, and the programs of halted agents are stopped; bounded. */
  | { kind: 'stop_halted' }
  /** The agent of a route may be reached again, unless another halt stops it. */
  | { kind: 'start_released'; route: string }
  /** Replays of many Tasks begin; refused with `conflict` while others run. */
  | { kind: 'start_replay_check'; request: ReplayCheckRequest }
  /** What an erasure names is removed, as far as that is done in a short time; the rest goes on by itself. */
  | { kind: 'erase'; erasureId: string }
  /** The configuration is read again and takes effect, on record as asked for by `actor`. */
  | { kind: 'reload'; actor: string }
  /** A file becomes durable. */
  | { kind: 'write_file'; root: FileRoot; names: readonly string[]; bytes: Buffer }
  /** The history of a bundle is being written. No reader sees it yet. */
  | { kind: 'restore_session'; request: RestoreRequest }
  /** A receipt is verified with the chain before it; `trustAnchor` is the only key that counts, if named. */
  | { kind: 'verify_receipt'; receiptId: string; trustAnchor: string | undefined };

/** What an effect found out. */
export interface EffectResult {
  /** Of `await_cancel`, where the agent did not confirm it. */
  cancelReport?: CancelReport;
  /** Of `check_replay`: the Tasks that can be replayed, oldest first. */
  taskIds?: readonly string[];
  /** Of `stop_halted`: how many tasks were ended. */
  endedTasks?: number;
  /** Of `start_replay_check`: as it begins. */
  replayCheck?: ReplayCheck;
  /** Of `erase`. */
  erasureId?: string;
  /** Of `reload`. */
  reload?: ReloadReport;
  /** Of `restore_session`. */
  restored?: Restored;
  /** Of `verify_receipt`. */
  receiptVerdict?: StoredVerdict;
}

/** The answer has to wait for an effect. */
export interface Deferred {
  effect: Effect;
}

/** Commands by operation; a row of the operations table without one does not compile. */
export type Commands = { readonly [Id in CommandId]: Command<Id> };

/** What the gateway does, by operation; streams and documents are not among them. */
export type Handlers = Commands & Queries;
