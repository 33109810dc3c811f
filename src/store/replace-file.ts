import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './atomic-file.ts';
import { refuseMoved } from './confined-path.ts';
import { DRAFT_NAME } from './file-faults.ts';

/** Mode of a file that callers make; a file that exists keeps its own. */
const NEW_FILE_MODE = 0o644;

/**
 * Puts content under a name of a real directory, whole or not at all, and durably. The draft is made new and never followed,
 * because programs that share the directory may put anything there. One writer per directory at a time.
 */
export async function replaceFile(
  directory: string,
  name: string,
  bytes: Buffer,
  mode = NEW_FILE_MODE,
): Promise<void> {
  const draft = join(directory, DRAFT_NAME);
  await rm(draft, { force: true });
  try {
    await writeNew(draft, bytes, mode);
    await refuseMoved(directory);
    await rename(draft, join(directory, name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

async function writeNew(path: string, bytes: Buffer, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await file.chmod(mode);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
