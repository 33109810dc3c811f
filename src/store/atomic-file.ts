import * as sync from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces the file whole: write beside it, fsync, rename, fsync of the directory. After a crash the file has the old
 * content or the new one. The mode is exact, whatever the umask. One writer per path at a time.
 */
export async function writeFileAtomic(path: string, content: Buffer | string, mode: number): Promise<void> {
  const draft = `${path}.draft`;
  try {
    const file = await open(draft, 'w', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The same for start-up and for a process that is about to end: blocks until the content is durable. */
export function writeFileAtomicSync(path: string, content: Buffer | string, mode: number): void {
  const draft = `${path}.draft`;
  try {
    const file = sync.openSync(draft, 'w', mode);
    try {
      sync.fchmodSync(file, mode);
      sync.writeFileSync(file, content);
      sync.fsyncSync(file);
    } finally {
      sync.closeSync(file);
    }
    sync.renameSync(draft, path);
  } catch (error) {
    sync.rmSync(draft, { force: true });
    throw error;
  }
  syncDirectorySync(dirname(path));
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The same for start-up and for a process that is about to end. */
export function syncDirectorySync(path: string): void {
  // Windows cannot open a directory for fsync; its rename is journaled.
  if (process.platform === 'win32') return;
  const directory = sync.openSync(path, 'r');
  try {
    sync.fsyncSync(directory);
  } finally {
    sync.closeSync(directory);
  }
}
