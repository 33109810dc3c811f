import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import type { TableSeal } from './checked-tables.ts';
import { openFailure, readFailure, storeUnavailable } from './level-errors.ts';
import { pagesOf, type Reading } from './level-pages.ts';
import { acquireOwnerLock, type OwnerLock } from './owner-lock.ts';
import { Damage, EVERYTHING } from './sealed-record.ts';
import type {
  DiskShortage,
  KeyRange,
  LostKeys,
  Store,
  StoreCompaction,
  StoreHealth,
  StoreSnapshot,
  WriteOp,
} from './store.ts';
import { StoreOpenError } from './store-errors.ts';
import { type DamagedTable, TableCheck } from './table-check.ts';
import { findLogHole } from './write-ahead-log.ts';

/** LevelDB ends a page early at this size; its default of 16 KiB makes pages of a dozen events. */
const PAGE_BYTES = 2 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;
const STRING_VALUE = { valueEncoding: 'utf8' } as const;
const SYNC = { sync: true };
/** Before and behind every key. */
const FIRST_KEY = '!';
const LAST_KEY = '~';

type Moment = ReturnType<Level<string, Buffer>['snapshot']>;
/** Where a read of the handle looks. Default: at what is durable now. */
interface At {
  snapshot?: Moment;
}

/** `level` types only what browsers have too; in Node its handle is classic-level's. */
type Handle = Level<string, Buffer> & {
  compactRange(start: string, end: string): Promise<void>;
  getProperty(property: string): string;
};

export interface LevelStoreOptions {
  /** Directory of the database; made with mode 0700 when missing. */
  path: string;
  /** Memory for uncompressed blocks. Default 32 MiB. */
  cacheBytes?: number;
  /** Size at which the write-ahead log becomes a table; bounds the recovery at start. Default 32 MiB: a third less compaction than 8 MiB. */
  writeBufferBytes?: number;
  /** Signs the list of checked tables that a clean stop leaves. Default: none, and every opening checks all tables. */
  seal?: TableSeal;
  /** Called for each damaged table, while the store opens and later. Default: nothing is called. */
  onDamaged?: (table: DamagedTable) => void;
  /** False where what a power loss takes is somewhere else too. Default: each write is on the disk when it resolves. */
  syncs?: boolean;
  /** True where the caller holds the lock of the directory, and keeps it when the store is closed. Default: the store does. */
  isOwned?: boolean;
}

const CALLERS_LOCK: OwnerLock = { release: async () => undefined };

