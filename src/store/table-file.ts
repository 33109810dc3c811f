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

/** Whether every block has its checksum, which almost every table says: `layoutOf` names the keys too, and takes twice as long. */
export function isWhole(table: Buffer): boolean {
  try {
    return hasAllChecksums(table);
  } catch (error) {
    // A number that points outside of the table.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function hasAllChecksums(table: Buffer): boolean {
  const footer = readFooter(table);
  if (footer === undefined) return false;
  for (const naming of [footer.index, footer.meta]) {
    if (!isIntact(table, naming)) return false;
    const block = contentOf(table, naming);
    for (const { value, end } of placesOf(block))
      if (!isIntact(table, readHandle(block.subarray(value, end), 0).handle)) return false;
  }
  return true;
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
  const footer = readFooter(table);
  if (footer === undefined || !isIntact(table, footer.index)) return undefined;
  const block = (handle: BlockHandle): TableBlock => ({ handle, isIntact: isIntact(table, handle) });
  const data: TableLayout['data'] = [];
  for (const { key, value } of entriesOf(table, footer.index))
    data.push({
      ...block(readHandle(value, 0).handle),
      keys: { after: data.at(-1)?.keys.upTo ?? '', upTo: userKey(key) },
    });
  const meta = block(footer.meta);
  const named = meta.isIntact ? entriesOf(table, meta.handle) : [];
  return {
    data,
    index: footer.index,
    meta,
    filters: named.map(({ value }) => block(readHandle(value, 0).handle)),
  };
}

/** Undefined for what is no table. */
function readFooter(table: Buffer): { meta: BlockHandle; index: BlockHandle } | undefined {
  const footer = table.length - FOOTER_BYTES;
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== MAGIC) return undefined;
  const meta = readHandle(table, footer);
  return { meta: meta.handle, index: readHandle(table, meta.next).handle };
}

export function userKey(key: Buffer): string {
  return key.toString('utf8', 0, key.length - INTERNAL_BYTES);
}

/** Throws RangeError when the block makes no sense. */
export function entriesOf(table: Buffer, handle: BlockHandle): TableEntry[] {
  const block = contentOf(table, handle);
  const entries: TableEntry[] = [];
  let key = Buffer.alloc(0);
  for (const { shared, fresh, value, end } of placesOf(block)) {
    key = Buffer.concat([key.subarray(0, shared), block.subarray(fresh, value)]);
    entries.push({ key, value: block.subarray(value, end) });
  }
  return entries;
}

/** A block as it was before compression. */
function contentOf(table: Buffer, { offset, size }: BlockHandle): Buffer {
  const stored = table.subarray(offset, offset + size);
  return table[offset + size] === SNAPPY ? unsnappy(stored) : stored;
}

/** Where an entry stands in its block: its key without what it shares with the one before, its value, and what is behind it. */
interface EntryPlace {
  /** Bytes of the key before. */
  shared: number;
  fresh: number;
  value: number;
  end: number;
}

/**
 * Keys share a prefix with the one before; the restart points and their number stand behind the entries. A block without
 * a restart point is an empty one. Throws RangeError when the block makes no sense.
 */
function* placesOf(block: Buffer): Generator<EntryPlace> {
  const restarts = block.readUInt32LE(block.length - 4);
  const behind = restarts === 0 ? 0 : block.length - 4 - restarts * 4;
  for (let at = 0; at < behind; ) {
    const shared = readVarint(block, at);
    const freshSize = readVarint(block, shared.next);
    const valueSize = readVarint(block, freshSize.next);
    const value = valueSize.next + freshSize.value;
    at = value + valueSize.value;
    yield { shared: shared.value, fresh: valueSize.next, value, end: at };
  }
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
