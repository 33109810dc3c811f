import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ProtocolError } from '#protocol/errors.ts';

/** Where a path leads after every symlink: an existing place, and the names below it that do not exist yet. */
export interface ConfinedPath {
  real: string;
  missing: readonly string[];
}

/**
 * Follows names below a root (itself already real), symlinks included, and refuses with policy_violation at the first step
 * that leaves it or leads nowhere. See src/resources/workspace/README.md, Roots.
 */
export async function resolveInside(root: string, names: readonly string[]): Promise<ConfinedPath> {
  let real = root;
  for (const [at, name] of names.entries()) {
    const next = await realOf(join(real, name));
    if (next === undefined) return { real, missing: names.slice(at) };
    if (!isInside(root, next)) throw leavesRoot();
    real = next;
  }
  return { real, missing: [] };
}

/** Whether a real path is the root or lies below it. */
export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Refuses when what was resolved a moment ago is not what the path means now. */
export async function refuseMoved(real: string): Promise<void> {
  if ((await realOf(real)) !== real) throw leavesRoot();
}

export function leavesRoot(): ProtocolError {
  const message = 'The path leaves the root of the workspace. Name a file inside it.';
  return new ProtocolError('policy_violation', message, { param: 'path' });
}

/** The real path, or undefined when nothing is there; a symlink to nothing is refused, it may lead anywhere. */
async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw leavesRoot();
    if (code !== 'ENOENT') throw error;
    if (await exists(path)) throw leavesRoot();
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // Nothing there, or not for us to see: the caller meets the reason when it makes the file.
    return false;
  }
}
