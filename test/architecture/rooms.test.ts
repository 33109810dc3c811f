import { describe, expect, it } from 'vitest';
import { roomFindings, roomsOf, roomTestFindings } from './rooms.ts';
import { plantedTree, readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

describe('the room of a resource', () => {
  it('is a folder with its line in the lists of src/resources', () => {
    expect(roomsOf(tree).length).toBeGreaterThan(20);
    expect(roomFindings(tree)).toEqual([]);
  });

  const lists = {
    'src/resources/operations.ts': '',
    'src/resources/event-payloads.ts': '',
    'src/resources/folds.ts': '',
    'src/resources/handlers.ts': '',
  };
  const note = { 'src/resources/note/schema.ts': '' };

  it.each([
    ['operations', 'operations.ts', 'note/operations.ts has no line in src/resources/operations.ts'],
    [
      'operations beside the first ones',
      'page-operations.ts',
      'note/page-operations.ts has no line in src/resources/operations.ts',
    ],
    ['events', 'events.ts', 'note/events.ts has no line in src/resources/event-payloads.ts'],
    ['folds', 'fold.ts', 'note/fold.ts has no line in src/resources/folds.ts'],
    ['handlers', 'commands.ts', 'note/commands.ts has no line in src/resources/handlers.ts'],
    ['handlers of queries', 'queries.ts', 'note/queries.ts has no line in src/resources/handlers.ts'],
    ['a command', 'createNote.ts', 'note/createNote.ts is not among the handlers of its room'],
  ])('is missed in a list: %s', (_, file, problem) => {
    const source = file.endsWith('s.ts') ? 'export const noteHandlers = {} satisfies Partial<Handlers>;' : '';
    const planted = plantedTree({ ...lists, ...note, [`src/resources/note/${file}`]: source });
    expect(roomFindings(planted)).toContain(problem);
  });

  it('needs no line for files without a table', () => {
    const planted = plantedTree({ ...lists, ...note, 'src/resources/note/queries.ts': '' });
    expect(roomFindings(planted)).toEqual([]);
  });

  it('is whole with a line in each', () => {
    const planted = {
      ...note,
      'src/resources/note/operations.ts': '',
      'src/resources/note/events.ts': '',
      'src/resources/note/fold.ts': '',
      'src/resources/note/createNote.ts': '',
      'src/resources/note/commands.ts': `import { createNote } from './createNote.ts';
export const noteHandlers = { createNote } satisfies Partial<Handlers>;`,
      'src/resources/operations.ts': `import { noteOperations } from './note/operations.ts';`,
      'src/resources/event-payloads.ts': `import { NOTE_EVENTS } from './note/events.ts';`,
      'src/resources/folds.ts': `import { noteFolds } from './note/fold.ts';`,
      'src/resources/handlers.ts': `import { noteHandlers } from './note/commands.ts';`,
    };
    expect(roomFindings(plantedTree(planted))).toEqual([]);
  });

  it('is that of a resource', () => {
    expect(roomFindings(plantedTree({ 'src/resources/odds/ends.ts': '' }))).toEqual([
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
