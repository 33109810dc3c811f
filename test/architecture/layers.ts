import { posix } from 'node:path';
import { type Import, importsOf } from './imports.ts';
import { LAYERS, type LayerRow } from './layer-table.ts';
import { isWithin, productCode, type SourceTree } from './source-tree.ts';

interface Membership {
  readonly row: LayerRow;
  /** The layer with its `*` filled in. */
  readonly layer: string;
  /** What the `*` stands for, empty without one. */
  readonly name: string;
}

/** Imports that the layer table does not allow, imports of nothing, and files of no layer. */
export function layerFindings(tree: SourceTree, table: readonly LayerRow[] = LAYERS): string[] {
  return productCode(tree).flatMap(([path, source]) => {
    const own = membershipOf(path, table);
    if (own === undefined) return [`${path}: no row of the layer table covers it`];
    return importsOf(path, source).flatMap((found) => {
      const problem = problemOf(found, own, tree, table);
      return problem === undefined ? [] : [`${path}:${found.line}: ${problem}`];
    });
  });
}

function problemOf(
  { from, specifier, target, typeOnly, onDemand }: Import,
  own: Membership,
  tree: SourceTree,
  table: readonly LayerRow[],
): string | undefined {
  if (specifier === undefined) return 'imports a computed name, which no rule can judge';
  if (target === undefined) return undefined;
  if (!tree.has(target)) return `imports ${target}, which does not exist`;
  if (membershipOf(target, table)?.layer === own.layer) return undefined;
  if (own.row.loadsOwn && onDemand && posix.dirname(target) === posix.dirname(from)) return undefined;
  const isExcepted = allows(own.row.never ?? [], own.name, target);
  if (!isExcepted && allows(own.row.imports, own.name, target)) return undefined;
  const hasTypes = allows(own.row.types ?? [], own.name, target);
  if (hasTypes && typeOnly) return undefined;
  const excess = hasTypes ? 'more than types of ' : '';
  return `${own.layer} may not import ${excess}${target} (${own.row.because})`;
}

function allows(entries: readonly string[], name: string, target: string): boolean {
  return entries.some((entry) => covers(entry.replace('*', name), target));
}

function membershipOf(path: string, table: readonly LayerRow[]): Membership | undefined {
  const matches = table.flatMap((row) => {
    const name = row.layer.endsWith('/*') ? (path.slice(row.layer.length - 1).split('/')[0] ?? '') : '';
    const layer = row.layer.replace('*', name);
    return covers(layer, path) ? [{ row, layer, name }] : [];
  });
  return matches.sort((a, b) => specificity(b) - specificity(a))[0];
}

/** Like isWithin; words in braces stand for any part of one name, those with a hyphen for one that ends or begins with it, or none. */
function covers(entry: string, path: string): boolean {
  if (!entry.includes('{')) return isWithin(path, entry);
  const pattern = entry
    .replaceAll('.', '\\.')
    .replaceAll(/\{\w+-\}/g, '([^/]*-)?')
    .replaceAll(/\{-\w+\}/g, '(-[^/]*)?')
    .replaceAll(/\{\w+\}/g, '[^/]*');
  return new RegExp(`^${pattern}$`).test(path);
}

/** A longer layer is more specific; of two equal ones, that without a `*`. */
function specificity({ layer, name }: Membership): number {
  return 2 * layer.length - (name === '' ? 0 : 1);
}
