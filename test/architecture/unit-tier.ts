import { importsOf } from './imports.ts';
import { code, type SourceTree } from './source-tree.ts';

/** What starts a process, or a whole gateway. */
const HEAVY: ReadonlySet<string> = new Set(['node:child_process', 'src/compose/compose.ts']);

/**
 * Unit tests that start processes or gateways; they belong to another tier. They do so themselves, in what they import of the
 * tests, or by a file of the product that is imported there and starts processes.
 */
export function unitTierFindings(tree: SourceTree): string[] {
  const sources = new Map(code(tree));
  const imports = new Map<string, string[]>();
  const importedBy = (path: string): string[] => {
    const known = imports.get(path);
    if (known !== undefined) return known;
    const found = importsOf(path, sources.get(path) ?? '').flatMap(({ typeOnly, target, specifier }) =>
      typeOnly ? [] : [target ?? specifier ?? ''],
    );
    imports.set(path, found);
    return found;
  };
  const isHeavy = (target: string) =>
    HEAVY.has(target) || (!target.startsWith('test/') && importedBy(target).includes('node:child_process'));
  const findings: string[] = [];
  for (const path of sources.keys()) {
    if (!/^test\/(unit|resources\/[^/]+\/unit)\/.*\.test\.ts$/.test(path)) continue;
    const reached = new Set([path]);
    for (const file of reached)
      for (const target of importedBy(file)) {
        if (isHeavy(target)) findings.push(`${path}: ${file} imports ${target}`);
        if (target.startsWith('test/')) reached.add(target);
      }
  }
  return findings;
}
