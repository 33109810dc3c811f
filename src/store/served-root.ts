import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from './confined-path.ts';

/** The absolute path that a workspace root means; undefined for a label. */
export function pathOfRoot(root: string): string | undefined {
  const path = root.startsWith('file:///') ? pathOfUrl(root) : root;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/**
 * Whether a root lies under one of the directories, or would once it is made: what is absent now may be there later. Links
 * are followed as far as the path exists. Asks the file system, synchronously.
 */
export function isUnderAny(directories: readonly string[], root: string): boolean {
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
