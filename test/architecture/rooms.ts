import { type Import, importsOf } from './imports.ts';
import { isWithin, type SourceTree } from './source-tree.ts';

const ROOMS = 'src/resources';
const LIST = `${ROOMS}/rooms.ts`;

/** Words of a room, by the names of their files: its room.ts imports them. */
const WORDS = /^([a-z-]+-)?(operations|events|listing)\.ts$/;
/** Code of a room, by what it says: its room.ts loads it on demand. */
const CODE = /^export const (handlers|folds|examples)\b/m;
/** The commands of a room, whose table of handlers names those that have a file of their own. */
const COMMANDS = 'commands.ts';

/** The rooms, by their folders. */
export function roomsOf(tree: SourceTree): string[] {
  const below = [...tree.keys()].filter((path) => isWithin(path, ROOMS) && path.split('/').length > 3);
  return [...new Set(below.map((path) => path.split('/')[2] ?? ''))];
}

/** Rooms without their line, files of a room that nothing uses, and commands that are not among the handlers of their room. */
export function roomFindings(tree: SourceTree): string[] {
  return roomsOf(tree).flatMap((room) => {
    const folder = `${ROOMS}/${room}`;
    const files = [...tree.keys()].filter((path) => isWithin(path, folder) && path.endsWith('.ts'));
    const names = files.map((path) => path.slice(`${folder}/`.length));
    const said = importsIn(tree, `${folder}/room.ts`);
    const words = said.flatMap(({ target, onDemand }) => (onDemand ? [] : (target ?? [])));
    const code = said.flatMap(({ target, onDemand }) => (onDemand ? (target ?? []) : []));
    const usedBy = (name: string, users: readonly string[]) =>
      users.some((path) => importsIn(tree, path).some(({ target }) => target === `${folder}/${name}`));
    const isCode = (name: string) => CODE.test(tree.get(`${folder}/${name}`) ?? '');
    return [
      ...(usedBy('room.ts', [LIST]) ? [] : [`${room} has no line in ${LIST}`]),
      ...names
        .filter((name) => WORDS.test(name) && !words.includes(`${folder}/${name}`))
        .map((name) => `${room}/${name} is not among the words of its room.ts`),
      ...names
        .filter((name) => isCode(name) && !code.includes(`${folder}/${name}`))
        .map((name) => `${room}/${name} is not among the code of its room.ts`),
      ...names
        .filter((name) => /(^|\/)fold(-[a-z-]+)?\.ts$/.test(name) && !isCode(name) && !usedBy(name, files))
        .map((name) => `${room}/${name} is used by no fold of its room`),
      ...names
        .filter((name) => /^[a-z]+[A-Z]\w*\.ts$/.test(name) && !usedBy(name, [`${folder}/${COMMANDS}`]))
        .map((name) => `${room}/${name} is not among the handlers of its room`),
      ...words
        .filter((path) => path !== `${ROOMS}/room.ts` && !isWithin(path, folder))
        .map((path) => `${room}/room.ts says words of ${path}`),
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

function importsIn(tree: SourceTree, path: string): Import[] {
  const source = tree.get(path);
  return source === undefined ? [] : importsOf(path, source);
}
