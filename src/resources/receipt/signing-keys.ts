import type { SigningKeyFacts } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { EventLog, Transaction } from '#eventlog/event-log.ts';
import { decodeFold } from '#eventlog/fold-record.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { KeyRow } from '#receipts/key-registry.ts';
import type { Store } from '#store/store.ts';
import type { SigningKey } from './schema.ts';
import {
  type CleanSigningKeyState,
  type CleanSigningKeysState,
  receiptKeys,
  type SigningKeysState,
} from './state.ts';

export function signingKeyOf(row: KeyRow): Clean<SigningKey> {
  // The registry is a file of the gateway's own.
  const { key_id, algorithm, public_key, not_before, not_after, revoked_at } = fromLog(row);
  return {
    id: key_id,
    object: 'signing_key',
    created_at: not_before,
    updated_at: revoked_at ?? not_after ?? not_before,
    metadata: {},
    algorithm,
    public_key,
    status: revoked_at !== null ? 'revoked' : not_after !== null ? 'retired' : 'current',
    not_before,
    not_after,
    revoked_at,
  };
}

/**
 * Makes the log say what the registry says, one event per key that changed. The registry is a file beside the log, so after a
 * crash the log may be behind it, never before it. A first key that nobody touched has no event, but in a log that several nodes
 * share: each has a registry of its own.
 */
export function recordSigningKeys(tx: Transaction, keys: Pick<SigningKeyFacts, 'rows' | 'isShared'>): void {
  const rows = keys.rows();
  if (!keys.isShared && rows.length === 1 && rows.every(({ not_after }) => not_after === null)) return;
  const inLog = tx.get<CleanSigningKeysState>(receiptKeys.signingKeys)?.keys ?? [];
  for (const row of rows) {
    const key = signingKeyOf(row);
    const known = tx.get<CleanSigningKeyState>(receiptKeys.signingKey(key.id));
    const isKnown = !keys.isShared || inLog.some(({ key_id }) => key_id === key.id);
    if (isKnown && known?.status === key.status) continue;
    const { status, public_key, not_before, not_after, revoked_at } = key;
    const payload = { key_id: key.id, public_key, status, not_before, not_after, revoked_at };
    tx.append(
      newEvent('vendor.harn_gateway.signing_key_changed', { object: 'signing_key', id: key.id }, {}, payload),
    );
  }
}

/** Records at the start what a crash kept from the log. */
export async function ensureSigningKeys(
  log: EventLog,
  keys: Pick<SigningKeyFacts, 'rows' | 'isShared'>,
): Promise<void> {
  await log.transact({ actor: null }, (tx) => recordSigningKeys(tx, keys));
}

/** The keys of which a store has the public halves. Throws IntegrityError. */
export function keysIn(store: Pick<Store, 'get'>): readonly KeyRow[] {
  const key = receiptKeys.signingKeys;
  const stored = store.get(key);
  if (stored === undefined) return [];
  const { keys } = decodeFold(key, stored).state as SigningKeysState;
  return keys.map((row) => ({ ...row, algorithm: 'Ed25519' }));
}
