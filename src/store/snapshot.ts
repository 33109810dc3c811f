import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { liveTables } from './manifest.ts';
import { StoreOpenError } from './store-errors.ts';
import { DAMAGE_FILE, linkOrCopy } from './table-check.ts';

/** The manifest grows with each table that is written; a copy that it outran is made again. */
const ATTEMPTS = 100;
const OWNER_ONLY = 0o600;

/**
 * Copies a database that another process has open into `target`, which must not exist, as it was at one moment. Tables are
 * never changed once written, so they get a second name there and need no room. Throws StoreOpenError when it cannot be had.
 */
export async function takeSnapshot(path: string, target: string): Promise<void> {
  mkdirSync(target, { mode: 0o700 });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (copyOnce(path, target)) return;
    await nextTurn();
  }
  throw new StoreOpenError('unreadable', path, `${path} changes too fast for a snapshot. Try again.`);
}

/** False when the database changed its files meanwhile. */
function copyOnce(path: string, target: string): boolean {
  try {
    const current = readFileSync(join(path, 'CURRENT'));
    const manifest = current.toString().trim();
    const bytes = readFileSync(join(path, manifest));
    writeFileSync(join(target, 'CURRENT'), current, { mode: OWNER_ONLY });
    writeFileSync(join(target, manifest), bytes, { mode: OWNER_ONLY });
    const names = readdirSync(path);
    const live = liveTables(target);
    for (const name of names)
      if (/\.(ldb|sst)$/.test(name) && live.has(Number.parseInt(name, 10)))
        linkOrCopy(join(path, name), join(target, name));
    // The newest first: a log is whole once there is a newer one.
    const logs = names.filter((name) => name.endsWith('.log'));
    logs.sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
    for (const name of [...logs, ...names.filter((name) => name === DAMAGE_FILE)])
      copyFileSync(join(path, name), join(target, name));
    // A log goes only after the manifest names the table that was made of it.
    return (
      readFileSync(join(path, 'CURRENT')).equals(current) && readFileSync(join(path, manifest)).equals(bytes)
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
