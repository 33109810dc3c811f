import { posix } from 'node:path';
import { isWithin, type SourceTree } from './source-tree.ts';

/** A command stands in its room, under its name: in `commands.ts`, or in a file with what only it needs. */
const ROOMS = 'src/resources';
const CAMEL_CASE = /^[a-z]+([A-Z][a-z]*)+$/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Names that say nothing about what is inside. */
const EMPTY_WORDS = /^(utils?|helpers?|common|managers?|misc|shared)$/;

/** Names of files and folders that break the conventions, and commands that are no operation. */
export function nameFindings(tree: SourceTree, operationIds: readonly string[]): string[] {
  const paths = [...tree.keys()].filter((path) => !isWithin(path, 'fixtures'));
  return paths.flatMap((path) => nameProblems(path, operationIds).map((problem) => `${path}: ${problem}`));
}

function nameProblems(path: string, operationIds: readonly string[]): string[] {
  const parts = path.split('/');
  const file = parts.at(-1)?.split('.')[0] ?? '';
  const words = [...parts.slice(0, -1), file].flatMap((part) => part.split('-'));
  const problems = words.filter((word) => EMPTY_WORDS.test(word)).map((word) => `"${word}" says nothing`);
  if (isWithin(path, ROOMS) && CAMEL_CASE.test(file)) {
    return operationIds.includes(file)
      ? problems
      : [...problems, `${file} is no command of the operations table`];
  }
  const odd = [...parts.slice(0, -1), file].filter((part) => !KEBAB_CASE.test(part) && !isConventional(part));
  return [...problems, ...odd.map((part) => `${part} is not kebab-case`)];
}

/** Names that tools and readers expect in capitals. */
function isConventional(part: string): boolean {
  return part === 'README' || part === 'Dockerfile' || part === 'Caddyfile';
}

/** Commands of the operations table that no file of a room declares under their operationId. */
export function missingCommands(tree: SourceTree, commandIds: readonly string[]): string[] {
  const declared = new Set(
    [...tree]
      .filter(([path]) => isWithin(path, ROOMS))
      .flatMap(([, source]) =>
        [...source.matchAll(/^(?:export )?const (\w+): Command<'\1'>/gm)].map((found) => found[1] ?? ''),
      ),
  );
  return commandIds.filter((id) => !declared.has(id)).map((id) => `${id} is declared by no room`);
}

/** Folders of src that hold code and have no README. */
export function foldersWithoutPage(tree: SourceTree): string[] {
  const code = [...tree.keys()].filter((path) => isWithin(path, 'src') && path.endsWith('.ts'));
  const folders = new Set(code.map((path) => posix.dirname(path)));
  return [...folders].filter((folder) => !tree.has(`${folder}/README.md`));
}
