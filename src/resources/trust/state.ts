import type { Clean } from '#protocol/clean.ts';
import { idKey, textKey, textList } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const trustKeys = {
  trustRecord: idKey('r/trust_record/'),
  trustChain: textKey('x/trust-chain/'),
  /** The trust records of one chain; ids sort in its order. */
  trustRecords: textList('l/trust-record/'),
  /** Heads of the chains of trust records. */
  trustChains: 'x/trust-chain/',
} as const;

/** Where a trust record is; its bytes are a record of their own. */
export interface TrustRecordState {
  topic: string;
  chain_index: number;
  /** `sha256:` and hex. */
  entry_hash: string;
}

/** The chain of the trust records of one workspace or tenant. */
export interface TrustChainState {
  count: number;
  /** Hash of the newest record, `sha256:` and hex. */
  head: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanTrustChainState = Clean<TrustChainState>;
