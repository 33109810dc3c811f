import { importsOf } from './imports.ts';
import { code, type SourceTree } from './source-tree.ts';

/** What starts a process, or a whole gateway. */
const HEAVY: ReadonlySet<string> = new Set(['node:child_process', 'src/compose/compose.ts']);

/** Unit tests that start processes or gateways, themselves or in what they import of the tests; they belong to another tier. */
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
  const findings: string[] = [];
  for (const path of sources.keys()) {
    if (!/^test\/(unit|resources\/[^/]+\/unit)\/.*\.test\.ts$/.test(path)) continue;
    const reached = new Set([path]);
    for (const file of reached)
      for (const target of importedBy(file)) {
        if (HEAVY.has(target)) findings.push(`${path}: ${file} imports ${target}`);
        if (target.startsWith('test/')) reached.add(target);
      }
  }
  return findings;
}
