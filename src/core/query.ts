import type { Caller } from '#auth/caller.ts';
import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import type { Answer } from '#gateway.ts';
import { conceal, holdsScope } from '#policy/access.ts';
import type { ProtocolVersion } from '#protocol/versions.ts';
import type { BackupTools } from '#resources/backup/backup-tools.ts';
import type { BundleTools } from '#resources/bundle/bundle-tools.ts';
import type { LiveMemory } from '#resources/live-client/live-memory.ts';
import type { OperationInput, QueryId } from '#resources/operations.ts';
import type { ReceiptLog } from '#resources/receipt/receipt-log.ts';
import type { ReplayCheck } from '#resources/replay/schema.ts';
import type { SessionInputs } from '#resources/session-input/session-inputs.ts';
import type { FileTree } from '#store/file-tree.ts';
import type { ApprovalFacts, CallerName, SelfFacts, SigningKeyFacts } from './facts.ts';

/** What a query reads with. */
export interface QueryTools {
  log: EventLog;
  /** Durable folds. */
  reader: StateReader;
  caller: Caller;
  /** What the log may say about the caller. */
  by: CallerName;
  /** The version the call is in. */
  version: ProtocolVersion;
  /** Files under workspace roots. */
  files: Pick<FileTree, 'read'>;
  /** RFC 3339 time of the call: what has expired by then is absent. */
  time: string;
  self: SelfFacts;
  approvals: ApprovalFacts;
  /** What the caller accepts; undefined: JSON. */
  accept: string | undefined;
  receiptLog: Pick<ReceiptLog, 'head' | 'read'>;
  signingKeys: Pick<SigningKeyFacts, 'rows'>;
  bundles: BundleTools;
  live: LiveMemory;
  inputs: SessionInputs;
  /** The replay check that runs, else the newest since the start. */
  newestReplayCheck(): ReplayCheck | undefined;
  backups: BackupTools;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

export type Query<Id extends QueryId> = (
  input: OperationInput<Id>,
  tools: QueryTools,
) => Answer | Promise<Answer>;

/** Queries by operation; a row of the operations table without one does not compile. */
export type Queries = { readonly [Id in QueryId]: Query<Id> };

/** A resource as this caller may see it: without what is internal, unless its scopes allow that. */
export function ok(resource: object, caller: Caller): Answer {
  return {
    status: 200,
    body: { kind: 'json', value: conceal(resource, holdsScope(caller, 'internal:read')) },
  };
}

/** One page of a list, with the top-level copies of the page members. */
export function page(data: readonly object[], nextCursor: string | null, caller: Caller): Answer {
  const has_more = nextCursor !== null;
  const value = {
    object: 'list',
    data,
    page: { has_more, next_cursor: nextCursor },
    has_more,
    next_cursor: nextCursor,
  };
  return ok(value, caller);
}
