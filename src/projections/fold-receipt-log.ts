import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { stateKey } from './state-keys.ts';
import type { ReceiptLogState } from './states.ts';

/**
 * Counts the receipt log by the `log_index` of `receipt.issued`. The largest index decides, so that it does not matter which
 * of the events retention has removed.
 */
export function foldReceiptLog({ payload }: Event, states: StateWriter): void {
  const key = stateKey.receiptLog();
  const size = states.get<ReceiptLogState>(key)?.size ?? 0;
  const index = Number(payload['log_index']);
  if (index >= size) states.set(key, { size: index + 1 } satisfies ReceiptLogState);
}
