import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const packages: Record<string, LockedPackage> = lock.packages;

/** True when a package at `holder` finds `name` the way Node does: in its own node_modules, then further up. */
function isLocked(holder: string, name: string): boolean {
  const path = holder === '' ? `node_modules/${name}` : `${holder}/node_modules/${name}`;
  if (Object.hasOwn(packages, path)) return true;
  return holder !== '' && isLocked(holder.slice(0, Math.max(0, holder.lastIndexOf('/node_modules/'))), name);
}

describe('the lockfile', () => {
  // npm leaves out binaries of other platforms when a registry mirror lacks them; `npm ci` then refuses the file.
  it('has the optional packages of every platform, so that npm ci takes it everywhere', () => {
    const wanted = Object.entries(packages).flatMap(([holder, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => [holder, name] as const),
    );
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter(([holder, name]) => !isLocked(holder, name))).toEqual([]);
  });
});
