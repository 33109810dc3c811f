import { importsOf } from './imports.ts';
import { code, type SourceTree } from './source-tree.ts';

/** Says which code a room has, and loads it on demand. */
const ROOM = /^src\/resources\/[^/]+\/room\.ts$/;

/**
 * Each group of files that import each other in a ring, type imports and those on demand included, as `a.ts -> b.ts -> a.ts`.
 * Only what a room loads on demand closes no ring: the tables are made of the words of the rooms, and their code needs the tables.
 */
export function cycleFindings(tree: SourceTree): string[] {
  const edges = new Map(
    code(tree).map(([path, source]) => [
      path,
      importsOf(path, source).flatMap(({ target, onDemand }) =>
        target === undefined || (onDemand && ROOM.test(path)) ? [] : [target],
      ),
    ]),
  );
  const done = new Set<string>();
  return [...edges.keys()].flatMap((path) => ringsFrom(path, edges, [], done));
}

function ringsFrom(
  path: string,
  edges: ReadonlyMap<string, readonly string[]>,
  trail: readonly string[],
  done: Set<string>,
): string[] {
  const start = trail.indexOf(path);
  if (start >= 0) return [[...trail.slice(start), path].join(' -> ')];
  if (done.has(path)) return [];
  const rings = (edges.get(path) ?? []).flatMap((next) => ringsFrom(next, edges, [...trail, path], done));
  done.add(path);
  return rings;
}
