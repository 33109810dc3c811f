import { importsOf } from './imports.ts';
import { productCode, type SourceTree } from './source-tree.ts';

/** Packages that may be imported from more than one folder, and from which. */
export const SHARED_PACKAGES: Readonly<Record<string, { folders: readonly string[]; because: string }>> = {
  jose: {
    folders: ['src/auth', 'src/cards', 'src/compose'],
    because:
      'signed tokens of callers and signed cards of agents are both JWS, and the secrets of a backup are a JWE; nobody writes that twice',
  },
  '@bufbuild/protobuf': {
    folders: ['src/protocol', 'src/surfaces', 'bridges/a2a'],
    because: 'messages of gRPC: what every service needs, and those of A2A',
  },
  '@grpc/grpc-js': {
    folders: ['src/surfaces', 'bridges/a2a'],
    because: 'the port of gRPC, and agents that are called by it',
  },
  '@a2a-js/sdk': {
    folders: ['bridges/a2a', 'config/sample-agent'],
    because: 'A2A, and the agent that is an example of what users of the SDK write',
  },
  '@agentclientprotocol/sdk': {
    folders: ['bridges/acp', 'mappings/acp'],
    because: 'its types are the words of ACP: tables are total over them, answers are checked against them',
  },
  '@modelcontextprotocol/sdk': {
    folders: ['bridges/mcp', 'bridges/acp'],
    because: 'MCP, and the servers of editors, which ACP agents are offered over it',
  },
  commander: {
    folders: ['src/cli', 'src/resources'],
    because: 'the command line, and what a room adds to it',
  },
  'lru-cache': {
    folders: ['src/eventlog', 'src/auth', 'src/surfaces', 'src/core'],
    because:
      'bounded memory of folded states, of verified tokens, of addresses that try credentials, and of the rates of callers',
  },
  ws: {
    folders: ['src/surfaces', 'src/cli', 'bridges/acp'],
    because: 'a server of sockets, agents that are behind one, and the launcher that takes an editor to one',
  },
  zod: {
    folders: [
      'src/protocol',
      'src/config',
      'src/core',
      'src/resources',
      'src/surfaces',
      'mappings/a2a',
      'bridges/acp',
    ],
    because:
      'one schema per shape: defined in protocol, the rooms, config and the words of a foreign protocol, run by the core, printed and asked by surfaces',
  },
};

/** Pages that are built: what they import is in their files, and needed by the build alone. */
const PAGES = ['src/surfaces/console'];

/**
 * npm packages imported from several folders without a row that says why, or not declared as dependencies. Those that pages alone
 * import may be declared `forBuild`.
 */
export function packageFindings(
  tree: SourceTree,
  declared: readonly string[],
  forBuild: readonly string[] = [],
): string[] {
  return [...importersOf(tree)].flatMap(([name, folders]) => [
    ...(declared.includes(name) ||
    (forBuild.includes(name) && [...folders].every((folder) => PAGES.includes(folder)))
      ? []
      : [`${name}: imported by ${list(folders)} but no dependency in package.json`]),
    ...extraFolders(name, folders).map((problem) => `${name}: ${problem}`),
  ]);
}

function extraFolders(name: string, folders: ReadonlySet<string>): string[] {
  const row = Object.hasOwn(SHARED_PACKAGES, name) ? SHARED_PACKAGES[name] : undefined;
  if (row === undefined)
    return folders.size > 1 ? [`imported from more than one folder: ${list(folders)}`] : [];
  return [...folders]
    .filter((folder) => !row.folders.includes(folder))
    .map((folder) => `not allowed in ${folder}`);
}

function importersOf(tree: SourceTree): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const [path, source] of productCode(tree)) {
    for (const { specifier, target } of importsOf(path, source)) {
      if (specifier === undefined || target !== undefined || specifier.startsWith('node:')) continue;
      const name = packageName(specifier);
      importers.set(name, (importers.get(name) ?? new Set()).add(folderOf(path)));
    }
  }
  return importers;
}

/** `@scope/name` or `name`, without the path into the package. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The folder that counts as one importer: the first below src, bridges or mappings, and a page. */
function folderOf(path: string): string {
  const page = PAGES.find((folder) => path.startsWith(`${folder}/`));
  if (page !== undefined) return page;
  const [top, second] = path.split('/', 2);
  return path.split('/').length > 2 ? `${top}/${second}` : `${top}`;
}

function list(folders: ReadonlySet<string>): string {
  return [...folders].sort().join(', ');
}
