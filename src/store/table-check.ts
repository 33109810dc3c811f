import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeFileAtomicSync } from './atomic-file.ts';
import { CheckedTables, type TableSeal } from './checked-tables.ts';
import { filePart } from './file-part.ts';
import { liveTables, type ManifestTable } from './manifest.ts';
import type { Damage } from './sealed-record.ts';
import { StoreOpenError } from './store-errors.ts';
import { damagedSpansOf, type KeySpan } from './table-file.ts';
import { type MendedTable, mendTable } from './table-mend.ts';

/** New tables are checked before the store opens, or before it ends, up to this: a tenth of a second. */
const CHECKED_FIRST_BYTES = 64 * 1024 * 1024;
/** Keys that were lost. They stay so, although the table that held them is in good order since. */
export const DAMAGE_FILE = 'damaged-spans.json';
/** Damaged tables as they were found, for whoever wants to recover more of them. LevelDB ignores this folder. */
const SET_ASIDE = 'set-aside';
const OWNER_ONLY = 0o600;

/** A table whose bytes are not what was written. */
export interface DamagedTable {
  /** The file. */
  file: string;
  /** Where it is kept as it was found. Undefined where that failed while the store was in use: the next opening does it. */
  setAside: string | undefined;
  /** Keys whose values are lost; none where only a filter or an index was damaged. */
  lost: readonly KeySpan[];
}

export interface TableCheckParts {
  /** Directory of the database. */
  path: string;
  damage: Damage;
  /** Signs the list of checked tables. Without one every table counts as unchecked. */
  seal: TableSeal | undefined;
  onDamaged(table: DamagedTable): void;
}

interface LiveTable extends ManifestTable {
  name: string;
  file: string;
}

/**
 * Looks at the checksum of every block of every table, which LevelDB does not. A damaged table is set aside while the
 * database is closed, or before LevelDB needs it: a copy without its damaged blocks takes its place, because a compaction that meets keys out of order
 * ends the process. What stood in the blocks is refused from then on, since an older value may show there.
 */
export class TableCheck {
  readonly #parts: TableCheckParts;
  readonly #list: CheckedTables;
  /** Left for the time after the opening. */
  #rest: LiveTable[] = [];
  /** One buffer for all tables of a check: a buffer for each would wait for the garbage collector. */
  #room = Buffer.alloc(0);

  constructor(parts: TableCheckParts) {
    this.#parts = parts;
    this.#list = new CheckedTables(parts.path, parts.seal);
    parts.damage.add(knownSpans(parts.path));
  }

  /**
   * Before the first opening. After an unclean stop all tables are checked. After a clean one those that are as its list
   * says are believed, tables that changed since are checked, and new ones up to a bound; `checkRest` does what is left.
   */
  beforeOpening(): void {
    const wasClean = this.#list.take();
    const left: LiveTable[] = [];
    let budget = CHECKED_FIRST_BYTES;
    for (const table of this.#liveTables()) {
      const verdict = this.#list.verdictOf(table.name);
      if (wasClean && (verdict === 'as listed' || (verdict === 'not listed' && budget <= 0))) {
        left.push(table);
        continue;
      }
      if (verdict === 'not listed') budget -= table.size;
      this.#check(table, 'closed');
    }
    this.#rest = left;
    this.#room = Buffer.alloc(0);
  }

  /**
   * Beside the work, one table per turn of the event loop, until `isOver`. What it finds is refused at once, and set aside
   * too: LevelDB opens a table when it first needs it, and then finds the mended one.
   */
  async checkRest(isOver: () => boolean): Promise<void> {
    for (const table of this.#rest) {
      await nextTurn();
      if (isOver()) return;
      try {
        this.#check(table, 'in use');
      } catch (error) {
        // A compaction replaces tables at any moment, this one too.
        if (existsSync(table.file)) throw error;
      }
    }
    this.#rest = [];
    this.#room = Buffer.alloc(0);
  }

  /** After a clean end: checks new tables up to the bound and leaves the signed list of all that were checked. */
  afterClosing(): void {
    try {
      this.#checkNew();
      this.#list.leave(this.#liveTables().map(({ name }) => name));
    } catch (error) {
      if (!(error instanceof StoreOpenError || (error instanceof Error && 'code' in error))) throw error;
      // A full disk, say. Without a list the next opening checks every table, and reports what it finds.
    }
  }

