import { importsOf } from './imports.ts';
import { isWithin, type SourceTree } from './source-tree.ts';

const ROOMS = 'src/resources';

/** The lists of src/resources, and the files of a room that have a line in each. */
const LISTS: readonly { list: string; lines: RegExp }[] = [
  { list: `${ROOMS}/operations.ts`, lines: /^([a-z-]+-)?operations\.ts$/ },
  { list: `${ROOMS}/event-payloads.ts`, lines: /^([a-z-]+-)?events\.ts$/ },
  { list: `${ROOMS}/handlers.ts`, lines: /^handlers\.ts$/ },
];
const FOLDS = `${ROOMS}/folds.ts`;

/** The rooms, by their folders. */
export function roomsOf(tree: SourceTree): string[] {
  const below = [...tree.keys()].filter((path) => isWithin(path, ROOMS) && path.split('/').length > 3);
  return [...new Set(below.map((path) => path.split('/')[2] ?? ''))];
}

/** What a room has and no list of src/resources knows, and commands that are not among the handlers of their room. */
export function roomFindings(tree: SourceTree): string[] {
  return roomsOf(tree).flatMap((room) => {
    const files = [...tree.keys()].filter(
      (path) => isWithin(path, `${ROOMS}/${room}`) && path.endsWith('.ts'),
    );
    const names = files.map((path) => path.slice(`${ROOMS}/${room}/`.length));
    const unlisted = LISTS.flatMap(({ list, lines }) =>
      names
        .filter((name) => lines.test(name) && !imports(tree, list, `${ROOMS}/${room}/${name}`))
        .map((name) => ({ name, list })),
    );
    const folds = names.filter((name) => /(^|\/)fold(-[a-z-]+)?\.ts$/.test(name));
    const unfolded = folds.filter(
      (name) => ![FOLDS, ...files].some((path) => imports(tree, path, `${ROOMS}/${room}/${name}`)),
    );
    const unhandled = names.filter(
      (name) =>
        /^[a-z]+[A-Z]\w*\.ts$/.test(name) &&
        !imports(tree, `${ROOMS}/${room}/handlers.ts`, `${ROOMS}/${room}/${name}`),
    );
    return [
      ...unlisted.map(({ name, list }) => `${room}/${name} has no line in ${list}`),
      ...unfolded.map((name) => `${room}/${name} has no line in ${FOLDS}`),
      ...unhandled.map((name) => `${room}/${name} is not among the handlers of its room`),
      ...(names.some((name) => /(^|-)schema\.ts$|^operations\.ts$/.test(name))
        ? []
        : [`${room} is no resource: it has neither a schema nor operations`]),
    ];
  });
}

function imports(tree: SourceTree, from: string, target: string): boolean {
  const source = tree.get(from);
  return source !== undefined && importsOf(from, source).some((found) => found.target === target);
}
