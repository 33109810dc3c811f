import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey } from '#resources/states.ts';
import type { Receipt, SigningKey } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const receiptKeys = {
  receipt: idKey<CleanReceiptState>('r/receipt/'),
  /** By session. */
  receiptChain: idKey('x/receipt-chain/'),
  signingKey: idKey('x/signing-key/'),
  /** All of those whose public halves are in the log. */
  signingKeys: 'x/signing-keys',
  receiptLog: 'x/receipt-log/size',
} as const;

/** What is kept of a receipt besides its bytes, which are a record of their own. */
export type ReceiptState = Folded<
  Omit<Receipt, 'wire'>,
  {
    /** `sha256:` and hex. */
    hash: string;
    /** Place in the gateway-wide receipt log, from 0. */
    log_index: number;
    /** Place in the chain of its session, from 0; null for a replay, which follows its source instead. */
    chain_index: number | null;
    /** The receipt before it in that chain; absent for the first one, and for a replay. */
    previous_id?: string;
  }
>;

/** The chain of the receipts of one session. */
export interface ReceiptChainState {
  count: number;
  /** Id of the newest receipt. */
  newest: string;
  /** Its hash, `sha256:` and hex. */
  head: string;
  /** RFC 6962 frontier over all hashes of the chain, hex. */
  frontier: string[];
}

/** What the log says of a signing key; the registry is the file beside it. */
export interface SigningKeyState {
  status: 'current' | 'retired' | 'revoked';
}

/** What the nodes of a log have to know of each other's keys, oldest first. */
export interface SigningKeysState {
  keys: SharedKey[];
}

export interface SharedKey
  extends Pick<SigningKey, 'public_key' | 'not_before' | 'not_after' | 'revoked_at'> {
  key_id: string;
}

/** How many receipts were issued; the next one becomes the leaf of this index. */
export interface ReceiptLogState {
  size: number;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanReceiptState = Clean<ReceiptState>;
export type CleanReceiptChainState = Clean<ReceiptChainState>;
export type CleanSigningKeyState = Clean<SigningKeyState>;
export type CleanSigningKeysState = Clean<SigningKeysState>;
