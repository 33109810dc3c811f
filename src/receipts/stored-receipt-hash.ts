import { createHash } from 'node:crypto';

const HASH_MEMBER = ',"receipt_hash":"';
const SIGNATURES = ',"signatures":[{';
const SUBJECT = ',"subject":{"id":';
const LIST_END = ']'.charCodeAt(0);

/**
 * Whether the stored bytes of a receipt have the hash that they name, `sha256:` and hex, made again without parsing: the hash
 * and the signatures are cut out. Only for the bytes that sealReceipt wrote, which are canonical; of others it may say no.
 */
export function hasReceiptHash(stored: Buffer, receiptHash: string): boolean {
  const said = `${HASH_MEMBER}${receiptHash}"`;
  // No other member can hold this very hash, because the hash covers all others.
  const at = stored.indexOf(said);
  if (at < 0) return false;
  // From the subject on all is plain text, where quotes are escaped; before it stand the signatures, or an object.
  const end = Math.max(at + said.length, stored.lastIndexOf(SUBJECT));
  const start = stored[end - 1] === LIST_END ? stored.lastIndexOf(SIGNATURES, end) : end;
  const digest = createHash('sha256').update(stored.subarray(0, at));
  digest.update(stored.subarray(at + said.length, start)).update(stored.subarray(end));
  return `sha256:${digest.digest('hex')}` === receiptHash;
}
