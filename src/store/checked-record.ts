import { crc32 } from 'node:zlib';
import { IntegrityError } from './store-errors.ts';

/** Bytes before the content. */
export const CHECK_DIGITS = 8;

/**
 * A derived record: the CRC-32 of its key and its content in hex, then the content. Derived records can be rebuilt from
 * events, which carry SHA-256, so theirs only has to show damage of the disk. A text, because the store takes one as it is.
 */
export function checked(content: string, key: string): string {
  return crc32(content, crc32(key)).toString(16).padStart(CHECK_DIGITS, '0') + content;
}

/** The content of a derived record, as a view of it. Throws IntegrityError unless it was written so for the key. */
export function contentOfChecked(record: Buffer, key: string): Buffer {
  if (record.length < CHECK_DIGITS)
    throw new IntegrityError(key, 'a checksum', `a record of ${record.length} bytes`);
  const content = record.subarray(CHECK_DIGITS);
  const expected = record.toString('latin1', 0, CHECK_DIGITS);
  const observed = crc32(content, crc32(key)).toString(16).padStart(CHECK_DIGITS, '0');
  if (observed !== expected) throw new IntegrityError(key, `crc32:${expected}`, `crc32:${observed}`);
  return content;
}
