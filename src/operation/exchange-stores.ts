import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectorySync, writeFileAtomicSync } from '#store/atomic-file.ts';
import { checkedText, DataFileError, hasMembers, readCheckedText } from '#store/checked-file.ts';
import { dataPaths } from './data-directory.ts';

const OWNER_ONLY = 0o600;
const PRIVATE = 0o700;

/** What lies in the directory of a migration; without the journal it is no more than a draft. */
export function migrationPaths(data: string) {
  const { migration } = dataPaths(data);
  return {
    dir: migration,
    store: join(migration, 'store'),
    checkpoint: join(migration, 'checkpoint.json'),
    journal: join(migration, 'journal.json'),
  };
}

/** Where the store of an older form stays, with its checkpoint, until the operator deletes it. */
export function formerPaths(data: string, schema: number) {
  const dir = join(data, `schema-${schema}`);
  return { dir, store: join(dir, 'store'), checkpoint: join(dir, 'checkpoint.json') };
}

/** The migration that is decided: from here on it can only be brought to its end. */
export interface DecidedMigration {
  from: number;
  to: number;
}

/** Throws DataFileError where the exchange of the stores was interrupted: neither of them may be opened now. */
export function refuseHalfMigrated(data: string): void {
  if (decidedMigration(data) === undefined) return;
  throw new DataFileError(
    migrationPaths(data).journal,
    'says that a migration was interrupted while it exchanged the stores',
    'Run "harn-gateway log migrate" with the same --data: it brings it to its end.',
  );
}

/** The migration whose exchange has begun; undefined where none has. Throws DataFileError. */
export function decidedMigration(data: string): DecidedMigration | undefined {
  const { journal } = migrationPaths(data);
  if (!existsSync(journal)) return undefined;
  try {
    const { value, isChecked } = readCheckedText(readFileSync(journal, 'utf8'));
    if (!isChecked || !hasMembers(value, ['from', 'to'])) throw new Error('is no journal of a migration');
    const { from, to } = value;
    if (!isForm(from) || !isForm(to)) throw new Error('names no stored forms');
    return { from, to };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DataFileError(journal, why, 'Restore the data directory from a backup.');
  }
}

const isForm = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * Puts the store of the migration in the place of the one in use. The journal decides it, by one atomic rename; the renames
 * behind it can be interrupted anywhere, and the next call goes on. No store may be open. `between` is called before each.
 */
export function exchangeStores(
  data: string,
  decided: DecidedMigration,
  between = (_act: string) => {},
): void {
  const { dir, journal } = migrationPaths(data);
  for (const [name, act] of exchangeOf(data, decided)) {
    between(name);
    act();
    syncDirectorySync(data);
  }
  between('forget the journal');
  rmSync(journal);
  rmSync(dir, { recursive: true, force: true });
}

function exchangeOf(data: string, decided: DecidedMigration): [name: string, act: () => void][] {
  const current = dataPaths(data);
  const next = migrationPaths(data);
  const former = formerPaths(data, decided.from);
  return [
    ['write the journal', () => writeFileAtomicSync(next.journal, checkedText({ ...decided }), OWNER_ONLY)],
    [
      'make the place of the former store',
      () => void mkdirSync(former.dir, { recursive: true, mode: PRIVATE }),
    ],
    ['move the store away', () => moveOnce(current.store, former.store)],
    [
      'move the checkpoint away',
      () =>
        existsSync(next.checkpoint) &&
        existsSync(current.checkpoint) &&
        moveOnce(current.checkpoint, former.checkpoint),
    ],
    [
      'place the checkpoint',
      () => existsSync(next.checkpoint) && renameSync(next.checkpoint, current.checkpoint),
    ],
    ['place the store', () => existsSync(next.store) && placeStore(next.store, current.store)],
  ];
}

function moveOnce(from: string, to: string): void {
  if (!existsSync(to)) renameSync(from, to);
}

/** Taking the lock creates the directory, so a gateway has not used an empty one. */
function placeStore(from: string, to: string): void {
  if (existsSync(to) && readdirSync(to).length > 0)
    throw new DataFileError(
      to,
      'was made anew while the migration was interrupted, by a gateway of another version',
      'Move it away, and run "harn-gateway log migrate" again.',
    );
  if (existsSync(to)) rmdirSync(to);
  renameSync(from, to);
}
