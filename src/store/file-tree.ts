import { constants, realpathSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProtocolError } from '#protocol/errors.ts';
import { syncDirectory } from './atomic-file.ts';
import { type ConfinedPath, isInside, leavesRoot, refuseMoved, resolveInside } from './confined-path.ts';
import { DRAFT_NAME, fileFault, movedAway, writeFault } from './file-faults.ts';

/** The workspace whose files are meant. */
export interface FileRoot {
  id: string;
  /** `harn://...` lives in the data directory; any other root is a label unless it lies under a configured directory. */
  root: string;
}

interface FileEntry {
  name: string;
  kind: 'file' | 'directory';
  /** Bytes; 0 for a directory. */
  size: number;
}

export type FileContent =
  | { kind: 'file'; bytes: Buffer }
  | { kind: 'directory'; entries: FileEntry[]; isTruncated: boolean };

interface FileTreeOptions {
  /** Directory of the `harn://` roots, one per workspace id. */
  dir: string;
  /** Directories under which other roots are served. */
  roots: readonly string[];
  /** What the gateway keeps for itself; not served under `roots`, wherever they lead. */
  dataDir: string;
  maxFileBytes: number;
  /** Runs work of one lane in the order it came. */
  inTurn(key: string, work: () => Promise<void>): Promise<void>;
}

/** Entries of one listing: bounds the answer and the look-ups; the rest is said to be missing. */
const MAX_ENTRIES = 1_000;

/**
 * Files under workspace roots. Every path is confined to its root after following symlinks; names are checked before (no
 * `..`, not absolute). A write is durable, whole or not there, when it resolves. Roots may overlap.
 */
export class FileTree {
  readonly #options: FileTreeOptions;

  constructor(options: FileTreeOptions) {
    this.#options = options;
  }

  /** Whether files under such a root are shared with whoever uses the configured directories, now or once it is made. */
  isServedRoot(root: string): boolean {
    return isUnderAny(this.#options.roots, root);
  }

  /** Rejects with resource_not_found, payload_too_large, policy_violation or invalid_request. */
  async read(root: FileRoot, names: readonly string[]): Promise<FileContent> {
    try {
      return await this.#read(root, names);
    } catch (error) {
      throw fileFault(error);
    }
  }

  /** Makes missing directories. Rejects with policy_violation, invalid_request or service_unavailable. */
  async write(root: FileRoot, names: readonly string[], bytes: Buffer): Promise<void> {
    try {
      await this.#write(root, names, bytes);
    } catch (error) {
      throw writeFault(error);
    }
  }

  async #read(root: FileRoot, names: readonly string[]): Promise<FileContent> {
    if (names.includes(DRAFT_NAME)) throw absent();
    const directory = await this.#directoryOf(root);
    if (directory === undefined) {
      if (names.length === 0) return { kind: 'directory', entries: [], isTruncated: false };
      throw absent();
    }
    const { real, missing } = await this.#resolve(root, directory, names);
    if (missing.length > 0) throw absent();
    return (await lstat(real)).isDirectory() ? list(directory, real) : this.#readFile(real);
  }

  async #readFile(real: string): Promise<FileContent> {
    // NONBLOCK: opening a pipe that nobody writes to must not wait.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw notAFile();
      if (stats.size > this.#options.maxFileBytes) throw tooLarge(this.#options.maxFileBytes);
      const bytes = await readUpTo(file, this.#options.maxFileBytes);
      await refuseMoved(real);
      return { kind: 'file', bytes };
    } finally {
      await file.close();
    }
  }

