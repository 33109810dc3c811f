import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreOpenError } from './store-errors.ts';

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
