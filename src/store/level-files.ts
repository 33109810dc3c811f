import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreOpenError } from './store-errors.ts';

/** Recovery writes the old write-ahead log out as a table and starts a manifest; this is the slack beside it. */
const REOPEN_MARGIN_BYTES = 2 * 1024 * 1024;
const PROBE_BYTES = 64 * 1024;

/**
 * Whether the directory holds a database. A directory with tables or logs but without CURRENT is a damaged one: LevelDB
 * would start an empty database there and delete the rest, so it is refused as `corrupt`.
 */
export function holdsDatabase(path: string): boolean {
  if (existsSync(join(path, 'CURRENT'))) return true;
  const leftover = readdirSync(path).find((name) => /^\d+\.(ldb|sst|log)$/.test(name));
  if (leftover === undefined) return false;
  throw new StoreOpenError('corrupt', path, `${path} is damaged: it holds ${leftover} but no CURRENT file.`);
}

/**
 * Resolves when a new handle can be expected to open: room for the recovery, and a write with fsync works. Asked before the
 * fenced handle is closed, because a handle that cannot write still reads.
 */
export async function probeRoom(path: string): Promise<void> {
  const { bavail, bsize } = statfsSync(path);
  const needed = logBytes(path) + REOPEN_MARGIN_BYTES;
  if (bavail * bsize < needed)
    throw new Error(`${path} has ${bavail * bsize} bytes free; reopening needs ${needed}`);
  const probe = join(path, 'probe');
  const file = await open(probe, 'w', 0o600);
  try {
    await file.writeFile(Buffer.alloc(PROBE_BYTES));
    await file.sync();
  } finally {
    await file.close();
    rmSync(probe, { force: true });
  }
}

function logBytes(path: string): number {
  const logs = readdirSync(path).filter((name) => name.endsWith('.log'));
  return logs.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}
