import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, layoutOf } from '#store/table-file.ts';
import { batchesOf } from '#store/write-ahead-log.ts';

/** No text of the gateway has it. */
export const TOKEN = 'x9f3kq7zv2w8';

/** A text that is looked for on the disk, with a word for where it was put. */
export const canary = (place: string): string => `${TOKEN}.${place}.`;

/** The places of all canaries in any file below a directory: as its bytes are, and as the store has them compressed. */
export function canariesIn(directory: string): string[] {
  const found = new Set<string>();
  for (const path of filesIn(directory)) {
    const bytes = readFileSync(path);
    // What is compressed may be cut into pieces, so it is read as the store reads it.
    if (/\.(ldb|sst)$/.test(path)) lookInTable(bytes, found);
    else look(bytes, found);
    // A record of the log that was cut into pieces is whole only here.
    if (/\/\d+\.log$/.test(path)) for (const batch of batchesOf(bytes)) look(batch, found);
  }
  return [...found].sort();
}

function lookInTable(bytes: Buffer, found: Set<string>): void {
  const layout = layoutOf(bytes);
  if (layout === undefined) throw new Error('a table that cannot be read');
  for (const { handle } of layout.data)
    for (const { key, value } of entriesOf(bytes, handle)) {
      look(key, found);
      look(value, found);
    }
}

function look(bytes: Buffer, found: Set<string>): void {
  for (let at = bytes.indexOf(TOKEN); at !== -1; at = bytes.indexOf(TOKEN, at + 1)) {
    const text = bytes.subarray(at, at + 64).toString('latin1');
    found.add(/^\w+\.([\w -]+)\./.exec(text)?.[1] ?? 'cut off');
  }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
