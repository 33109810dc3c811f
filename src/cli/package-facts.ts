import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#config/package-root.ts';

/** Directory of this package, found from wherever it runs. */
export const packageRoot = findPackageRoot(import.meta.url);

export function packageVersion(): string {
  const facts = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return facts.version;
}
