import { createHash } from 'node:crypto';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { ReceiptContent } from './receipt-draft.ts';

/** Signs the hash of a receipt. Its key does not change between the two uses of it in one receipt. */
export interface ReceiptKey {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface SealedReceipt {
  /** `sha256:` and hex. */
  hash: string;
  /** The canonical receipt as it is stored and served. */
  bytes: Buffer;
}

const HASH_MEMBER = ',"receipt_hash":"';
/** As long as every hash: what is hashed leaves its member out, so that it is written in its place afterwards. */
const NO_HASH = `sha256:${'0'.repeat(64)}`;
const SIGNATURES = ',"signatures":[{';
/** As long as the base64 of every ed25519 signature. */
const NO_SIGNATURE = 'A'.repeat(88);
const SUBJECT = ',"subject":{"id":';

/**
 * Hashes a receipt over its RFC 8785 bytes without `chain.receipt_hash` and `signatures`, and signs that hash. The bytes are made
 * once, with room for both; what is hashed is the very bytes that are stored and served. There is no `signed_at`: nothing would
 * cover it, and `issued_at` is hashed. Without a key the receipt has no `signatures`, as in a replay. Throws RangeError for a
 * signature that is no ed25519 one. Spec: Agents Protocol v1, "Receipt wire format"; RFC 8785.
 */
export function sealReceipt(content: ReceiptContent, key: ReceiptKey | null): SealedReceipt {
  const bytes = Buffer.from(textOf(content, key));
  // What stands before the chain is of the approvals, which may say anything; behind the subject nothing is free text.
  const chain = bytes.indexOf(HASH_MEMBER, Buffer.byteLength(approvalsOf(content)));
  const afterHash = chain + HASH_MEMBER.length + NO_HASH.length + 1;
  const subject = bytes.lastIndexOf(SUBJECT);
  const signatures = key === null ? subject : bytes.lastIndexOf(SIGNATURES, subject);
  const hashed = createHash('sha256').update(bytes.subarray(0, chain));
  hashed.update(bytes.subarray(afterHash, signatures)).update(bytes.subarray(subject));
  const hash = `sha256:${hashed.digest('hex')}`;
  bytes.write(hash, chain + HASH_MEMBER.length);
  if (key === null) return { hash, bytes };
  const signature = Buffer.from(key.sign(Buffer.from(hash))).toString('base64');
  if (signature.length !== NO_SIGNATURE.length)
    throw new RangeError('A signature of a receipt has 64 bytes.');
  bytes.write(signature, subject - `${NO_SIGNATURE}"}]`.length);
  return { hash, bytes };
}

/** A member name that objects keep before all others, whatever the order they were written in. */
const NUMBER_NAME = /"(?:0|[1-9]\d*)":/;

/** The members are written in canonical order; only names that are whole numbers need the longer way. */
function textOf({ subject, trust, ...content }: ReceiptContent, key: ReceiptKey | null): string {
  const signed = key && {
    signatures: [{ algorithm: 'ed25519', key_id: key.keyId, signature: `base64:${NO_SIGNATURE}` }],
  };
  const chain = { ...content.chain, receipt_hash: NO_HASH };
  const receipt = { ...content, chain, ...signed, subject, trust };
  const text = JSON.stringify(receipt);
  return NUMBER_NAME.test(text) ? canonicalJson(receipt as unknown as JsonValue) : text;
}

function approvalsOf({ approvals }: ReceiptContent): string {
  return approvals === undefined ? '' : canonicalJson(approvals as unknown as JsonValue);
}
