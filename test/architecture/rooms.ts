import { importsOf } from './imports.ts';
import { isWithin, type SourceTree } from './source-tree.ts';

const ROOMS = 'src/resources';

/** The lists of src/resources, and the files of a room that have a line in each, by their names or by what they say. */
const LISTS: readonly { list: string; names: RegExp; says?: string }[] = [
  { list: `${ROOMS}/operations.ts`, names: /^([a-z-]+-)?operations\.ts$/ },
  { list: `${ROOMS}/event-payloads.ts`, names: /^([a-z-]+-)?events\.ts$/ },
  { list: `${ROOMS}/handlers.ts`, names: /\.ts$/, says: 'satisfies Partial<Handlers>' },
];
/** The commands of a room, whose table of handlers names those that have a file of their own. */
const COMMANDS = 'commands.ts';
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
    const says = (name: string, words: string) => tree.get(`${ROOMS}/${room}/${name}`)?.includes(words);
    const unlisted = LISTS.flatMap(({ list, names: lines, says: words }) =>
      names
        .filter((name) => lines.test(name) && (words === undefined || says(name, words)))
        .filter((name) => !imports(tree, list, `${ROOMS}/${room}/${name}`))
        .map((name) => ({ name, list })),
    );
    const folds = names.filter((name) => /(^|\/)fold(-[a-z-]+)?\.ts$/.test(name));
    const unfolded = folds.filter(
      (name) => ![FOLDS, ...files].some((path) => imports(tree, path, `${ROOMS}/${room}/${name}`)),
    );
    const unhandled = names.filter(
      (name) =>
        /^[a-z]+[A-Z]\w*\.ts$/.test(name) &&
        !imports(tree, `${ROOMS}/${room}/${COMMANDS}`, `${ROOMS}/${room}/${name}`),
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

/** Rooms without a test under their name in test/resources, and folders of tests there that are no room. */
export function roomTestFindings(tree: SourceTree): string[] {
  const rooms = roomsOf(tree);
  const tested = [...tree.keys()].flatMap((path) => {
    const [, room] = /^test\/resources\/([^/]+)\/.*\.test\.ts$/.exec(path) ?? [];
    return room === undefined ? [] : [room];
  });
  return [
    ...rooms.filter((room) => !tested.includes(room)).map((room) => `${room} has no test in test/resources`),
    ...[...new Set(tested)]
      .filter((folder) => !rooms.includes(folder))
      .map((folder) => `test/resources/${folder} is no room`),
  ];
}

function imports(tree: SourceTree, from: string, target: string): boolean {
  const source = tree.get(from);
  return source !== undefined && importsOf(from, source).some((found) => found.target === target);
}