  #checkNew(): void {
    let budget = CHECKED_FIRST_BYTES;
    for (const table of this.#liveTables()) {
      if (this.#list.verdictOf(table.name) === 'as listed') continue;
      budget -= table.size;
      if (budget > 0) this.#check(table, 'closed');
    }
  }

  /** Newest first. Without a readable manifest there are none: the opening fails with the better reason. */
  #liveTables(): LiveTable[] {
    const { path } = this.#parts;
    if (!existsSync(join(path, 'CURRENT'))) return [];
    try {
      const live = liveTables(path);
      const found = readdirSync(path).flatMap((name) => {
        const known = /\.(ldb|sst)$/.test(name) ? live.get(Number.parseInt(name, 10)) : undefined;
        return known === undefined ? [] : [{ ...known, name, file: join(path, name) }];
      });
      return found.sort((one, other) => Number.parseInt(other.name, 10) - Number.parseInt(one.name, 10));
    } catch (error) {
      if (error instanceof RangeError || (error instanceof Error && 'code' in error)) return [];
      throw error;
    }
  }

  #check(table: LiveTable, database: 'closed' | 'in use'): void {
    const bytes = this.#read(table.file);
    const mended = mendTable(bytes, table);
    if (mended === undefined) {
      this.#list.add(table.name);
      return;
    }
    const { damage, onDamaged } = this.#parts;
    // The open handle may still use the old file, so more of it than what is lost may read wrong.
    if (database === 'in use') damage.suspect(damagedSpansOf(bytes) ?? [{ after: '', upTo: table.largest }]);
    const { lost } = mended;
    this.#note(lost);
    try {
      onDamaged({ file: table.file, setAside: this.#setAside(table, mended), lost });
    } catch (error) {
      if (database === 'closed' || !(error instanceof StoreOpenError)) throw error;
      onDamaged({ file: table.file, setAside: undefined, lost });
    }
  }

  /** Until the next table is read. */
  #read(file: string): Buffer {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      if (size > this.#room.length) this.#room = Buffer.allocUnsafeSlow(size);
      return filePart(fd, 0, size, this.#room.subarray(0, size));
    } finally {
      closeSync(fd);
    }
  }

  /** Lost keys are noted before, so that none is forgotten wherever this is interrupted. Returns where the table is kept. */
  #setAside({ file, name }: LiveTable, { bytes }: MendedTable): string {
    const { path } = this.#parts;
    try {
      const setAside = keepCopy(file, join(path, SET_ASIDE), name);
      writeFileAtomicSync(file, bytes, statSync(file).mode & 0o777);
      this.#list.add(name);
      return setAside;
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause)) throw cause;
      const message = `${file} is damaged and cannot be set aside: ${cause.message}. Make room or mend the rights.`;
      throw new StoreOpenError('unreadable', path, message, { cause });
    }
  }

  #note(lost: readonly KeySpan[]): void {
    const { path, damage } = this.#parts;
    if (!damage.add(lost)) return;
    writeFileAtomicSync(join(path, DAMAGE_FILE), JSON.stringify(damage.spans), OWNER_ONLY);
  }
}

function keepCopy(file: string, directory: string, name: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  let target = join(directory, name);
  for (let n = 2; existsSync(target); n += 1) target = join(directory, `${name}.${n}`);
  linkOrCopy(file, target);
  return target;
}

/** A second name of the same file where that can be, which needs no room. One that is there already is left. */
export function linkOrCopy(file: string, target: string): void {
  if (existsSync(target)) return;
  try {
    linkSync(file, target);
  } catch {
    // Not every file system has links.
    copyFileSync(file, target, constants.COPYFILE_EXCL);
  }
}

function knownSpans(path: string): KeySpan[] {
  const file = join(path, DAMAGE_FILE);
  if (!existsSync(file)) return [];
  const spans = parsed(readFileSync(file, 'utf8'));
  if (Array.isArray(spans) && spans.every(isSpan)) return spans;
  const message = `${file} is damaged, so that it is not known which keys were lost. Restore the file or the whole directory from a backup.`;
  throw new StoreOpenError('corrupt', path, message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller, which names the file.
    return undefined;
  }
}

function isSpan(value: unknown): value is KeySpan {
  if (typeof value !== 'object' || value === null || !('after' in value) || !('upTo' in value)) return false;
  return typeof value.after === 'string' && typeof value.upTo === 'string';
}
