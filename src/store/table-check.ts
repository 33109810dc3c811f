import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeFileAtomicSync } from './atomic-file.ts';
import { type Damage, EVERYTHING } from './damage.ts';
import { liveTables } from './manifest.ts';
import { StoreOpenError } from './store-errors.ts';
import { damagedSpansOf, type KeySpan } from './table-file.ts';

/** Checked before the store opens: a tenth of a second. What is beyond is checked behind its back. */
const CHECKED_FIRST_BYTES = 64 * 1024 * 1024;
/** Damage found so far. LevelDB rewrites a damaged block in good order, so that a later look would find nothing. */
const DAMAGE_FILE = 'damaged-spans.json';
const OWNER_ONLY = 0o600;

/** Checks every block of the tables of a closed database, the newest first, up to a bound. Returns the tables left over. */
export function checkTables(path: string, damage: Damage): string[] {
  damage.add(knownSpans(path));
  const tables = tablesOf(path);
  let left = CHECKED_FIRST_BYTES;
  let at = 0;
  for (; at < tables.length && left > 0; at += 1) {
    const file = join(path, tables[at] ?? '');
    left -= statSync(file).size;
    note(path, damage, damagedSpansOf(readFileSync(file)) ?? refuse(path, file));
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

/** Newest first. Without a readable manifest there are none: the opening fails with the better reason. */
function tablesOf(path: string): string[] {
  if (!existsSync(join(path, 'CURRENT'))) return [];
  const number = (name: string) => Number.parseInt(name, 10);
  try {
    const live = liveTables(path);
    const tables = readdirSync(path).filter((name) => /\.(ldb|sst)$/.test(name) && live.has(number(name)));
    return tables.sort((one, other) => number(other) - number(one));
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && 'code' in error)) return [];
    throw error;
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
