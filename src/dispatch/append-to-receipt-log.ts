import type { Transaction } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { ReceiptLogState } from '../projections/states.ts';
import { encodeLeaf, type LogLeaf } from '../receipts/log-leaf.ts';
import { leafKey } from '../store/keys.ts';

/**
 * Makes a receipt the next leaf of the gateway-wide receipt log, in the transaction that issues it. Returns its index, which
 * the `receipt.issued` event of the same transaction has to carry as `log_index`: the log is counted by it.
 */
export function appendToReceiptLog(tx: Transaction, leaf: LogLeaf): number {
  const index = tx.get<ReceiptLogState>(stateKey.receiptLog())?.size ?? 0;
  tx.record(leafKey(index), encodeLeaf(leaf));
  return index;
}