  async #write(root: FileRoot, names: readonly string[], bytes: Buffer): Promise<void> {
    if (names.includes(DRAFT_NAME)) throw reserved();
    if (root.root.startsWith('harn://')) await this.#makeRoot(root.id);
    const directory = await this.#directoryOf(root);
    if (directory === undefined) throw movedAway();
    const { real, missing } = await this.#resolve(root, directory, names);
    if (missing.length > 0) {
      await this.#replace(await makeDirectories(real, missing.slice(0, -1)), missing.at(-1) ?? '', bytes);
      return;
    }
    const stats = await lstat(real);
    if (stats.isDirectory()) throw isADirectory();
    if (!stats.isFile()) throw notAFile();
    await this.#replace(dirname(real), basename(real), bytes, stats.mode & 0o777);
  }

  /** In turn by real directory: its draft has one name, whichever workspace the write is for. */
  async #replace(directory: string, ...file: [name: string, bytes: Buffer, mode?: number]): Promise<void> {
    await this.#options.inTurn(directory, () => replaceFile(directory, ...file));
  }

  /** Log, keys and the files of other workspaces lie in the data directory. */
  async #resolve({ root }: FileRoot, directory: string, names: readonly string[]): Promise<ConfinedPath> {
    const path = await resolveInside(directory, names);
    if (!root.startsWith('harn://') && isInside(await realpath(this.#options.dataDir), path.real))
      throw leavesRoot();
    return path;
  }

  async #makeRoot(id: string): Promise<void> {
    const { dir } = this.#options;
    const made = await mkdir(join(dir, id), { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    await syncDirectory(dir);
    await syncDirectory(dirname(dir));
  }

  /** The real directory of a root; undefined when a `harn://` root has no files yet. */
  async #directoryOf({ id, root }: FileRoot): Promise<string | undefined> {
    if (!root.startsWith('harn://')) return this.#servedDirectory(root);
    try {
      return await realpath(join(this.#options.dir, id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #servedDirectory(root: string): Promise<string> {
    const path = pathOfRoot(root);
    if (path === undefined) throw isALabel();
    for (const served of this.#options.roots) {
      const [below, real] = await Promise.all([realOrNothing(served), realOrNothing(path)]);
      if (below !== undefined && real !== undefined && isInside(below, real)) return real;
    }
    throw isALabel();
  }
}

async function list(root: string, real: string): Promise<FileContent> {
  const names = (await readdir(real)).filter((name) => name !== DRAFT_NAME).sort();
  const shown = names.slice(0, MAX_ENTRIES);
  const entries = await Promise.all(shown.map((name) => entryOf(root, real, name)));
  return {
    kind: 'directory',
    entries: entries.filter((entry) => entry !== undefined),
    isTruncated: names.length > shown.length,
  };
}

/** Undefined for what cannot be read through this door: links that lead out, pipes, sockets, devices. */
async function entryOf(root: string, directory: string, name: string): Promise<FileEntry | undefined> {
  const real = await realOrNothing(join(directory, name));
  if (real === undefined || !isInside(root, real)) return undefined;
  // Removed since its directory was read: not there.
  const stats = await stat(real).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return { name, kind: 'directory', size: 0 };
  return stats.isFile() ? { name, kind: 'file', size: stats.size } : undefined;
}

async function makeDirectories(from: string, names: readonly string[]): Promise<string> {
  let real = from;
  for (const name of names) {
    real = join(real, name);
    await makeDirectory(real);
    await syncDirectory(dirname(real));
  }
  if ((await realpath(real)) !== real) throw leavesRoot();
  return real;
}

/** A write beside this one may have made it meanwhile; a link in its place is refused. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await refuseMoved(path);
  }
}

async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(limit + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > limit) throw tooLarge(limit);
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}

async function realOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // Absent, a loop, or not ours to see: for the reader of a listing it is not there.
    return undefined;
  }
}

function absent(): ProtocolError {
  return new ProtocolError('resource_not_found', 'No such file in this workspace. List its directory.', {
    param: 'path',
  });
}

function isADirectory(): ProtocolError {
  return new ProtocolError('invalid_request', 'The path names a directory. Name a file in it.', {
    param: 'path',
  });
}

function reserved(): ProtocolError {
  return new ProtocolError('invalid_request', `The name ${DRAFT_NAME} is reserved. Choose another one.`, {
    param: 'path',
  });
}

function notAFile(): ProtocolError {
  return new ProtocolError('policy_violation', 'The path names no regular file.', { param: 'path' });
}

function isALabel(): ProtocolError {
  const message =
    'The root of this workspace is a label: its files are not served here. Use a harn:// root, or configure store.workspace_roots.';
  return new ProtocolError('policy_violation', message);
}

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError('payload_too_large', `The file is larger than ${limit} bytes. Use an artifact.`, {
    param: 'path',
    details: { limit_bytes: limit },
  });
}

/** The absolute path that a workspace root means; undefined for a label. */
function pathOfRoot(root: string): string | undefined {
  const path = root.startsWith('file:///') ? pathOfUrl(root) : root;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/**
 * Whether a root lies under one of the directories, or would once it is made: what is absent now may be there later. Links
 * are followed as far as the path exists. Asks the file system, synchronously.
 */
function isUnderAny(directories: readonly string[], root: string): boolean {
  const path = pathOfRoot(root);
  if (path === undefined) return false;
  const meant = [resolve(path), plannedPath(path)];
  return directories.some((directory) => {
    const real = plannedPath(directory);
    return meant.some((place) => isInside(resolve(directory), place) || isInside(real, place));
  });
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // No path can be written this way, for example with an encoded slash: a label like any other.
    return undefined;
  }
}

/** The real path of what exists, with the names that do not. */
function plannedPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Absent, or not ours to see: its parent says where it would be.
    const parent = dirname(path);
    return parent === path ? path : join(plannedPath(parent), basename(path));
  }
}

/** Mode of a file that callers make; a file that exists keeps its own. */
const NEW_FILE_MODE = 0o644;

/**
 * Puts content under a name of a real directory, whole or not at all, and durably. The draft is made new and never followed,
 * because programs that share the directory may put anything there. One writer per directory at a time.
 */
async function replaceFile(
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
