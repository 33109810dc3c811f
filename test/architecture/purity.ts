import { type AmbientUse, ambientUsesOf } from './ambient-uses.ts';
import { importsOf } from './imports.ts';
import { isWithin, productCode, type SourceTree } from './source-tree.ts';

/** Folders that touch no clock, no randomness, no timers, no environment and no I/O (design section 1). */
export const PURE = ['src/protocol', 'src/policy', 'src/resources', 'mappings'];

/** What a room adds to the command line. */
const ROOM_CLI = /^src\/resources\/.*[/-]cli\.ts$/;

/** Files of the rooms that are less pure than the rest of them. */
export const LESS_PURE: readonly { path: RegExp; because: string }[] = [
  { path: ROOM_CLI, because: 'commands of the command line own their process, like those of src/cli' },
  { path: /\/bundle\/document\//, because: 'hashes as it reads, and compares the times of a document' },
  { path: /\/vault\/secrets\//, because: 'reads files of secrets before there is a gateway' },
  { path: /\/check-(contents|receipts)\.ts$/, because: 'hashes and compares what lies in a closed store' },
  { path: /\/push\/delivery\.ts$/, because: 'signs a delivery with the key of its receiver' },
];

/** Files that may touch what is injected everywhere else. No `uses`: anything. */
export const AMBIENT: readonly { path: string; uses?: readonly AmbientUse['what'][]; because: string }[] = [
  { path: 'src/compose', because: 'the composition root: the real clock, timers and randomness enter here' },
  { path: 'src/main.ts', because: 'the program: it owns its process' },
  { path: 'src/cli', because: 'commands own their process' },
  { path: 'src/client', because: 'a library in the process of others; all of it can be handed in' },
  { path: 'src/surfaces/console', because: 'a page in a browser: its platform is all it has' },
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
    path: 'bridges/wire/undici.ts',
    uses: ['network'],
    because: 'names what is used of undici; the guarded clients beside it are what calls out',
  },
];

/** Ambient things used where they must be injected, and I/O in the pure folders. */
export function purityFindings(tree: SourceTree): string[] {
  return productCode(tree).flatMap(([path, source]) => {
    const isPure =
      PURE.some((folder) => isWithin(path, folder)) && !LESS_PURE.some((row) => row.path.test(path));
    const uses = ambientUsesOf(source)
      .filter(({ what }) => (isPure || what !== 'date') && !isAllowed(path, what))
      .map(({ line, spelled }) => `${path}:${line}: ${spelled} must be injected here`);
    return [...uses, ...(isPure ? importedModules(path, source) : [])];
  });
}

function isAllowed(path: string, what: AmbientUse['what']): boolean {
  if (ROOM_CLI.test(path)) return true;
  return AMBIENT.some(
    (row) => isWithin(path, row.path) && (row.uses === undefined || row.uses.includes(what)),
  );
}

function importedModules(path: string, source: string): string[] {
  return importsOf(path, source).flatMap(({ specifier, line }) =>
    specifier?.startsWith('node:') ? [`${path}:${line}: imports ${specifier} in a pure folder`] : [],
  );
}
