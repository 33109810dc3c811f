import { type AmbientUse, ambientUsesOf } from './ambient-uses.ts';
import { importsOf } from './imports.ts';
import { isWithin, productCode, type SourceTree } from './source-tree.ts';

/** Folders that touch no clock, no randomness, no timers, no environment and no I/O (design section 1). */
export const PURE = [
  'src/protocol',
  'src/policy',
  'src/projections',
  'src/transcript',
  'src/dispatch/commands',
  'mappings',
];

/** Files that may touch what is injected everywhere else. No `uses`: anything. */
export const AMBIENT: readonly { path: string; uses?: readonly AmbientUse['what'][]; because: string }[] = [
  { path: 'src/compose/compose.ts', because: 'the composition root' },
  { path: 'src/composition', because: 'its parts: the real clock, timers and randomness enter here' },
  { path: 'src/main.ts', because: 'the program: it owns its process' },
  { path: 'src/cli', because: 'commands own their process' },
  {
    path: 'config/sample-agent',
    because: 'an agent in its own process, written as users of the SDK write theirs',
  },
  { path: 'src/protocol/ports.ts', uses: ['date'], because: 'formats a given time; reads no clock' },
  {
    path: 'src/surfaces/timers.ts',
    uses: ['timer'],
    because: 'the real timers, handed in by the composition root',
  },
  {
    path: 'src/operation/sample-agent-process.ts',
    uses: ['timer'],
    because: 'waits for a real process to start',
  },
  {
    path: 'bridges/outbound/undici.ts',
    uses: ['network'],
    because: 'names what is used of undici; the guarded clients beside it are what calls out',
  },
];

/** Ambient things used where they must be injected, and I/O in the pure folders. */
export function purityFindings(tree: SourceTree): string[] {
  return productCode(tree).flatMap(([path, source]) => {
    const isPure = PURE.some((folder) => isWithin(path, folder));
    const uses = ambientUsesOf(source)
      .filter(({ what }) => (isPure || what !== 'date') && !isAllowed(path, what))
      .map(({ line, spelled }) => `${path}:${line}: ${spelled} must be injected here`);
    return [...uses, ...(isPure ? importedModules(path, source) : [])];
  });
}

function isAllowed(path: string, what: AmbientUse['what']): boolean {
  return AMBIENT.some(
    (row) => isWithin(path, row.path) && (row.uses === undefined || row.uses.includes(what)),
  );
}

function importedModules(path: string, source: string): string[] {
  return importsOf(path, source).flatMap(({ specifier, line }) =>
    specifier?.startsWith('node:') ? [`${path}:${line}: imports ${specifier} in a pure folder`] : [],
  );
}
