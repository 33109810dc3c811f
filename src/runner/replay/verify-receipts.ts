import type { EventLog } from '#eventlog/event-log.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import type { ReceiptVerdict } from '#receipts/verify-chain.ts';
import { verifyStoredReceipt } from '#resources/receipt/verify-receipt.ts';
import { damageOf, type Tampering } from '#resources/replay/load-history.ts';
import type { History } from '#resources/replay/record/history.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { TaskState } from '#resources/states.ts';

/**
 * Verifies the receipts of a run, every step and with the whole chain of its Session before them; where a replay is replayed,
 * its receipt too. Returns the first that does not verify.
 */
export async function receiptTampering(
  log: EventLog,
  keys: VerificationKeys,
  { events, sessionId }: Pick<History, 'events' | 'sessionId'>,
  sourceTaskId: string,
): Promise<Tampering | undefined> {
  // The events are verified against their commits already, so no receipt can be left out by changing a state.
  const issued = events.findLast(({ event }) => event === 'receipt.issued')?.payload['receipt_id'];
  const named = log.state<TaskState>(stateKey.task(sourceTaskId))?.resource.receipt_id;
  for (const id of new Set([issued, named])) {
    if (typeof id !== 'string') continue;
    const found = await tamperingOf(log, keys, id, sessionId);
    if (found) return found;
  }
  return undefined;
}

async function tamperingOf(
  log: EventLog,
  keys: VerificationKeys,
  receiptId: string,
  sessionId: string,
): Promise<Tampering | undefined> {
  let verdict: ReceiptVerdict;
  try {
    verdict = await verifyStoredReceipt(log, keys, receiptId);
  } catch (error) {
    return { status: 'tamper_detected', index: 0, where: `receipts of ${sessionId}`, ...damageOf(error) };
  }
  const { ok, step, index, expected, observed } = verdict;
  if (ok) return undefined;
  return {
    status: 'tamper_detected',
    index: index ?? 0,
    where: `receipt ${index} of ${sessionId}: ${step}`,
    expected: String(expected),
    observed: String(observed),
  };
}
