import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type TrustChainState, type TrustRecordState, trustKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.trust_recorded': [foldTrustRecorded],
};

/**
 * Lists a trust record and moves the head of its chain. The largest index decides, so that it does not matter which of the
 * events retention has removed.
 */
function foldTrustRecorded(event: Event, states: StateWriter): void {
  const recorded = payload(event, 'vendor.harn_gateway.trust_recorded');
  const { record_id, topic, chain_index, entry_hash } = recorded;
  states.set(trustKeys.trustRecord(record_id), { topic, chain_index, entry_hash } satisfies TrustRecordState);
  states.index(trustKeys.trustRecords(topic) + record_id);
  const key = trustKeys.trustChain(topic);
  const count = states.get<TrustChainState>(key)?.count ?? 0;
  if (chain_index > count)
    states.set(key, { count: chain_index, head: entry_hash } satisfies TrustChainState);
}
