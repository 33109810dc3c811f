import { describe, expect, it } from 'vitest';
import { cleanTextFindings, unusedTrust } from './clean-text.ts';
import { plantedTree, readSourceTree } from './source-tree.ts';
import { doorFindings } from './text-doors.ts';

const tree = readSourceTree();

describe('a text that may stand in the log', () => {
  it('is called clean by one module, and taken on trust where a reason is given', () => {
    expect(cleanTextFindings(tree)).toEqual([]);
    expect(unusedTrust(tree)).toEqual([]);
  });

  it.each([
    ['a cast of a text', `import type { CleanText } from '#protocol/clean.ts'; const x = 'y' as CleanText;`],
    ['a cast by way of unknown', 'const x = y as unknown as Clean<Message>;'],
    ['a cast of a list', 'const x = y as Clean<Message>[];'],
    ['a cast to a part', `const x = y as CleanObject['note'];`],
    [
      'a cast to a state that is read',
      `import type { CleanTaskState } from '#resources/task/state.ts'; const x = y as CleanTaskState;`,
    ],
    ['a text of somebody taken for its own', `import { own } from '#protocol/clean.ts'; own(y);`],
    ['a value of somebody taken for one of the log', `import { fromLog } from '#protocol/clean.ts';`],
  ])('is found: %s', (_, source) => {
    expect(cleanTextFindings(plantedTree({ 'src/core/a.ts': source }))).toHaveLength(1);
  });

  it('is not seen in other casts', () => {
    const source = `import type { TaskState } from '#resources/task/state.ts'; const x = y as TaskState; const z = y as never;`;
    expect(cleanTextFindings(plantedTree({ 'src/core/a.ts': source }))).toEqual([]);
  });
});

describe('the table of doors', () => {
  it('has every place in which the redactor is called, and no other', () => {
    expect(doorFindings(tree)).toEqual([]);
  });

  it('misses one that it does not have', () => {
    const found = doorFindings(plantedTree({ 'src/core/a.ts': 'const x = tools.redact<Part>(y).value;' }));
    expect(found).toContain('src/core/a.ts is no door');
  });
});
