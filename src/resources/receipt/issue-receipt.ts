import type { DecisionTools } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type CleanText, fromLog, own } from '#protocol/clean.ts';
import { buildReceipt, type SealedReceipt, sealReceipt } from '#receipts/build-receipt.ts';
import { encodeLeaf, type LogLeaf, rootOf } from '#receipts/merkle.ts';
import type { ReceiptPlace, RunRecord } from '#receipts/receipt-draft.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { type ReplayFinding, replayRecord } from '#resources/replay/replay-record.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { leafKey, receiptKey } from '#store/keys.ts';
import { acceptanceRecord, taskRecord } from './run-record.ts';
import { type CleanReceiptChainState, type ReceiptLogState, receiptKeys } from './state.ts';

/** Whether receipts are issued for a task; its persona may have disabled them when it was accepted. */
export function issuesReceipts({ internal }: Pick<CleanTaskState, 'internal'>): boolean {
  return internal.persona?.receipt_policy !== 'disabled';
}

/**
 * Whether the acceptance of a task has a receipt of its own: as its persona says, else as the operator does. The receipt of
 * the end proves both. Decision: src/receipts/README.md, "When a receipt is issued".
 */
export function provesAcceptance(
  persona: Pick<Persona, 'receipt_policy'> | undefined,
  { receipts }: Pick<DecisionTools, 'receipts'>,
): boolean {
  return persona === undefined ? receipts.acceptance : persona.receipt_policy === 'required';
}

/** Proves that a task was accepted, in the transaction of its `task.submitted` event; see src/receipts/README.md, When a receipt is issued. */
export function issueAcceptanceReceipt(
  tx: Transaction,
  tools: DecisionTools,
  taskId: string,
  receiptId: CleanText,
  eventId: string,
): void {
  const state = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (state) issue(tx, tools, state, receiptId, acceptanceRecord(tx, state, eventId));
}

/** Drawn for a run; of a replay it follows from the id of the Task, which is derived itself; see src/receipts/README.md, Receipts of replays. */
export function receiptIdFor({ resource, internal }: CleanTaskState, tools: DecisionTools): CleanText {
  return internal.replay ? own(resource.id.replace(/^task_/, 'receipt_')) : tools.newId('receipt');
}

/** Proves how a task ended, in the transaction of its terminal event; of a replay also what it found. */
export function issueTaskReceipt(
  tx: Transaction,
  tools: DecisionTools,
  taskId: string,
  receiptId: CleanText,
  finding?: ReplayFinding,
): void {
  if (tools.receipts.isRehearsal) return;
  const state = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (state?.internal.replay) issueReplayReceipt(tx, tools, state, receiptId, finding);
  else if (state) issue(tx, tools, state, receiptId, taskRecord(tx, state));
}

function issue(
  tx: Transaction,
  { receipts }: DecisionTools,
  { resource }: CleanTaskState,
  receiptId: CleanText,
  run: RunRecord,
): void {
  if (receipts.isRehearsal) return;
  const key = receipts.key();
  const chain = tx.get<CleanReceiptChainState>(receiptKeys.receiptChain(resource.session_id));
  const place: ReceiptPlace = {
    receiptId,
    issuedAt: tx.time,
    issuer: receipts.issuer,
    keyId: key.keyId,
    previousHash: chain?.head ?? null,
    merkleRoot: chain === undefined ? null : `sha256:${rootOf(chain.frontier)}`,
  };
  const sealed = sealReceipt(buildReceipt(run, place), key);
  recordReceipt(tx, resource, { run, place, sealed, follows: 'session' });
}

/**
 * The same bytes on every gateway that has the same history and the same name, but for the signatures: they follow the receipt
 * of the source, are no link of the chain of the session, and name no key. See src/receipts/README.md, Receipts of replays.
 */
function issueReplayReceipt(
  tx: Transaction,
  { receipts }: DecisionTools,
  state: CleanTaskState,
  receiptId: CleanText,
  finding: ReplayFinding | undefined,
): void {
  const { run, replay, previousHash } = replayRecord(tx, state, finding);
  const key = receipts.key();
  const place: ReceiptPlace = {
    receiptId,
    issuedAt: run.lifecycle.completedAt,
    issuer: receipts.issuer,
    keyId: null,
    previousHash,
    merkleRoot: null,
  };
  const sealed = sealReceipt(buildReceipt(run, place, replay), key);
  const signedPlace = { ...place, keyId: key.keyId };
  recordReceipt(tx, state.resource, { run, place: signedPlace, sealed, follows: 'replay_source' });
}

/** A receipt that is to be written. */
export interface IssuedReceipt {
  run: { subject: RunRecord['subject']; lifecycle: Pick<RunRecord['lifecycle'], 'finalState'> };
  place: Pick<ReceiptPlace, 'receiptId' | 'previousHash' | 'issuer' | 'keyId'>;
  sealed: SealedReceipt;
  follows: 'session' | 'replay_source';
}

/** Writes a receipt, makes it a leaf of the receipt log, and appends the one event that says so. */
function recordReceipt(
  tx: Transaction,
  task: CleanTaskState['resource'],
  { run, place, sealed, follows }: IssuedReceipt,
): void {
  tx.record(receiptKey(place.receiptId), sealed.bytes);
  const log_index = appendToReceiptLog(tx, { receiptHash: sealed.hash, receiptId: place.receiptId });
  // A receipt is made of what is in the log.
  const { receiptId, previousHash, issuer, keyId } = fromLog(place);
  tx.append(
    newEvent('receipt.issued', { object: 'receipt', id: receiptId }, placeOfTask(task), {
      receipt_id: receiptId,
      receipt_hash: own(sealed.hash),
      previous_receipt_hash: previousHash,
      subject: fromLog(run.subject),
      final_state: run.lifecycle.finalState,
      issuer: issuer.id,
      key_id: keyId,
      log_index,
      follows,
    }),
  );
}

/**
 * Makes a receipt the next leaf of the gateway-wide receipt log, in the transaction that issues it. Returns its index, which
 * the `receipt.issued` event of the same transaction has to carry as `log_index`: the log is counted by it.
 */
export function appendToReceiptLog(tx: Transaction, leaf: LogLeaf): number {
  const index = tx.get<ReceiptLogState>(receiptKeys.receiptLog)?.size ?? 0;
  tx.record(leafKey(index), encodeLeaf(leaf));
  return index;
}