/** Opens the store and owns its directory until `close`. Rejects with StoreOpenError. */
export async function openLevelStore(options: LevelStoreOptions): Promise<Store> {
  const lock = options.isOwned ? CALLERS_LOCK : await acquireOwnerLock(options.path);
  try {
    const createIfMissing = !holdsDatabase(options.path);
    refuseHole(options.path);
    const damage = new Damage();
    const { path, seal, onDamaged = () => undefined } = options;
    const tables = new TableCheck({ path, damage, seal, onDamaged });
    tables.beforeOpening();
    const room = new DiskRoom(path);
    room.release();
    const store = new LevelStore(
      { options, lock, damage, tables, room },
      await openHandle(options, createIfMissing),
    );
    void store.checkRest();
    return store;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opened with a hole, the store would serve states that were overwritten long ago, each with a right hash. */
function refuseHole(path: string): void {
  const hole = findLogHole(path);
  if (hole === undefined) return;
  const file = join(path, hole.file);
  throw new StoreOpenError(
    'corrupt',
    path,
    `${file} is damaged at byte ${hole.offset}, and later writes are behind it. Restore a backup. Or keep a copy of the ` +
      `directory, run "truncate -s ${hole.offset} ${file}", remove later .log files, and accept the loss with ` +
      `"harn-gateway log accept-truncation".`,
  );
}

/** `createIfMissing` only at start: a database that vanished under a running gateway must not come back empty. */
async function openHandle(options: LevelStoreOptions, createIfMissing: boolean): Promise<Handle> {
  const { path, cacheBytes = 32 * 1024 * 1024, writeBufferBytes = 32 * 1024 * 1024 } = options;
  try {
    const handle = new Level(path, { keyEncoding: 'utf8', valueEncoding: 'buffer' }) as Handle;
    const files = { compression: true, cacheSize: cacheBytes, writeBufferSize: writeBufferBytes };
    await handle.open({ createIfMissing, ...files });
    return handle;
  } catch (error) {
    throw openFailure(error, path);
  }
}

interface LevelStoreParts {
  options: LevelStoreOptions;
  lock: OwnerLock;
  damage: Damage;
  tables: TableCheck;
  room: DiskRoom;
}

class LevelStore implements Store {
  readonly #options: LevelStoreOptions;
  readonly #lock: OwnerLock;
  readonly #damage: Damage;
  readonly #tables: TableCheck;
  readonly #room: DiskRoom;
  readonly #fenceListeners = new Set<(cause: unknown) => void>();
  #handle: Handle;
  #health: StoreHealth = 'open';
  #shortage: DiskShortage | undefined;
  /** Settles when the newest write or reopen did: a write behind a failed one must not reach the handle. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor({ options, lock, damage, tables, room }: LevelStoreParts, handle: Handle) {
    this.#options = options;
    this.#lock = lock;
    this.#damage = damage;
    this.#tables = tables;
    this.#room = room;
    this.#handle = handle;
  }

  get health(): StoreHealth {
    return this.#health;
  }

  get shortage(): DiskShortage | undefined {
    return this.#shortage;
  }

  get lost(): readonly LostKeys[] {
    return this.#damage.spans;
  }

  /** Goes on checking tables beside the work. What it finds is refused from then on. */
  async checkRest(): Promise<void> {
    try {
      await this.#tables.checkRest(() => this.#health === 'closed');
    } catch {
      // A table that cannot be read, or damage that cannot be noted down: nothing can be believed.
      this.#damage.add([EVERYTHING]);
    }
  }

  get(key: string, at?: At): Buffer | undefined {
    this.#damage.checkKey(key);
    try {
      return at === undefined ? this.#handle.getSync(key) : this.#handle.getSync(key, at);
    } catch (error) {
      throw readFailure(error, key);
    }
  }

  async getMany(keys: readonly string[], at?: At): Promise<(Buffer | undefined)[]> {
    for (const key of keys) this.#damage.checkKey(key);
    try {
      return await (at === undefined ? this.#handle.getMany([...keys]) : this.#handle.getMany([...keys], at));
    } catch (error) {
      // Read one by one, the damaged key names itself.
      for (const key of keys) this.get(key, at);
      throw readFailure(error, keys[0] ?? '');
    }
  }

  entries(range: KeyRange, at?: At): AsyncIterable<[string, Buffer][]> {
    const reading: Reading<[string, Buffer]> = {
      start: (bounds) => this.#handle.iterator({ ...bounds, ...at, highWaterMarkBytes: PAGE_BYTES }),
      keyOf: ([key]) => key,
      bytesOf: ([key, value]) => key.length + value.length,
    };
    return pagesOf(reading, range, this.#damage);
  }

  snapshot(): StoreSnapshot {
    const at = { snapshot: this.#moment() };
    return {
      get: (key) => this.get(key, at),
      getMany: (keys) => this.getMany(keys, at),
      entries: (range) => this.entries(range, at),
      close: () => at.snapshot.close(),
    };
  }

  #moment(): Moment {
    try {
      return this.#handle.snapshot();
    } catch (error) {
      throw readFailure(error, 'a snapshot');
    }
  }

  keys(range: KeyRange): AsyncIterable<string[]> {
    const reading: Reading<string> = {
      start: (bounds) => this.#handle.keys({ ...bounds, highWaterMarkBytes: PAGE_BYTES }),
      keyOf: (key) => key,
      bytesOf: (key) => key.length,
    };
    return pagesOf(reading, range, this.#damage);
  }

  write(ops: readonly WriteOp[]): Promise<void> {
    return this.#inTurn(() => this.#writeNow(ops));
  }

  async #writeNow(ops: readonly WriteOp[]): Promise<void> {
    if (this.#health !== 'open') throw storeUnavailable(this.#reason(`The store is ${this.#health}.`));
    const batch = this.#handle.batch();
    let bytes = 0;
    for (const op of ops) {
      bytes += op.key.length + (op.type === 'put' ? op.value.length : 0);
      if (op.type === 'del') batch.del(op.key);
      else if (typeof op.value === 'string') batch.put(op.key, op.value, STRING_VALUE);
      else batch.put(op.key, op.value);
    }
    try {
      await (this.#options.syncs === false ? batch.write() : batch.write(SYNC));
    } catch (cause) {
      if (isDiskFull(cause)) this.#shortage = this.#room.balance();
      this.#fence(cause);
      throw storeUnavailable(this.#reason('The store failed to write.'), cause);
    }
    this.#room.wrote(bytes);
  }

  #reason(otherwise: string): string {
    return this.#shortage === undefined ? otherwise : this.#shortage.reason;
  }

  #fence(cause: unknown): void {
    this.#health = 'fenced';
    for (const listener of [...this.#fenceListeners]) listener(cause);
  }

  onFence(listener: (cause: unknown) => void): () => void {
    this.#fenceListeners.add(listener);
    return () => this.#fenceListeners.delete(listener);
  }

  reopen(): Promise<void> {
    return this.#inTurn(() => this.#reopenNow());
  }

  async #reopenNow(): Promise<void> {
    if (this.#health === 'closed') throw storeUnavailable('The store is closed.');
    try {
      await this.#checkRoom();
      await this.#handle.close();
      this.#room.release();
      this.#handle = await openHandle(this.#options, false);
    } catch (cause) {
      this.#health = 'fenced';
      throw storeUnavailable(this.#reason('The store cannot be reopened yet.'), cause);
    }
    this.#health = 'open';
    this.#shortage = undefined;
  }

  /** Asked before the fenced handle is closed, because a handle that cannot write still reads. */
  async #checkRoom(): Promise<void> {
    this.#shortage = this.#room.shortage();
    if (this.#shortage !== undefined) throw new Error(`${this.#options.path}: ${this.#shortage.reason}`);
    await this.#room.probe();
  }

  async compact(range: { gte: string; lte: string }): Promise<void> {
    try {
      await this.#handle.compactRange(range.gte, range.lte);
    } catch (error) {
      throw readFailure(error, range.gte);
    }
  }

  /**
   * A table that was written at once with what was deleted behind it is not merged with anything, and so keeps it: a table that only
   * spans all keys, laid above it, makes the second pass write it again.
   */
  async purge(): Promise<void> {
    try {
      await this.#handle.compactRange(FIRST_KEY, LAST_KEY);
      await this.#inTurn(() => this.#spanAll());
      await this.#handle.compactRange(FIRST_KEY, LAST_KEY);
    } catch (error) {
      throw readFailure(error, FIRST_KEY);
    }
  }

  /** Deletes two keys that are never there. */
  async #spanAll(): Promise<void> {
    await this.#writeNow([
      { type: 'del', key: FIRST_KEY },
      { type: 'del', key: LAST_KEY },
    ]);
  }

  /** LevelDB prints a table: level, files, size in MB, then seconds and MB read and written by compactions. */
  compaction(): StoreCompaction {
    const total = { seconds: 0, readBytes: 0, writtenBytes: 0 };
    if (this.#health === 'closed') return total;
    for (const line of this.#handle.getProperty('leveldb.stats').split('\n')) {
      const [level, , , seconds, read, written] = line.trim().split(/\s+/).map(Number);
      if (level === undefined || Number.isNaN(level) || written === undefined) continue;
      total.seconds += seconds ?? 0;
      total.readBytes += (read ?? 0) * MEBIBYTE;
      total.writtenBytes += written * MEBIBYTE;
    }
    return total;
  }

  close(): Promise<void> {
    this.#closing ??= this.#inTurn(async () => {
      const isClean = this.#health === 'open';
      this.#health = 'closed';
      try {
        await this.#handle.close();
        if (isClean) this.#tables.afterClosing();
      } finally {
        await this.#lock.release();
      }
    });
    return this.#closing;
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(action);
    // The caller sees the failure; the next in turn only waits for the end.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const MIB = 1024 * 1024;
/** Recovery writes the old write-ahead log out as a table and starts a manifest; this is the slack beside it. */
const MARGIN_BYTES = 2 * MIB;
/** For what is written after the reopening. */
const LEAST_BYTES = MIB;
/** The reserve grows by so much at least. */
const STEP_BYTES = 4 * MIB;
const PROBE_BYTES = 64 * 1024;
const RESERVE_FILE = 'reserve';
const OWNER_ONLY = 0o600;

/**
 * Room on the disk of a store. Reopening needs as much as the write-ahead log has grown to; a file that grows beside it,
 * and goes when the store opens, holds that room, so that a full disk needs a few MiB freed and not tens of them.
 */
export class DiskRoom {
  readonly #path: string;
  #reserved = 0;
  #unlooked = 0;
  #growing = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Gives the reserve free, for the recovery that a handle begins with. */
  release(): void {
    rmSync(join(this.#path, RESERVE_FILE), { force: true });
    this.#reserved = 0;
    this.#unlooked = 0;
  }

  /** So many bytes were written. Now and then it lets the reserve follow the write-ahead log. */
  wrote(bytes: number): void {
    this.#unlooked += bytes;
    if (this.#unlooked < STEP_BYTES || this.#growing) return;
    this.#unlooked = 0;
    this.#growing = true;
    const over = () => {
      this.#growing = false;
    };
    // Without a reserve a full disk needs more freed, which is no reason to fail; it is tried again.
    this.#follow().then(over, over);
  }

  /** What is free, and what has to be before a handle can be expected to open and to write. */
  balance(): DiskShortage {
    const { bavail, bsize } = statfsSync(this.#path);
    const recovery = logBytes(this.#path) + MARGIN_BYTES - this.#reserveBytes();
    const freeBytes = bavail * bsize;
    const neededBytes = Math.max(recovery, LEAST_BYTES);
    const reason = `The disk is full: ${mib(freeBytes)} are free and ${mib(neededBytes)} are needed.`;
    return { freeBytes, neededBytes, reason };
  }

  /** The same when too little is free. */
  shortage(): DiskShortage | undefined {
    const balance = this.balance();
    return balance.freeBytes < balance.neededBytes ? balance : undefined;
  }

  /** Resolves when a write with fsync works. */
  async probe(): Promise<void> {
    await fill(join(this.#path, 'probe'), PROBE_BYTES);
    rmSync(join(this.#path, 'probe'), { force: true });
  }

  #reserveBytes(): number {
    const file = join(this.#path, RESERVE_FILE);
    return existsSync(file) ? statSync(file).size : 0;
  }

  async #follow(): Promise<void> {
    const { bavail, bsize } = statfsSync(this.#path);
    const wanted = logBytes(this.#path) + MARGIN_BYTES;
    // The last room is for what is written, not for the reserve.
    if (wanted <= this.#reserved || bavail * bsize < 2 * STEP_BYTES) return;
    const size = Math.ceil(wanted / STEP_BYTES) * STEP_BYTES;
    await fill(join(this.#path, RESERVE_FILE), size);
    this.#reserved = size;
  }
}

/** Makes the file so large, with bytes that no file system leaves out. */
async function fill(path: string, size: number): Promise<void> {
  const file = await open(path, 'a', OWNER_ONLY);
  try {
    const piece = Buffer.alloc(PROBE_BYTES, 0xa5);
    for (let at = (await file.stat()).size; at < size; at += piece.length) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

function logBytes(path: string): number {
  const logs = readdirSync(path).filter((name) => name.endsWith('.log'));
  return logs.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

/** Whether a write failed because there was no room, or no more of it for this user. */
export function isDiskFull(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (/No space left on device|quota exceeded|ENOSPC|EDQUOT/i.test(error.message)) return true;
  return false;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/**
 * Whether the directory holds a database. A directory with tables or logs but without CURRENT is a damaged one: LevelDB
 * would start an empty database there and delete the rest, so it is refused as `corrupt`.
 */
function holdsDatabase(path: string): boolean {
  if (existsSync(join(path, 'CURRENT'))) return true;
  const leftover = readdirSync(path).find((name) => /^\d+\.(ldb|sst|log)$/.test(name));
  if (leftover === undefined) return false;
  throw new StoreOpenError('corrupt', path, `${path} is damaged: it holds ${leftover} but no CURRENT file.`);
}
