import { code, isWithin, type SourceTree } from './source-tree.ts';
import { lineAt, nameOf, type Place, placesOf } from './syntax.ts';

/** Longest file and longest function, in lines (style.md: 95th percentiles near 300 and 50). */
export const MAX_FILE_LINES = 300;
export const MAX_FUNCTION_LINES = 50;

export interface SizedFunction {
  readonly path: string;
  readonly line: number;
  readonly lines: number;
  /** True for declarations and methods, false for arrows and function expressions in the middle of code. */
  readonly declared: boolean;
}

export function sizeFindings(tree: SourceTree): string[] {
  const files = code(tree).flatMap(([path, source]) => {
    const lines = linesIn(source);
    return lines > MAX_FILE_LINES ? [`${path}: ${lines} lines, at most ${MAX_FILE_LINES}`] : [];
  });
  const functions = functionsOf(tree)
    .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
    .map(
      ({ path, line, lines }) => `${path}:${line}: function of ${lines} lines, at most ${MAX_FUNCTION_LINES}`,
    );
  return [...files, ...functions];
}

/** Functions with a body. Those of test files are left out: a `describe` is a chapter, not a function. */
export function functionsOf(tree: SourceTree): SizedFunction[] {
  return code(tree).flatMap(([path, source]) => {
    if (path.endsWith('.test.ts') || isWithin(path, 'test/contracts')) return [];
    return placesOf(source).flatMap((place) => {
      const { node } = place;
      if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return [];
      const first = lineAt(source, node.start);
      const lines = lineAt(source, node.end) - first + 1;
      return [{ path, line: first, lines, declared: isDeclared(place) }];
    });
  });
}

export function fileSizes(tree: SourceTree): number[] {
  return code(tree).map(([, source]) => linesIn(source));
}

/** The value below which `share` (0..1) of the values lie; throws when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new Error('No values to take a quantile of.');
  return value;
}

function isDeclared({ node, parent }: Place): boolean {
  if (parent?.type === 'MethodDefinition') return true;
  return node.type === 'FunctionDeclaration' && nameOf(node['id']) !== undefined;
}

function linesIn(source: string): number {
  return source.split('\n').length - (source.endsWith('\n') ? 1 : 0);
}
