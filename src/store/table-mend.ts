import { Crc32c, crc32c, maskCrc, unmaskCrc } from './crc32c.ts';
import { writeVarint } from './snappy.ts';
import {
  type BlockHandle,
  entriesOf,
  FOOTER_BYTES,
  isWhole,
  type KeySpan,
  layoutOf,
  lostSpansOf,
  MAGIC,
  type TableLayout,
  TRAILER_BYTES,
  userKey,
} from './table-file.ts';

/** A table as the manifest knows it. */
export interface KnownTable {
  /** Bytes. */
  size: number;
  /** Its first and last key. */
  smallest: string;
  largest: string;
}

export interface MendedTable {
  /** What takes the place of the file: of the same size, and every block of it has its checksum. */
  bytes: Buffer;
  /** Keys that are not in it any more. */
  lost: KeySpan[];
}

const NO_COMPRESSION = 0;
/** Of an index written here: a whole key after so many that share their beginning with the one before. */
const INDEX_RESTARTS = 16;
const EMPTY_BLOCK_BYTES = 8;
/** A filter that ends like this is none to LevelDB: every key passes. */
const NO_FILTER = 0xff;

/**
 * A table that LevelDB can read to its end and merge with others, made of the intact blocks of a damaged one; undefined for
 * a table that has no damage. In the place of a damaged block stands an empty one, a damaged filter lets everything pass,
 * and a lost index is made again from the blocks, found by their checksums. Left in the database, a flipped bit in a key
 * would end the process when a compaction meets keys out of order.
 */
export function mendTable(table: Buffer, known: KnownTable): MendedTable | undefined {
  const isComplete = table.length === known.size;
  if (isComplete && isWhole(table)) return undefined;
  const layout = isComplete ? layoutOf(table) : undefined;
  if (layout === undefined) return withNewIndex(table, known);
  const lost = lostSpansOf(layout).map(({ after, upTo }) => ({ after: after || before(known), upTo }));
  return { bytes: withEmptyBlocks(table, layout), lost };
}

/** A text that is before the first key and behind the keys of other kinds. */
function before({ smallest }: KnownTable): string {
  return smallest.slice(0, -1);
}

/** A block of zeros has no restart point, which is how LevelDB spells an empty one of any size. */
function withEmptyBlocks(table: Buffer, { data, filters, meta, index }: TableLayout): Buffer {
  const bytes = Buffer.from(table);
  for (const { handle, isIntact } of data) if (!isIntact) fillBlock(bytes, handle, 0);
  for (const { handle, isIntact } of filters) if (!isIntact) fillBlock(bytes, handle, NO_FILTER);
  if (meta.isIntact) return bytes;
  // Without what names them the filters are not used, so there is room behind the data.
  const last = data.at(-1);
  const empty = { offset: last === undefined ? 0 : endOf(last.handle), size: EMPTY_BLOCK_BYTES };
  fillBlock(bytes, empty, 0);
  writeFooter(bytes, empty, index);
  return bytes;
}

function fillBlock(bytes: Buffer, handle: BlockHandle, byte: number): void {
  bytes.fill(byte, handle.offset, handle.offset + handle.size);
  sealBlock(bytes, handle);
}

function sealBlock(bytes: Buffer, { offset, size }: BlockHandle): void {
  const end = offset + size;
  bytes.writeUInt8(NO_COMPRESSION, end);
  bytes.writeUInt32LE(maskCrc(crc32c(bytes, offset, end + 1)), end + 1);
}

/** The table with an index of the blocks that are found from its begin on; what is behind the last of them is lost. */
function withNewIndex(table: Buffer, known: KnownTable): MendedTable {
  const blocks = findBlocks(table, known);
  while (blocks.length > 0 && sizeWith(blocks) > known.size) blocks.pop();
  const last = blocks.at(-1);
  const dataEnd = last === undefined ? 0 : endOf(last.handle);
  const index = indexOf(blocks);
  const meta = { offset: dataEnd, size: EMPTY_BLOCK_BYTES };
  const place = { offset: endOf(meta), size: index.length };
  const bytes = Buffer.alloc(known.size);
  table.copy(bytes, 0, 0, dataEnd);
  sealBlock(bytes, meta);
  index.copy(bytes, place.offset);
  sealBlock(bytes, place);
  writeFooter(bytes, meta, place);
  return { bytes, lost: lostBehind(last, known) };
}

