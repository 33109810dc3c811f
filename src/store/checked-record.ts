import { crc32 } from 'node:zlib';
import { IntegrityError } from './store-errors.ts';

const CHECK_BYTES = 4;

/**
 * A derived record: the CRC-32 of its key and its content, then the content (UTF-8). Derived records can be rebuilt from
 * events, which carry SHA-256, so theirs only has to show damage of the disk.
 */
export function checked(content: string, key: string): Buffer {
  const size = Buffer.byteLength(content);
  const record = Buffer.allocUnsafe(CHECK_BYTES + size);
  record.write(content, CHECK_BYTES);
  record.writeUInt32BE(checkOf(record.subarray(CHECK_BYTES), key), 0);
  return record;
}

/** The content of a derived record, as a view of it. Throws IntegrityError unless it was written so for the key. */
export function contentOfChecked(record: Buffer, key: string): Buffer {
  if (record.length < CHECK_BYTES)
    throw new IntegrityError(key, 'a checksum', `a record of ${record.length} bytes`);
  const content = record.subarray(CHECK_BYTES);
  const [expected, observed] = [record.readUInt32BE(0), checkOf(content, key)];
  if (observed !== expected) throw new IntegrityError(key, spell(expected), spell(observed));
  return content;
}

function checkOf(content: Buffer, key: string): number {
  return crc32(content, crc32(key));
}

function spell(check: number): string {
  return `crc32:${check.toString(16).padStart(8, '0')}`;
}
