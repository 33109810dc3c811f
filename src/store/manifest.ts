import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVarint } from './snappy.ts';
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

/**
 * Numbers of the tables that a closed database consists of. Others are left behind by a process that was killed while it
 * wrote them; LevelDB deletes them when it opens. Throws RangeError when the manifest makes no sense.
 */
export function liveTables(path: string): Set<number> {
  const manifest = readFileSync(join(path, 'CURRENT'), 'utf8').trim();
  const live = new Set<number>();
  for (const edit of batchesOf(readFileSync(join(path, manifest))))
    for (const [tag, numbers] of fieldsOf(edit)) {
      const file = numbers[1] ?? 0;
      if (tag === ADDED_TABLE) live.add(file);
      if (tag === REMOVED_TABLE) live.delete(file);
    }
  return live;
}

/** The fields of an edit with their numbers; texts are passed over. */
function* fieldsOf(edit: Buffer): Generator<[tag: number, numbers: number[]]> {
  for (let at = 0; at < edit.length; ) {
    const tag = readVarint(edit, at);
    const kinds = FIELDS[tag.value];
    if (kinds === undefined) throw new RangeError(`The manifest has a field of kind ${tag.value}.`);
    const numbers: number[] = [];
    at = tag.next;
    for (const kind of kinds) {
      const { value, next } = readVarint(edit, at);
      if (kind === 'number') numbers.push(value);
      at = kind === 'number' ? next : next + value;
    }
    yield [tag.value, numbers];
  }
}
