import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cycleFindings } from './cycles.ts';
import { importsOf } from './imports.ts';
import { layerFindings } from './layers.ts';
import { packageFindings } from './packages.ts';
import { PACKAGE_ROOT, plantedTree, productCode, readSourceTree } from './source-tree.ts';

const tree = readSourceTree();
const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
const dependencies = Object.keys(manifest.dependencies);

describe('reading imports', () => {
  it('finds every way to import, and nothing in comments and strings', () => {
    const source = [
      `import { a } from './a.ts';`,
      `import type { B } from '../b.ts';`,
      `import { s } from '#core/s.ts';`,
      `import 'node:fs';`,
      `export { c } from './c.ts';`,
      `export type * from './d.ts';`,
      `const e = await import('./e.ts');`,
      `type F = import('./f.ts').F;`,
      `const g = require('g');`,
      `const h = await import(name);`,
      `// import './comment.ts';`,
      'const text = `import "./text.ts"`;',
    ].join('\n');
    const found = importsOf('src/x/y.ts', source);
    expect(found.map(({ target, specifier, typeOnly }) => [target ?? specifier, typeOnly])).toEqual([
      ['src/x/a.ts', false],
      ['src/b.ts', true],
      ['src/core/s.ts', false],
      ['node:fs', false],
      ['src/x/c.ts', false],
      ['src/x/d.ts', true],
      ['src/x/e.ts', false],
      ['src/x/f.ts', true],
      ['g', false],
      [undefined, false],
    ]);
    expect(found.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('sees the whole product, so that a rule cannot pass by looking at nothing', () => {
    const product = productCode(tree);
    expect(product.length).toBeGreaterThan(150);
    expect(product.flatMap(([path, source]) => importsOf(path, source)).length).toBeGreaterThan(600);
  });
});

describe('layers', () => {
  it('are kept by every import of the product', () => {
    expect(layerFindings(tree)).toEqual([]);
  });

  const there = {
    'src/gateway.ts': '',
    'src/protocol-client.ts': '',
    'src/compose/compose.ts': '',
    'src/cli/serve.ts': '',
    'src/store/store.ts': '',
    'src/config/load.ts': '',
    'src/core/load.ts': '',
    'src/resources/memory/commands.ts': '',
    'src/resources/memory/schema.ts': '',
    'src/resources/memory/cli.ts': '',
    'src/runner/turn.ts': '',
    'src/eventlog/event-log.ts': '',
    'src/protocol/json.ts': '',
    'bridges/index.ts': '',
    'bridges/acp/index.ts': '',
    'mappings/acp/states.ts': '',
    'config/sample-agent/server.ts': '',
  };

  it.each([
    ['a surface that reaches the store', 'src/surfaces/a.ts', '../store/store.ts'],
    ['a surface that reaches the core', 'src/surfaces/rest/a.ts', '#core/load.ts'],
    ['a surface that decides', 'src/surfaces/rest/a.ts', '#resources/memory/commands.ts'],
    ['words that know a decision', 'src/resources/task/schema.ts', '../memory/createMemory.ts'],
    ['a core that knows what a room decides', 'src/core/a.ts', '#resources/memory/commands.ts'],
    ['a decision that prints', 'src/resources/task/a.ts', '../memory/cli.ts'],
    ['a room that runs tasks', 'src/resources/task/a.ts', '#runner/turn.ts'],
    ['a bridge that reaches the log', 'bridges/a2a/a.ts', '../../src/eventlog/event-log.ts'],
    ['a bridge that imports another bridge', 'bridges/a2a/a.ts', '../acp/index.ts'],
    ['a bridge that uses the words of another', 'bridges/a2a/a.ts', '../../mappings/acp/states.ts'],
    ['a mapping that uses the words of another', 'mappings/a2a/a.ts', '../acp/states.ts'],
    [
      'a mapping that uses more than types of the upstream port',
      'mappings/a2a/a.ts',
      '../../src/protocol-client.ts',
    ],
    ['a fold that runs the log', 'src/resources/task/fold.ts', '#eventlog/event-log.ts'],
    ['a protocol file that knows the gateway', 'src/protocol/a.ts', '../gateway.ts'],
    ['a store that knows the log', 'src/store/a.ts', '../eventlog/event-log.ts'],
    ['a log that knows the core', 'src/eventlog/a.ts', '../core/load.ts'],
    ['a room that reads the configuration', 'src/resources/task/a.ts', '#config/load.ts'],
    ['a room that opens the store', 'src/resources/task/a.ts', '#store/store.ts'],
    ['anything but the composition root that imports bridges', 'src/surfaces/a.ts', '../../bridges/index.ts'],
    ['a sample agent that knows the gateway', 'config/sample-agent/a.ts', '../../src/protocol/json.ts'],
    ['a gateway that imports the sample agent', 'src/compose/a.ts', '../../config/sample-agent/server.ts'],
    ['a composition root that reaches into a bridge', 'src/compose/compose.ts', '../../bridges/acp/index.ts'],
    ['a composition root that calls a command', 'src/compose/a.ts', '../cli/serve.ts'],
    ['anything that imports the composition root', 'src/core/a.ts', '#compose/compose.ts'],
    ['an import of nothing', 'src/core/a.ts', './gone.ts'],
  ])('do not let through %s', (_, from, specifier) => {
    const planted = { ...there, [from]: `import { x } from '${specifier}';` };
    expect(layerFindings(plantedTree(planted))).toEqual([expect.stringMatching(`^${from}:1: `)]);
  });

  it('need a row for every folder', () => {
    expect(layerFindings(plantedTree({ 'src/novelty/a.ts': '' }))).toHaveLength(1);
  });

  it('do not accept a computed import', () => {
    expect(layerFindings(plantedTree({ 'src/config/a.ts': 'await import(name);' }))).toHaveLength(1);
  });

  it('allow types where the table says types', () => {
    const planted = {
      ...there,
      'src/resources/task/fold.ts': `import type { X } from '#eventlog/event-log.ts';`,
    };
    expect(layerFindings(plantedTree(planted))).toEqual([]);
  });

  it('allow a room to load its own code on demand', () => {
    const planted = (specifier: string) =>
      plantedTree({
        ...there,
        'src/resources/memory/room.ts': `export const memory = { handlers: () => import('${specifier}') };`,
        'src/resources/task/commands.ts': '',
      });
    expect(layerFindings(planted('./commands.ts'))).toEqual([]);
    expect(layerFindings(planted('../task/commands.ts'))).toHaveLength(1);
  });

  it.each([
    ['a room that imports its code', 'src/resources/memory/room.ts', "import { x } from './commands.ts';"],
    ['words that load code on demand', 'src/resources/memory/schema.ts', "await import('./commands.ts');"],
  ])('do not let through %s', (_, from, source) => {
    expect(layerFindings(plantedTree({ ...there, [from]: source }))).toHaveLength(1);
  });
});

describe('import cycles', () => {
  it('do not exist', () => {
    expect(cycleFindings(tree)).toEqual([]);
  });

  it('are found with the whole ring, through types as well', () => {
    const planted = {
      'src/a.ts': `import { b } from './b.ts';`,
      'src/b.ts': `import type { C } from './c/c.ts';`,
      'src/c/c.ts': `export { a } from '../a.ts';`,
      'src/d.ts': `import './a.ts';`,
    };
    expect(cycleFindings(plantedTree(planted))).toEqual(['src/a.ts -> src/b.ts -> src/c/c.ts -> src/a.ts']);
  });

  const table = {
    'src/table.ts': `import { note } from './resources/note/room.ts';`,
    'src/resources/note/commands.ts': `import type { Row } from '../../table.ts';`,
  };

  it('are not closed by the code that a room loads on demand', () => {
    const room = { 'src/resources/note/room.ts': `export const note = () => import('./commands.ts');` };
    expect(cycleFindings(plantedTree({ ...table, ...room }))).toEqual([]);
  });

  it('are closed by what a room imports at once, and by what another file loads on demand', () => {
    const room = { 'src/resources/note/room.ts': `import './commands.ts';` };
    expect(cycleFindings(plantedTree({ ...table, ...room }))).toHaveLength(1);
    const planted = { 'src/a.ts': `import './b.ts';`, 'src/b.ts': `await import('./a.ts');` };
    expect(cycleFindings(plantedTree(planted))).toHaveLength(1);
  });
});

describe('npm packages', () => {
  it('are declared and have one importing folder each', () => {
    expect(packageFindings(tree, dependencies, Object.keys(manifest.devDependencies))).toEqual([]);
  });

  it('are refused in a second folder', () => {
    const planted = {
      'src/store/a.ts': `import { Level } from 'level';`,
      'src/eventlog/deep/b.ts': `import { Level } from 'level/sub';`,
    };
    expect(packageFindings(plantedTree(planted), ['level'])).toEqual([
      'level: imported from more than one folder: src/eventlog, src/store',
    ]);
  });

  it('are refused outside the folders of their row', () => {
    const planted = plantedTree({ 'src/store/a.ts': `import { z } from 'zod';` });
    expect(packageFindings(planted, ['zod'])).toEqual(['zod: not allowed in src/store']);
  });

  it('are refused when package.json does not declare them', () => {
    const planted = plantedTree({ 'bridges/acp/a.ts': `import '@scope/name/sub';` });
    expect(packageFindings(planted, [])).toEqual([
      '@scope/name: imported by bridges/acp but no dependency in package.json',
    ]);
  });

  it('are of the build where a page is built of them, and only there', () => {
    const page = { 'src/surfaces/console/a.ts': `import 'pages';` };
    expect(packageFindings(plantedTree(page), [], ['pages'])).toEqual([]);
    expect(packageFindings(plantedTree(page), [])).toHaveLength(1);
    const served = { 'src/surfaces/http/b.ts': `import 'pages';` };
    expect(packageFindings(plantedTree(served), [], ['pages'])).toEqual([
      'pages: imported by src/surfaces but no dependency in package.json',
    ]);
  });
});
