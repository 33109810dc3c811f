import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c, unmaskCrc } from './crc32c.ts';
import { filePart } from './file-part.ts';

/** LevelDB writes its logs in blocks of this size. A batch that does not fit is cut into parts. */
const BLOCK_BYTES = 32 * 1024;
/** What is read at a time of a file that may be as large as the write buffer: whole blocks. */
const PART_BYTES = 32 * BLOCK_BYTES;
/** Masked CRC (4 bytes), length (2), type (1), little endian. */
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;
/** Types of records that begin a batch: a whole one, and the first part of one. */
const WHOLE = 1;
const FIRST = 2;
const LAST = 4;

/** A place in a write-ahead log from which nothing can be read, although batches were written behind it. */
export interface LogHole {
  file: string;
  offset: number;
}

/**
 * The first hole in the write-ahead logs of a closed database: an unreadable record with the begin of a later batch behind it.
 * LevelDB skips a hole silently: what the lost batches changed reads as it was before them. An unreadable end is no hole: a crash
 * leaves one, since a batch is begun only when the one before is fsynced.
 */
export function findLogHole(path: string): LogHole | undefined {
  const files = readdirSync(path).filter((name) => name.endsWith('.log'));
  files.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  let bad: LogHole | undefined;
  for (const file of files)
    for (const { offset, type } of recordsOfFile(join(path, file))) {
      if (type === undefined) bad ??= { file, offset };
      else if ((type === WHOLE || type === FIRST) && bad !== undefined) return bad;
    }
  return undefined;
}

/** The complete batches of a file in this format, which the manifest has too. What cannot be read is skipped. */
export function* batchesOf(bytes: Buffer): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (const { type, content } of recordsOf(bytes)) {
    if (type === undefined || type === WHOLE || type === FIRST) parts = [];
    if (type !== undefined) parts.push(content);
    if (type === WHOLE || type === LAST) yield Buffer.concat(parts);
  }
}

interface LogRecord {
  offset: number;
  /** Undefined when the record cannot be read. */
  type: number | undefined;
  content: Buffer;
}

function* recordsOfFile(file: string): Generator<Omit<LogRecord, 'content'>> {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const room = Buffer.allocUnsafe(Math.min(size, PART_BYTES));
    for (let start = 0; start < size; start += PART_BYTES) {
      const end = Math.min(start + PART_BYTES, size);
      for (const { offset, type } of recordsOf(filePart(fd, start, end, room.subarray(0, end - start))))
        yield { offset: start + offset, type };
    }
  } finally {
    closeSync(fd);
  }
}

function* recordsOf(bytes: Buffer): Generator<LogRecord> {
  for (let block = 0; block < bytes.length; block += BLOCK_BYTES) {
    const end = Math.min(block + BLOCK_BYTES, bytes.length);
    let offset = block;
    while (offset + HEADER_BYTES <= end) {
      const next = offset + HEADER_BYTES + bytes.readUInt16LE(offset + LENGTH_AT);
      if (isUnused(bytes, offset, end)) break;
      const content = bytes.subarray(offset + HEADER_BYTES, next);
      yield { offset, type: typeOf(bytes, offset, next, end), content };
      offset = next;
    }
  }
}

/** The rest of a block may be left empty. */
function isUnused(bytes: Buffer, offset: number, end: number): boolean {
  return bytes[offset + TYPE_AT] === 0 && bytes.subarray(offset, end).every((byte) => byte === 0);
}

function typeOf(bytes: Buffer, offset: number, next: number, end: number): number | undefined {
  if (next > end) return undefined;
  const isRight = crc32c(bytes, offset + TYPE_AT, next) === unmaskCrc(bytes.readUInt32LE(offset));
  return isRight ? bytes[offset + TYPE_AT] : undefined;
}
