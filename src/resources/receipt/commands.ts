import type { Command, Handlers } from '#core/command.ts';
import { load, notFound } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import {
  getReceipt,
  getReceiptLogConsistency,
  getReceiptLogHead,
  getReceiptLogInclusion,
  listSigningKeys,
  listTaskReceipts,
} from './queries.ts';
import type { ReceiptVerification } from './schema.ts';
import { recordSigningKeys, signingKeyOf } from './signing-keys.ts';
import type { StoredVerdict } from './verify-receipt.ts';

/** Reading the chain takes its time, so it is done outside of a transaction; what it found is recorded in one. */
const verifyReceipt: Command<'verifyReceipt'> = {
  decide({ path, sent }, tx, facts) {
    const { resource } = load(tx, facts.caller, 'receipt', path.receipt_id);
    return {
      effect: {
        kind: 'verify_receipt',
        receiptId: resource.id,
        trustAnchor: sent?.trust_anchor ?? undefined,
      },
    };
  },

  conclude({ path, body }, tx, facts, { receiptVerdict: performed }) {
    const { resource } = load(tx, facts.caller, 'receipt', path.receipt_id);
    if (performed === undefined) throw new Error('a receipt is verified before its verdict is recorded');
    const verdict = asOf(performed, resource.issued_at, body?.at_time ?? undefined);
    const { workspace_id, session_id, task_id } = resource;
    const verification = facts.redact<ReceiptVerification>({
      valid: verdict.ok,
      checked_at: tx.time,
      reason: reasonOf(verdict),
      details: { ...verdict },
    }).value;
    const kind = verdict.ok ? 'receipt.verified' : 'receipt.verification_failed';
    const place = { workspace_id, session_id, task_id };
    tx.append(
      newEvent(kind, { object: 'receipt', id: resource.id }, place, {
        receipt_id: resource.id,
        verification,
      }),
    );
    return { body: verification };
  },
};

/** At that time the receipt was not there yet. */
function asOf(verdict: StoredVerdict, issuedAt: string, atTime: string | undefined): StoredVerdict {
  if (!verdict.ok || atTime === undefined || Date.parse(issuedAt) <= Date.parse(atTime)) return verdict;
  return {
    ...verdict,
    ok: false,
    step: 'signatures',
    expected: `issued at ${atTime} or before`,
    observed: issuedAt,
  };
}

function reasonOf({ ok, step, index }: StoredVerdict): string | null {
  if (ok) return null;
  return index === null
    ? `The step ${step} fails.`
    : `The step ${step} fails at receipt ${index} of the chain.`;
}

/**
 * The registry changes inside of the decision: every receipt is signed in a transaction, so each one before this has the old
 * key and a time in its window, and each one after it the new key.
 */
const rotateSigningKey: Command<'rotateSigningKey'> = {
  decide(_input, tx, { signingKeys }) {
    const row = signingKeys.rotate(tx.time);
    recordSigningKeys(tx, signingKeys);
    return { body: signingKeyOf(row) };
  },
};

/** Inside of the decision for the reason of a rotation. */
const revokeSigningKey: Command<'revokeSigningKey'> = {
  decide({ path }, tx, { signingKeys }) {
    const row = signingKeys.revoke(path.signing_key_id, tx.time);
    if (row === undefined) throw notFound('signing_key');
    recordSigningKeys(tx, signingKeys);
    return { body: signingKeyOf(row) };
  },
};

export const handlers = {
  revokeSigningKey,
  rotateSigningKey,
  verifyReceipt,
  getReceipt,
  getReceiptLogConsistency,
  getReceiptLogHead,
  getReceiptLogInclusion,
  listSigningKeys,
  listTaskReceipts,
} satisfies Partial<Handlers>;
