import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVarint } from './snappy.ts';
import { userKey } from './table-file.ts';
import { batchesOf } from './write-ahead-log.ts';

/** What the fields of a version edit hold, by their tag. Source: leveldb/db/version_edit.cc. */
const FIELDS: Readonly<Record<number, readonly ('number' | 'text')[]>> = {
  1: ['text'],
  2: ['number'],
  3: ['number'],
  4: ['number'],
  5: ['number', 'text'],
  6: ['number', 'number'],
  7: ['number', 'number', 'number', 'text', 'text'],
  9: ['number'],
};
const REMOVED_TABLE = 6;
const ADDED_TABLE = 7;

/** A table as the manifest names it; `size` in bytes, keys as the store's users spell them. */
export interface ManifestTable {
  size: number;
  smallest: string;
  largest: string;
}

/**
 * The tables that a closed database consists of, by their number. Others are left behind by a process that was killed while
 * it wrote them; LevelDB deletes them when it opens. Throws RangeError when the manifest makes no sense.
 */
export function liveTables(path: string): Map<number, ManifestTable> {
  const manifest = readFileSync(join(path, 'CURRENT'), 'utf8').trim();
  const live = new Map<number, ManifestTable>();
  for (const edit of batchesOf(readFileSync(join(path, manifest))))
    for (const { tag, numbers, texts } of fieldsOf(edit)) {
      const [, file = 0, size = 0] = numbers;
      const [smallest, largest] = texts.map(userKey);
      if (tag === ADDED_TABLE && smallest !== undefined && largest !== undefined)
        live.set(file, { size, smallest, largest });
      if (tag === REMOVED_TABLE) live.delete(file);
    }
  return live;
}

interface EditField {
  tag: number;
  numbers: number[];
  texts: Buffer[];
}

function* fieldsOf(edit: Buffer): Generator<EditField> {
  for (let at = 0; at < edit.length; ) {
    const tag = readVarint(edit, at);
    const kinds = FIELDS[tag.value];
    if (kinds === undefined) throw new RangeError(`The manifest has a field of kind ${tag.value}.`);
    const field: EditField = { tag: tag.value, numbers: [], texts: [] };
    at = tag.next;
    for (const kind of kinds) {
      const { value, next } = readVarint(edit, at);
      if (kind === 'number') field.numbers.push(value);
      else field.texts.push(edit.subarray(next, next + value));
      at = kind === 'number' ? next : next + value;
    }
    yield field;
  }
}
