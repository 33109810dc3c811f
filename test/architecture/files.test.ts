import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '#protocol/scopes.ts';
import { OPERATIONS, type OperationId } from '#resources/operations.ts';
import { fixtureFindings, outsideFindings, unexplainedFixtures } from './data.ts';
import { foldersWithoutPage, missingCommands, nameFindings } from './names.ts';
import { plantedTree, readSourceTree } from './source-tree.ts';
import { unitTierFindings } from './unit-tier.ts';

const tree = readSourceTree();
const commandIds = Object.entries(OPERATIONS).flatMap(([id, { kind }]) => (kind === 'command' ? [id] : []));

describe('names', () => {
  it('follow the conventions', () => {
    expect(nameFindings(tree, commandIds)).toEqual([]);
  });

  it.each([
    ['src/store/levelStore.ts', 'levelStore is not kebab-case'],
    ['src/EventLog/commit.ts', 'EventLog is not kebab-case'],
    ['src/store/key_layout.ts', 'key_layout is not kebab-case'],
    ['src/utils/a.ts', '"utils" says nothing'],
    ['test/unit/test-helpers.ts', '"helpers" says nothing'],
    ['src/core/task-manager.ts', '"manager" says nothing'],
    ['src/resources/task/startTask.ts', 'startTask is no command of the operations table'],
    ['src/core/startTask.ts', 'startTask is not kebab-case'],
  ])('are refused: %s', (path, problem) => {
    expect(nameFindings(plantedTree({ [path]: '' }), ['submitTask'])).toEqual([`${path}: ${problem}`]);
  });
});

describe('folders of src', () => {
  it('say what they are for: each has a README', () => {
    expect(foldersWithoutPage(tree)).toEqual([]);
  });

  it('are found without one', () => {
    const planted = plantedTree({
      'src/README.md': '',
      'src/core/a.ts': '',
      'src/core/README.md': '',
      'src/a/b/c.ts': '',
    });
    expect(foldersWithoutPage(planted)).toEqual(['src/a/b']);
  });
});

describe('bridges', () => {
  const PAGES = ['bridges/wire', ...['a2a', 'acp', 'mcp'].map((name) => `mappings/${name}`)];
  const NAMES = {
    client: ['client', 'connection', 'requests', 'faults', 'record', 'interpret', 'config'],
    server: ['server', 'requests', 'faults', 'follow'],
  };

  it.each(PAGES)('%s says what it is for', (folder) => {
    expect(existsSync(`${folder}/README.md`)).toBe(true);
  });

  it.each(
    ['a2a', 'acp', 'mcp'].flatMap((bridge) =>
      (['client', 'server'] as const).map((half) => ({ bridge, half })),
    ),
  )('$bridge/$half has the file names of all bridges, and says what differs', ({ bridge, half }) => {
    const folder = `bridges/${bridge}/${half}`;
    const wanted = ['README.md', ...NAMES[half].map((name) => `${name}.ts`)];
    expect(wanted.filter((name) => !existsSync(`${folder}/${name}`))).toEqual([]);
  });
});

describe('the operations table', () => {
  it('has every command in a room, under its name', () => {
    expect(commandIds.length).toBeGreaterThan(10);
    expect(missingCommands(tree, commandIds)).toEqual([]);
  });

  it.each([
    ['no file', {}],
    ['another name', { 'src/resources/task/commands.ts': "const start: Command<'startTask'> = {};" }],
    ['a place outside the rooms', { 'src/core/start.ts': "const startTask: Command<'startTask'> = {};" }],
  ])('misses a command that has %s', (_, planted) => {
    expect(missingCommands(plantedTree(planted), ['startTask'])).toEqual([
      'startTask is declared by no room',
    ]);
  });

  it('finds a command among others', () => {
    const planted = { 'src/resources/task/commands.ts': "const startTask: Command<'startTask'> = {};" };
    expect(missingCommands(plantedTree(planted), ['startTask'])).toEqual([]);
  });

  it('names a known scope, any, public or signature in every row', () => {
    const known: readonly string[] = ['any', 'public', 'signature', ...SCOPES];
    for (const id of Object.keys(OPERATIONS) as OperationId[])
      expect(known, id).toContain(OPERATIONS[id].scope);
  });
});

describe('the unit tier', () => {
  it('starts no process and no gateway', () => {
    expect(unitTierFindings(tree)).toEqual([]);
  });

  it.each([
    ['a process', { 'test/unit/a.test.ts': "import { spawn } from 'node:child_process';" }],
    ['a gateway', { 'test/unit/a.test.ts': "import { composeGateway } from '#compose/compose.ts';" }],
    [
      'one in the room of a resource',
      { 'test/resources/note/unit/a.test.ts': "import { composeGateway } from '#compose/compose.ts';" },
    ],
    [
      'one through a harness',
      {
        'test/unit/a.test.ts': "import { stage } from '../harness/stage.ts';",
        'test/harness/stage.ts': "import { spawn } from 'node:child_process';",
      },
    ],
    [
      'one by a file of the product',
      {
        'test/unit/a.test.ts': "import { startChild } from '../../bridges/wire/child.ts';",
        'bridges/wire/child.ts': "import { spawn } from 'node:child_process';",
      },
    ],
  ])('is refused: %s', (_, files) => {
    expect(unitTierFindings(plantedTree(files))).toHaveLength(1);
  });
});

describe('fixtures', () => {
  it('are data only', () => {
    expect([...tree.keys()].some((path) => path.startsWith('fixtures/'))).toBe(true);
    expect(fixtureFindings(tree)).toEqual([]);
  });

  it.each([
    ['code', 'fixtures/wire/a.ts', 'export {};'],
    ['a script', 'fixtures/wire/make', '#!/bin/sh'],
    ['broken JSON', 'fixtures/wire/a.json', '{'],
    ['a broken line of JSON', 'fixtures/wire/a.ndjson', '{}\n{\n'],
  ])('are not: %s', (_, path, source) => {
    expect(fixtureFindings(plantedTree({ [path]: source }))).toHaveLength(1);
  });

  it('say where they come from', () => {
    expect(unexplainedFixtures(tree)).toEqual([]);
    const page = { 'fixtures/README.md': '| json | written by hand |\n| wire/a2a-face | recorded |' };
    const planted = { ...page, 'fixtures/json/a.json': '1', 'fixtures/wire/a2a/b.ndjson': '1' };
    expect(unexplainedFixtures(plantedTree(planted))).toEqual(['wire/a2a']);
  });
});

describe('what ships', () => {
  it('stands alone: nothing names the folder beside the project', () => {
    expect(outsideFindings(tree)).toEqual([]);
  });

  it.each(['src/a.ts', 'config/gateway.yaml', 'fixtures/a.json'])('is found when it does not: %s', (path) => {
    expect(outsideFindings(plantedTree({ [path]: '"../shared/spec/openapi.yaml"' }))).toHaveLength(1);
  });
});
