import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { IntegrityError } from './store-errors.ts';
import type { KeySpan } from './table-file.ts';

/** Greater than every key. */
const BEHIND_ALL = '\uffff';
/** All keys there can be. */
export const EVERYTHING: KeySpan = { after: '', upTo: BEHIND_ALL };

/** Spans of keys that cannot be believed; almost always none. */
export class Damage {
  readonly #spans: KeySpan[] = [];
  #suspects: readonly KeySpan[] = [];

  /** Returns whether any of them is new. */
  add(spans: readonly KeySpan[]): boolean {
    const fresh = spans.filter(
      (span) => !this.#spans.some(({ after, upTo }) => after === span.after && upTo === span.upTo),
    );
    this.#spans.push(...fresh);
    return fresh.length > 0;
  }

  /** Lost for good. */
  get spans(): readonly KeySpan[] {
    return this.#spans;
  }

  /** Spans that this handle must not be believed; the next opening can read them. */
  suspect(spans: readonly KeySpan[]): void {
    this.#suspects = [...this.#suspects, ...spans];
  }

  /** Throws IntegrityError when the key may lie in a damaged block. */
  checkKey(key: string): void {
    this.check(key, key);
  }

  /** The same for all keys from `low` to `high`, both included; absent bounds are open. */
  check(low = '', high = BEHIND_ALL): void {
    for (const spans of [this.#spans, this.#suspects])
      for (const { after, upTo } of spans)
        if (high > after && low <= upTo)
          throw new IntegrityError(
            low,
            'an undamaged table block',
            `damage between "${after}" and "${upTo}"`,
          );
  }
}

const HASH_BYTES = 32;
const KEY_CHECK_BYTES = 4;
/** Bytes before the content. */
export const SEAL_BYTES = HASH_BYTES + KEY_CHECK_BYTES;

/**
 * A stored record: 32 raw SHA-256 bytes of the content, the CRC-32 of its key, then the content (a string is stored as
 * UTF-8). The hash alone would miss a damaged key, under which LevelDB serves one record for another.
 */
export function seal(content: Buffer | string, key: string): Buffer {
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  const record = Buffer.allocUnsafe(SEAL_BYTES + size);
  // ASCII, which most records are, is the same in UTF-8 and copied three times as fast as it is encoded.
  if (typeof content !== 'string') record.set(content, SEAL_BYTES);
  else if (size === content.length) record.write(content, SEAL_BYTES, 'latin1');
  else record.write(content, SEAL_BYTES);
  // Hashed as stored: a string would be encoded once more. A hex digest written into place is the cheapest way in Node 20: a
  // Buffer digest costs twice as much.
  record.write(hash('sha256', record.subarray(SEAL_BYTES), 'hex'), 0, HASH_BYTES, 'hex');
  record.writeUInt32BE(crc32(key), HASH_BYTES);
  return record;
}

/** The content of a sealed record, as a view of it. Throws IntegrityError unless it is what was sealed for the key. */
export function unseal(record: Buffer, key: string): Buffer {
  const expected = sealedHash(record);
  if (record.length < SEAL_BYTES)
    throw new IntegrityError(key, expected, `a record of ${record.length} bytes`);
  const content = record.subarray(SEAL_BYTES);
  const observed = hash('sha256', content, 'hex');
  if (observed !== expected) throw new IntegrityError(key, expected, observed);
  if (record.readUInt32BE(HASH_BYTES) !== crc32(key))
    throw new IntegrityError(key, 'the record of this key', 'the record of another key');
  return content;
}

/** The hash a record claims, lower-case hex; says nothing about its content. */
export function sealedHash(record: Buffer): string {
  return record.toString('hex', 0, HASH_BYTES);
}

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
