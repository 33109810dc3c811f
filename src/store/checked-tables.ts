import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectorySync, writeFileAtomicSync } from './atomic-file.ts';

const LIST_FILE = 'checked-tables.json';
const OWNER_ONLY = 0o600;

/** Signs small texts with a key of the gateway, and checks such signatures. */
export interface TableSeal {
  sign(bytes: Buffer): string;
  verify(bytes: Buffer, signature: string): boolean;
}

/** `[bytes, time of the last change in epoch milliseconds]`. */
type Mark = [size: number, mtimeMs: number];

/**
 * The tables that were checked, by their size and time. The list is there only between a clean stop and the next opening:
 * where it is absent, or its signature is wrong, every table counts as unchecked.
 */
export class CheckedTables {
  readonly #path: string;
  readonly #seal: TableSeal | undefined;
  readonly #checked = new Map<string, Mark>();

  constructor(path: string, seal: TableSeal | undefined) {
    this.#path = path;
    this.#seal = seal;
  }

  /** Reads the list and removes it durably. Returns whether there was a good one: the last stop was clean. */
  take(): boolean {
    const file = join(this.#path, LIST_FILE);
    if (!existsSync(file)) return false;
    const marks = this.#read(file);
    rmSync(file);
    syncDirectorySync(this.#path);
    for (const [name, mark] of Object.entries(marks ?? {})) this.#checked.set(name, mark);
    return marks !== undefined;
  }

  verdictOf(name: string): 'as listed' | 'changed' | 'not listed' {
    const listed = this.#checked.get(name);
    if (listed === undefined) return 'not listed';
    const [size, mtimeMs] = markOf(this.#path, name);
    return listed[0] === size && listed[1] === mtimeMs ? 'as listed' : 'changed';
  }

  /** The table as it is now was checked. */
  add(name: string): void {
    this.#checked.set(name, markOf(this.#path, name));
  }

  /** Writes the list of those among `names` that were checked, as the last thing of a clean stop. */
  leave(names: readonly string[]): void {
    if (this.#seal === undefined) return;
    const listed = names.filter((name) => this.verdictOf(name) === 'as listed');
    const tables = JSON.stringify(Object.fromEntries(listed.map((name) => [name, this.#checked.get(name)])));
    const signature = this.#seal.sign(Buffer.from(tables));
    writeFileAtomicSync(join(this.#path, LIST_FILE), JSON.stringify({ tables, signature }), OWNER_ONLY);
  }

  #read(file: string): Record<string, Mark> | undefined {
    try {
      const { tables, signature } = JSON.parse(readFileSync(file, 'utf8'));
      const isOurs = this.#seal?.verify(Buffer.from(String(tables)), String(signature)) === true;
      return isOurs ? JSON.parse(tables) : undefined;
    } catch (error) {
      // A list that is no list vouches for nothing.
      if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

function markOf(path: string, name: string): Mark {
  const { size, mtimeMs } = statSync(join(path, name));
  return [size, Math.floor(mtimeMs)];
}