function sizeWith(blocks: readonly FoundBlock[]): number {
  const last = blocks.at(-1);
  const dataEnd = last === undefined ? 0 : endOf(last.handle);
  return dataEnd + EMPTY_BLOCK_BYTES + indexOf(blocks).length + 2 * TRAILER_BYTES + FOOTER_BYTES;
}

function lostBehind(last: FoundBlock | undefined, known: KnownTable): KeySpan[] {
  const after = last === undefined ? before(known) : userKey(last.key);
  return after >= known.largest ? [] : [{ after, upTo: known.largest }];
}

function endOf({ offset, size }: BlockHandle): number {
  return offset + size + TRAILER_BYTES;
}

interface FoundBlock {
  handle: BlockHandle;
  /** Its last one, with what LevelDB appends. */
  key: Buffer;
}

/** Blocks stand one behind the other, so that the end of each is where a checksum fits. */
function findBlocks(table: Buffer, { size, largest }: KnownTable): FoundBlock[] {
  const end = Math.min(size, table.length);
  const found: FoundBlock[] = [];
  for (let offset = 0; ; ) {
    const handle = blockAt(table, offset, end);
    const key = handle === undefined ? undefined : lastKeyOf(table, handle);
    if (handle === undefined || key === undefined || userKey(key) > largest) return found;
    const last = found.at(-1);
    // What stands behind the data is no block of keys.
    if (last !== undefined && userKey(key) < userKey(last.key)) return found;
    found.push({ handle, key });
    if (userKey(key) === largest && !continues(table, endOf(handle), end, largest)) return found;
    offset = endOf(handle);
  }
}

/** Whether the next block holds older values of the last key. */
function continues(table: Buffer, offset: number, end: number, largest: string): boolean {
  const handle = blockAt(table, offset, end);
  const key = handle === undefined ? undefined : lastKeyOf(table, handle);
  return key !== undefined && userKey(key) === largest;
}

function blockAt(table: Buffer, offset: number, end: number): BlockHandle | undefined {
  const crc = new Crc32c();
  for (let at = offset; at + TRAILER_BYTES <= end; at += 1) {
    crc.add(table.readUInt8(at));
    const isCompression = table.readUInt8(at) <= 1;
    if (isCompression && crc.value === unmaskCrc(table.readUInt32LE(at + 1)))
      return { offset, size: at - offset };
  }
  return undefined;
}

/** Undefined for what is no block of keys. */
function lastKeyOf(table: Buffer, handle: BlockHandle): Buffer | undefined {
  try {
    const key = entriesOf(table, handle).at(-1)?.key;
    return key !== undefined && key.length > 8 ? key : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Names each block by its last key. Source: leveldb/table/block_builder.cc. */
function indexOf(blocks: readonly FoundBlock[]): Buffer {
  const parts: Buffer[] = [];
  const restarts: number[] = [0];
  let length = 0;
  blocks.forEach(({ key, handle }, at) => {
    const isWhole = at % INDEX_RESTARTS === 0;
    if (isWhole && at > 0) restarts.push(length);
    const shared = isWhole ? 0 : sharedBytes(blocks[at - 1]?.key ?? Buffer.alloc(0), key);
    const value = Buffer.concat([writeVarint(handle.offset), writeVarint(handle.size)]);
    const sizes = [shared, key.length - shared, value.length].map(writeVarint);
    const entry = Buffer.concat([...sizes, key.subarray(shared), value]);
    parts.push(entry);
    length += entry.length;
  });
  const numbers = Buffer.alloc((restarts.length + 1) * 4);
  [...restarts, restarts.length].forEach((n, at) => {
    numbers.writeUInt32LE(n, at * 4);
  });
  return Buffer.concat([...parts, numbers]);
}

function sharedBytes(one: Buffer, other: Buffer): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function writeFooter(bytes: Buffer, meta: BlockHandle, index: BlockHandle): void {
  const handles = [meta.offset, meta.size, index.offset, index.size].map(writeVarint);
  bytes.fill(0, bytes.length - FOOTER_BYTES);
  Buffer.concat(handles).copy(bytes, bytes.length - FOOTER_BYTES);
  bytes.writeBigUInt64LE(MAGIC, bytes.length - 8);
}
