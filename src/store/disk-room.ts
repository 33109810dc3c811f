import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskShortage } from './store.ts';

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
