import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeFileAtomicSync } from './atomic-file.ts';
import { type Damage, EVERYTHING } from './damage.ts';
import { StoreOpenError } from './store-errors.ts';
import { damagedSpansOf, isFinished, type KeySpan } from './table-file.ts';

/** Checked before the store opens: a tenth of a second. What is beyond is checked behind its back. */
const CHECKED_FIRST_BYTES = 64 * 1024 * 1024;
/** Damage found so far. LevelDB rewrites a damaged block in good order, so that a later look would find nothing. */
const DAMAGE_FILE = 'damaged-spans.json';
const OWNER_ONLY = 0o600;

/** Checks every block of the tables of a closed database, the newest first, up to a bound. Returns the tables left over. */
export function checkTables(path: string, damage: Damage): string[] {
  damage.add(knownSpans(path));
  const tables = readdirSync(path).filter((name) => /\.(ldb|sst)$/.test(name));
  tables.sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
  let left = CHECKED_FIRST_BYTES;
  let at = 0;
  for (; at < tables.length && left > 0; at += 1) {
    const file = join(path, tables[at] ?? '');
    left -= statSync(file).size;
    const table = readFileSync(file);
    // Half a table is deleted at the opening; if the database should know it, its reads fail.
    if (isFinished(table)) note(path, damage, damagedSpansOf(table) ?? refuse(path, file));
  }
  return tables.slice(at);
}

/** Checks the tables left over, one per turn of the event loop, until `isOver`. Returns whether it found damage. */
export async function checkRest(
  path: string,
  tables: readonly string[],
  damage: Damage,
  isOver: () => boolean,
): Promise<void> {
  for (const name of tables) {
    await nextTurn();
    if (isOver()) return;
    const file = join(path, name);
    // A compaction may have replaced the table meanwhile.
    if (existsSync(file)) note(path, damage, damagedSpansOf(readFileSync(file)) ?? [EVERYTHING]);
  }
}

function refuse(path: string, file: string): never {
  throw new StoreOpenError('corrupt', path, `${file} is damaged and cannot be read. Restore a backup.`);
}

function knownSpans(path: string): KeySpan[] {
  const file = join(path, DAMAGE_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeySpan[]) : [];
}

function note(path: string, damage: Damage, spans: readonly KeySpan[]): void {
  if (spans.length === 0) return;
  damage.add(spans);
  writeFileAtomicSync(join(path, DAMAGE_FILE), JSON.stringify(damage.spans), OWNER_ONLY);
}
