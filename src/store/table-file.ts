import { crc32c, unmaskCrc } from './crc32c.ts';
import { readVarint, unsnappy } from './snappy.ts';

/** Two handles, padding, and the magic number. */
const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
/** Behind each block: its compression (1 byte) and the masked CRC over both (4). */
const TRAILER_BYTES = 5;
const SNAPPY = 1;
/** LevelDB appends sequence and type to the keys inside a table. */
const INTERNAL_BYTES = 8;

/** Keys that a block may hold: behind `after`, up to and including `upTo`. */
export interface KeySpan {
  after: string;
  upTo: string;
}

interface BlockHandle {
  offset: number;
  size: number;
}

/**
 * The spans of keys whose blocks fail their checksum; undefined when the table cannot be read at all. LevelDB does not
 * look at these checksums: a bit that flipped in a key lets an older value of it show, with a right hash. A damaged filter
 * hides any key of the table. Source: leveldb/doc/table_format.md.
 */
export function damagedSpansOf(table: Buffer): KeySpan[] | undefined {
  try {
    return findDamage(table);
  } catch (error) {
    // A number that points outside of the table.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function findDamage(table: Buffer): KeySpan[] | undefined {
  const footer = table.length - FOOTER_BYTES;
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== MAGIC) return undefined;
  const meta = readHandle(table, footer);
  const index = readHandle(table, meta.next);
  if (!isIntact(table, index.handle)) return undefined;
  const blocks = entriesOf(table, index.handle).map(({ key, handle }) => ({ upTo: userKey(key), handle }));
  const isMetaIntact =
    isIntact(table, meta.handle) &&
    entriesOf(table, meta.handle).every(({ handle }) => isIntact(table, handle));
  if (!isMetaIntact) return [{ after: '', upTo: blocks.at(-1)?.upTo ?? '' }];
  return blocks.flatMap(({ upTo, handle }, at) =>
    isIntact(table, handle) ? [] : [{ after: blocks[at - 1]?.upTo ?? '', upTo }],
  );
}

function userKey(key: Buffer): string {
  return key.toString('utf8', 0, key.length - INTERNAL_BYTES);
}

/** Keys share a prefix with the one before; the restart points and their number stand behind the entries. */
function entriesOf(table: Buffer, { offset, size }: BlockHandle): { key: Buffer; handle: BlockHandle }[] {
  const stored = table.subarray(offset, offset + size);
  const block = table[offset + size] === SNAPPY ? unsnappy(stored) : stored;
  const end = block.length - 4 - block.readUInt32LE(block.length - 4) * 4;
  const entries: { key: Buffer; handle: BlockHandle }[] = [];
  let key = Buffer.alloc(0);
  for (let at = 0; at < end; ) {
    const shared = readVarint(block, at);
    const fresh = readVarint(block, shared.next);
    const valueSize = readVarint(block, fresh.next);
    const value = valueSize.next + fresh.value;
    key = Buffer.concat([key.subarray(0, shared.value), block.subarray(valueSize.next, value)]);
    entries.push({ key, handle: readHandle(block, value).handle });
    at = value + valueSize.value;
  }
  return entries;
}

function readHandle(bytes: Buffer, at: number): { handle: BlockHandle; next: number } {
  const offset = readVarint(bytes, at);
  const size = readVarint(bytes, offset.next);
  return { handle: { offset: offset.value, size: size.value }, next: size.next };
}

function isIntact(table: Buffer, { offset, size }: BlockHandle): boolean {
  const end = offset + size;
  if (end + TRAILER_BYTES > table.length) return false;
  return crc32c(table, offset, end + 1) === unmaskCrc(table.readUInt32LE(end + 1));
}
