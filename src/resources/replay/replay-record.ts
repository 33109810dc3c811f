import type { StateReader } from '#eventlog/event-log.ts';
import { inCanonicalOrder } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ReplayRecord, RunRecord } from '#receipts/receipt-draft.ts';
import { identifiersOf, lifecycleOf, NOTHING_DONE, termsOf } from '#resources/receipt/run-record.ts';
import { type ReceiptState, receiptKeys } from '#resources/receipt/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import type { MissingDependency } from './record/history.ts';
import type { ReplayTerms, ReplayVerdict } from './schema.ts';

/** What a replay found; a canceled one has no verdict. */
export interface ReplayFinding {
  verdict: ReplayVerdict | null;
  missing: MissingDependency | null;
  /** What the run did when it ran again; absent where it did not get to its end. */
  run?: RunRecord;
}

const NOTHING_FOUND: ReplayFinding = { verdict: null, missing: null };

/** What the receipt of a replay says, and the hash that it follows; null where the source has no receipt. */
export interface ReplayReceipt {
  run: RunRecord;
  replay: ReplayRecord;
  previousHash: string | null;
}

/**
 * What a replay that has ended reports: what the run did as it came out again, with recorded times, and how the replay itself
 * ended. It reaches nobody, writes no file and spends nothing, whatever the run did.
 */
export function replayRecord(
  tx: StateReader,
  state: TaskState,
  finding: ReplayFinding = NOTHING_FOUND,
): ReplayReceipt {
  const terms = state.internal.replay;
  if (!terms) throw new Error(`${state.resource.id} replays nothing`);
  const run = finding.run ?? notRun(tx, replayedRun(tx, state));
  const { finalState, failure } = lifecycleOf(state.resource);
  const ofRun = identifiersOf(tx, replayedRun(tx, state), run.identifiers.personaRef);
  return {
    run: {
      ...run,
      subject: { object: 'replay_segment', id: state.resource.id },
      identifiers: { ...ofRun, taskId: state.resource.id },
      lifecycle: { ...run.lifecycle, finalState, failure },
      usage: null,
      fileWrites: [],
      networkEgress: [],
      handoffs: [],
    },
    replay: {
      deltas: terms.deltas.map((delta) => inCanonicalOrder(delta as unknown as JsonObject) as never),
      metadata: { replay: metadataOf(terms, finding) },
    },
    previousHash: hashOfReceipt(tx, terms.source_task_id),
  };
}

function metadataOf(terms: ReplayTerms, { verdict, missing, run }: ReplayFinding): JsonObject {
  const { source_task_id, ordinal, mode, checkpoint_id, checkpoint_event_id, refresh, reason } = terms;
  return {
    source_task_id,
    ordinal,
    mode,
    checkpoint_id,
    checkpoint_event_id,
    refresh,
    reason,
    verdict: verdict as JsonObject | null,
    missing: missing && { ...missing },
    run_final_state: run?.lifecycle.finalState ?? null,
  };
}

/** The run that was not made again: its times are known, what it did is not proved by this replay. */
function notRun(tx: StateReader, run: TaskState): RunRecord {
  const { personaRef, startTier, policyRef } = termsOf(run);
  return {
    ...NOTHING_DONE,
    subject: { object: 'task', id: run.resource.id },
    identifiers: identifiersOf(tx, run, personaRef),
    lifecycle: lifecycleOf(run.resource),
    trust: { startTier, endTier: startTier, policyRef },
    metadata: { frames: 0, route: run.internal.route, turns: 0 },
  };
}

/** The run at the end of the line where a replay of a replay is replayed. */
function replayedRun(tx: StateReader, state: TaskState): TaskState {
  const source = sourceOf(tx, state);
  return source ? replayedRun(tx, source) : state;
}

function sourceOf(tx: StateReader, { internal }: TaskState): TaskState | undefined {
  return internal.replay && tx.get<TaskState>(taskKeys.task(internal.replay.source_task_id));
}

function hashOfReceipt(tx: StateReader, taskId: string): string | null {
  const receiptId = tx.get<TaskState>(taskKeys.task(taskId))?.resource.receipt_id;
  const receipt = receiptId ? tx.get<ReceiptState>(receiptKeys.receipt(receiptId)) : undefined;
  return receipt?.internal.hash ?? null;
}
