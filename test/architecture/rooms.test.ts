import { describe, expect, it } from 'vitest';
import { roomFindings, roomsOf, roomTestFindings } from './rooms.ts';
import { plantedTree, readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

describe('the room of a resource', () => {
  it('is a folder and a line: what it has is used by its room.ts', () => {
    expect(roomsOf(tree).length).toBeGreaterThan(20);
    expect(roomFindings(tree)).toEqual([]);
  });

  const list = { 'src/resources/rooms.ts': "export { note } from './note/room.ts';" };
  const room = {
    'src/resources/note/schema.ts': '',
    'src/resources/note/room.ts': 'export const note = {} satisfies Room;',
  };

  it('needs its line', () => {
    expect(roomFindings(plantedTree({ ...room, 'src/resources/rooms.ts': '' }))).toEqual([
      'note has no line in src/resources/rooms.ts',
    ]);
  });

  it.each([
    ['operations', 'operations.ts', '', 'is not among the words of its room.ts'],
    ['operations beside the first ones', 'page-operations.ts', '', 'is not among the words of its room.ts'],
    ['events', 'events.ts', '', 'is not among the words of its room.ts'],
    ['folds', 'fold.ts', 'export const folds: Folds = {};', 'is not among the code of its room.ts'],
    ['handlers', 'commands.ts', 'export const handlers = {};', 'is not among the code of its room.ts'],
    [
      'handlers of queries',
      'queries.ts',
      'export const handlers = {};',
      'is not among the code of its room.ts',
    ],
    ['a part of its folds', 'fold-page.ts', '', 'is used by no fold of its room'],
    ['a command', 'createNote.ts', '', 'is not among the handlers of its room'],
  ])('names what it has: %s', (_, file, source, problem) => {
    const planted = plantedTree({ ...list, ...room, [`src/resources/note/${file}`]: source });
    expect(roomFindings(planted)).toEqual([`note/${file} ${problem}`]);
  });

  it('does not import its code as words: it is loaded on demand', () => {
    const planted = plantedTree({
      ...list,
      'src/resources/note/schema.ts': '',
      'src/resources/note/fold.ts': 'export const folds: Folds = {};',
      'src/resources/note/room.ts': "import { folds } from './fold.ts';\nexport const note = { folds };",
    });
    expect(roomFindings(planted)).toEqual(['note/fold.ts is not among the code of its room.ts']);
  });

  it('says words of its own only', () => {
    const planted = plantedTree({
      ...list,
      'src/resources/note/schema.ts': '',
      'src/resources/note/room.ts': "import { pageOperations } from '../page/operations.ts';",
    });
    expect(roomFindings(planted)).toEqual(['note/room.ts says words of src/resources/page/operations.ts']);
  });

  it('needs nothing for files without a table', () => {
    const planted = plantedTree({ ...list, ...room, 'src/resources/note/queries.ts': '' });
    expect(roomFindings(planted)).toEqual([]);
  });

  it('is whole with a line in the list', () => {
    const planted = {
      ...list,
      'src/resources/note/schema.ts': '',
      'src/resources/note/operations.ts': '',
      'src/resources/note/events.ts': '',
      'src/resources/note/fold.ts': 'export const folds: Folds = {};',
      'src/resources/note/createNote.ts': '',
      'src/resources/note/commands.ts': `import { createNote } from './createNote.ts';
export const handlers = { createNote } satisfies Partial<Handlers>;`,
      'src/resources/note/room.ts': `import type { Room } from '#resources/room.ts';
import { NOTE_EVENTS } from './events.ts';
import { noteOperations } from './operations.ts';
export const note = {
  operations: noteOperations,
  events: NOTE_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
} satisfies Room;`,
    };
    expect(roomFindings(plantedTree(planted))).toEqual([]);
  });

  it('is that of a resource', () => {
    const planted = {
      'src/resources/rooms.ts': "export { odds } from './odds/room.ts';",
      'src/resources/odds/room.ts': '',
    };
    expect(roomFindings(plantedTree(planted))).toEqual([
      'odds is no resource: it has neither a schema nor operations',
    ]);
  });
});

describe('the tests of a resource', () => {
  it('stand under the name of its room', () => {
    expect(roomTestFindings(tree)).toEqual([]);
  });

  const note = { 'src/resources/note/schema.ts': '' };
  it.each([
    ['nowhere', note, ['note has no test in test/resources']],
    [
      'under another name',
      { ...note, 'test/resources/notes/pages.test.ts': '' },
      ['note has no test in test/resources', 'test/resources/notes is no room'],
    ],
    ['in the room', { ...note, 'test/resources/note/unit/pages.test.ts': '' }, []],
  ])('are found %s', (_, planted, findings) => {
    expect(roomTestFindings(plantedTree(planted))).toEqual(findings);
  });
});
