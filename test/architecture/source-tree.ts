import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Sources by path from the package root, with forward slashes. Rules run on the real one and on planted ones. */
export type SourceTree = ReadonlyMap<string, string>;

export const PACKAGE_ROOT = fileURLToPath(new URL('../..', import.meta.url));

const FOLDERS = ['src', 'bridges', 'mappings', 'fixtures', 'config', 'test'];
const PRODUCT = /^(src|bridges|mappings|config\/sample-agent)\//;

/** Every file below the folders that hold code or data, but what the browser tests install. Bytes that are no UTF-8 come as replacement characters. */
export function readSourceTree(): SourceTree {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE_ROOT.length))
      .filter((path) => !path.includes('/node_modules/')),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(PACKAGE_ROOT, path), 'utf8')]));
}

/** A tree made of the given files, for planted violations. */
export function plantedTree(files: Readonly<Record<string, string>>): SourceTree {
  return new Map(Object.entries(files));
}

/** TypeScript files that ship: src, bridges, mappings and the sample agent. */
export function productCode(tree: SourceTree): [path: string, source: string][] {
  return code(tree).filter(([path]) => PRODUCT.test(path));
}

/** All TypeScript files, tests included. */
export function code(tree: SourceTree): [path: string, source: string][] {
  return [...tree].filter(([path]) => path.endsWith('.ts'));
}

/** True when `path` is `prefix` itself or lies below it. */
export function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
