import { crc32c, unmaskCrc } from './crc32c.ts';
import { readVarint, unsnappy } from './snappy.ts';

/** Two handles, padding, and the magic number. */
export const FOOTER_BYTES = 48;
export const MAGIC = 0xdb4775248b80fb57n;
/** Behind each block: its compression (1 byte) and the masked CRC over both (4). */
export const TRAILER_BYTES = 5;
const SNAPPY = 1;
/** LevelDB appends sequence and type to the keys inside a table. */
const INTERNAL_BYTES = 8;

/** Keys that a block may hold: behind `after`, up to and including `upTo`. */
export interface KeySpan {
  after: string;
  upTo: string;
}

export interface BlockHandle {
  offset: number;
  size: number;
}

/** A block of a table and whether its bytes have their checksum. */
export interface TableBlock {
  handle: BlockHandle;
  isIntact: boolean;
}

/** What a table says of itself. */
export interface TableLayout {
  /** In the order of their keys; `keys` is what each may hold. */
  data: (TableBlock & { keys: KeySpan })[];
  /** Intact, as all of this rests on it. */
  index: BlockHandle;
  /** What names the filters. When it is not intact, its handle may be what is damaged. */
  meta: TableBlock;
  /** None when `meta` is damaged. */
  filters: TableBlock[];
}

export interface TableEntry {
  key: Buffer;
  value: Buffer;
}

/**
 * The spans of keys whose blocks fail their checksum; undefined when the table cannot be read at all. LevelDB does not
 * look at these checksums: a bit that flipped in a key lets an older value of it show, with a right hash. A damaged filter
 * hides any key of the table. Source: leveldb/doc/table_format.md.
 */
export function damagedSpansOf(table: Buffer): KeySpan[] | undefined {
  const layout = layoutOf(table);
  if (layout === undefined) return undefined;
  const { data, meta, filters } = layout;
  if (![meta, ...filters].every(({ isIntact }) => isIntact))
    return [{ after: '', upTo: data.at(-1)?.keys.upTo ?? '' }];
  return lostSpansOf(layout);
}

/** The same for the keys alone that cannot be had any more, whatever is done about the table. */
export function lostSpansOf({ data }: TableLayout): KeySpan[] {
  return data.filter(({ isIntact }) => !isIntact).map(({ keys }) => keys);
}

/** Undefined when footer or index cannot be read. */
export function layoutOf(table: Buffer): TableLayout | undefined {
  try {
    return readLayout(table);
  } catch (error) {
    // A number that points outside of the table.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readLayout(table: Buffer): TableLayout | undefined {
  const footer = table.length - FOOTER_BYTES;
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== MAGIC) return undefined;
  const metaHandle = readHandle(table, footer);
  const index = readHandle(table, metaHandle.next);
  if (!isIntact(table, index.handle)) return undefined;
  const block = (handle: BlockHandle): TableBlock => ({ handle, isIntact: isIntact(table, handle) });
  const data: TableLayout['data'] = [];
  for (const { key, value } of entriesOf(table, index.handle))
    data.push({
      ...block(readHandle(value, 0).handle),
      keys: { after: data.at(-1)?.keys.upTo ?? '', upTo: userKey(key) },
    });
  const meta = block(metaHandle.handle);
  const named = meta.isIntact ? entriesOf(table, meta.handle) : [];
  return {
    data,
    index: index.handle,
    meta,
    filters: named.map(({ value }) => block(readHandle(value, 0).handle)),
  };
}

export function userKey(key: Buffer): string {
  return key.toString('utf8', 0, key.length - INTERNAL_BYTES);
}

/**
 * Keys share a prefix with the one before; the restart points and their number stand behind the entries. A block without
 * a restart point is an empty one. Throws RangeError when the block makes no sense.
 */
export function entriesOf(table: Buffer, { offset, size }: BlockHandle): TableEntry[] {
  const stored = table.subarray(offset, offset + size);
  const block = table[offset + size] === SNAPPY ? unsnappy(stored) : stored;
  const restarts = block.readUInt32LE(block.length - 4);
  const end = restarts === 0 ? 0 : block.length - 4 - restarts * 4;
  const entries: TableEntry[] = [];
  let key = Buffer.alloc(0);
  for (let at = 0; at < end; ) {
    const shared = readVarint(block, at);
    const fresh = readVarint(block, shared.next);
    const valueSize = readVarint(block, fresh.next);
    const value = valueSize.next + fresh.value;
    key = Buffer.concat([key.subarray(0, shared.value), block.subarray(valueSize.next, value)]);
    at = value + valueSize.value;
    entries.push({ key, value: block.subarray(value, at) });
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
