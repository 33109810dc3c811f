import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { appendLeaf } from '#receipts/merkle.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { receiptSaid } from '#resources/said-slots.ts';
import { forgetRunFacts, runFactsOf } from '#resources/task/fold-run.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import {
  type ReceiptChainState,
  type ReceiptLogState,
  type ReceiptState,
  receiptKeys,
  type SharedKey,
  type SigningKeyState,
  type SigningKeysState,
} from './state.ts';

export const folds: Folds = {
  'receipt.issued': [foldReceiptIssued, foldReceiptLog],
  'receipt.verified': [foldReceiptVerified],
  'receipt.verification_failed': [foldReceiptVerified],
  'vendor.harn_gateway.signing_key_changed': [foldSigningKeyChanged],
};

type Issued = PayloadOf<'receipt.issued'>;

/** Subjects of the receipt that a Task ends with. */
const ENDS_TASK: ReadonlySet<Issued['subject']['object']> = new Set(['task', 'replay_segment']);

/** Makes the Receipt resource, moves the chain of its session, and names the receipt where it belongs. */
function foldReceiptIssued(event: Event, states: StateWriter): void {
  const issued = payload(event, 'receipt.issued');
  const { session_id, task_id } = event;
  const said = receiptSaid(event);
  if (said === undefined || session_id === null || task_id === null) return;
  const place = issued.follows === 'session' ? growChain(session_id, issued, states) : { chain_index: null };
  const resource = states.said(event, said);
  const internal = { hash: issued.receipt_hash, log_index: issued.log_index, ...place };
  states.set(receiptKeys.receipt(resource.id), { resource, internal } satisfies ReceiptState);
  if (ENDS_TASK.has(issued.subject.object)) nameReceipt(task_id, resource.id, states);
  else addReceipt(task_id, resource.id, states);
}

/** Returns the place of the receipt in the chain. */
function growChain(
  sessionId: string,
  { receipt_id, receipt_hash }: Issued,
  states: StateWriter,
): Pick<ReceiptState['internal'], 'chain_index' | 'previous_id'> {
  const key = receiptKeys.receiptChain(sessionId);
  const before = states.get<ReceiptChainState>(key);
  const { count, frontier } = before ?? { count: 0, frontier: [] };
  const leaf = receipt_hash.slice('sha256:'.length);
  const grown = {
    count: count + 1,
    newest: receipt_id,
    head: receipt_hash,
    frontier: appendLeaf(frontier, count, leaf),
  };
  states.set(key, grown satisfies ReceiptChainState);
  return { chain_index: count, ...(before === undefined ? {} : { previous_id: before.newest }) };
}

/** A receipt besides the one that the Task ends with. */
function addReceipt(taskId: string, receiptId: string, states: StateWriter): void {
  const task = states.draft<TaskState>(taskKeys.task(taskId));
  if (task) task.internal.receipts = [...(task.internal.receipts ?? []), receiptId];
}

/** The receipt of a Task is also that of its Outcome and of the Artifacts it names. */
function nameReceipt(taskId: string, receiptId: string, states: StateWriter): void {
  const task = states.draft<TaskState>(taskKeys.task(taskId));
  if (!task) return;
  for (const fact of runFactsOf(states, task))
    if (fact.kind === 'artifact') nameIn(states, artifactKeys.artifact(fact.id), receiptId);
  forgetRunFacts(states, task);
  task.resource.receipt_id = receiptId;
}

function nameIn(states: StateWriter, key: string, receiptId: string): void {
  const state = states.draft<ArtifactState>(key);
  if (state) state.resource.receipt_id = receiptId;
}

/** The Receipt shows the newest verification that was asked for. */
function foldReceiptVerified(event: Event, states: StateWriter): void {
  const { receipt_id, verification } = payload(event, 'receipt.verified');
  const state = states.draft<ReceiptState>(receiptKeys.receipt(receipt_id));
  if (state === undefined) return;
  state.resource.updated_at = event.created_at;
  state.resource.verification = verification;
}

/**
 * Counts the receipt log by the `log_index` of `receipt.issued`. The largest index decides, so that it does not matter which
 * of the events retention has removed.
 */
function foldReceiptLog({ payload }: Event, states: StateWriter): void {
  const key = receiptKeys.receiptLog;
  const size = states.get<ReceiptLogState>(key)?.size ?? 0;
  const index = Number(payload['log_index']);
  if (index >= size) states.set(key, { size: index + 1 } satisfies ReceiptLogState);
}

function foldSigningKeyChanged(event: Event, states: StateWriter): void {
  const { status, public_key, ...window } = payload(event, 'vendor.harn_gateway.signing_key_changed');
  states.set(receiptKeys.signingKey(window.key_id), { status } satisfies SigningKeyState);
  if (public_key === undefined) return;
  const { keys } = states.get<SigningKeysState>(receiptKeys.signingKeys) ?? { keys: [] };
  const row: SharedKey = { ...window, public_key };
  const isKnown = keys.some(({ key_id }) => key_id === row.key_id);
  const next = isKnown ? keys.map((key) => (key.key_id === row.key_id ? row : key)) : [...keys, row];
  states.set(receiptKeys.signingKeys, { keys: next } satisfies SigningKeysState);
}
