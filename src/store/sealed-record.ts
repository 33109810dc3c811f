import { hash } from 'node:crypto';
import { IntegrityError } from './store-errors.ts';

/** Bytes of the hash before the content. */
export const SEAL_BYTES = 32;

/** A stored record: 32 raw SHA-256 bytes of the content, then the content (a string is stored as UTF-8). */
export function seal(content: Buffer | string): Buffer {
  // A hex digest written into place is the cheapest way in Node 20: a Buffer digest costs twice as much.
  const digest = hash('sha256', content, 'hex');
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  const record = Buffer.allocUnsafe(SEAL_BYTES + size);
  record.write(digest, 0, SEAL_BYTES, 'hex');
  if (typeof content === 'string') record.write(content, SEAL_BYTES);
  else record.set(content, SEAL_BYTES);
  return record;
}

/** The content of a sealed record, as a view of it. Throws IntegrityError when it is not what was sealed at `where`. */
export function unseal(record: Buffer, where: string): Buffer {
  const expected = sealedHash(record);
  const content = record.subarray(SEAL_BYTES);
  const observed = hash('sha256', content, 'hex');
  if (observed !== expected || record.length < SEAL_BYTES)
    throw new IntegrityError(where, expected, observed);
  return content;
}

/** The hash a record claims, lower-case hex; says nothing about its content. */
export function sealedHash(record: Buffer): string {
  return record.toString('hex', 0, SEAL_BYTES);
}
