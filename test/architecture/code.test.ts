import { describe, expect, it } from 'vitest';
import { purityFindings } from './purity.ts';
import { shortcutFindings } from './shortcuts.ts';
import {
  fileSizes,
  functionsOf,
  MAX_FILE_LINES,
  MAX_FUNCTION_LINES,
  quantile,
  sizeFindings,
} from './sizes.ts';
import { plantedTree, productCode, readSourceTree, type SourceTree } from './source-tree.ts';

const tree = readSourceTree();

describe('clock, ids, randomness, timers and I/O', () => {
  it('are injected everywhere', () => {
    expect(purityFindings(tree)).toEqual([]);
  });

  it.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'performance.now()',
    'Math.random()',
    'crypto.randomUUID()',
    'setTimeout(run, 1)',
    'schedule({ setTimeout })',
    'AbortSignal.timeout(1)',
    'globalThis.Date',
    'process.env',
    'await fetch(url)',
  ])('are found anywhere when taken from the surroundings: %s', (source) => {
    expect(purityFindings(plantedTree({ 'src/eventlog/a.ts': source }))).toHaveLength(1);
    expect(purityFindings(plantedTree({ 'src/compose.ts': source }))).toEqual([]);
  });

  it('are found when imported by name', () => {
    const planted = plantedTree({ 'src/auth/a.ts': `import { hash, randomBytes } from 'node:crypto';` });
    expect(purityFindings(planted)).toEqual(['src/auth/a.ts:1: randomBytes must be injected here']);
  });

  it.each(['src/protocol', 'src/policy', 'src/projections', 'src/dispatch/commands', 'mappings/a2a'])(
    'stay out of %s, with dates and node modules',
    (folder) => {
      const source = `import 'node:fs';\nconst date = new Date(0);`;
      expect(purityFindings(plantedTree({ [`${folder}/a.ts`]: source }))).toHaveLength(2);
    },
  );

  it('may be named by members of injected things', () => {
    const source = 'timers.setTimeout(run, 1); this.clock.now(); const port = { fetch() {} };';
    expect(purityFindings(plantedTree({ 'src/dispatch/a.ts': source }))).toEqual([]);
  });
});

describe('shortcuts', () => {
  it('are not taken', () => {
    expect(shortcutFindings(tree)).toEqual([]);
  });

  // Put together here, so that this file has none itself.
  const mark = (...parts: string[]) => `// ${parts.join('')}`;

  it.each([
    ['any', 'const value: any = 1;'],
    ['any as an argument', 'const values = new Map<string, any>();'],
    ['a type check switched off', mark('@ts-', 'ignore')],
    ['a lint rule switched off', mark('biome-', 'ignore lint/style/x: y')],
    ['a lint rule switched off the other way', mark('eslint-', 'disable')],
    ['work put off', mark('TO', 'DO later')],
    ['work put off in other words', mark('FIX', 'ME')],
    ['an empty catch block', 'try { run(); } catch {}'],
    ['a catch block with only a comment', 'try { run(); } catch (error) { /* never mind */ }'],
    ['a skipped test', `it.${'skip'}('works', run);`],
    ['a lone test', `describe.each([1]).${'only'}('works', run);`],
    ['a promised test', `test.${'todo'}('works');`],
  ])('are found: %s', (_, source) => {
    expect(shortcutFindings(plantedTree({ 'test/unit/a.test.ts': source }))).toHaveLength(1);
  });

  it('are found: an expected error, which only a test may have', () => {
    const source = mark('@ts-expect-', 'error');
    expect(shortcutFindings(plantedTree({ 'src/a.ts': source }))).toHaveLength(1);
    expect(shortcutFindings(plantedTree({ 'test/a.test.ts': source }))).toEqual([]);
  });

  it('are not seen in words that only look like them', () => {
    const source = 'const anyone = list.skip(1); const text = "any"; try { run(); } catch { stop(); }';
    expect(shortcutFindings(plantedTree({ 'src/a.ts': source }))).toEqual([]);
  });
});

describe('sizes', () => {
  const product: SourceTree = new Map(productCode(tree));
  const files = fileSizes(product);
  const functions = functionsOf(product);
  const declared = functions.flatMap(({ declared: isDeclared, lines }) => (isDeclared ? [lines] : []));

  it('stay small: no file and no function is too long', () => {
    expect(sizeFindings(tree)).toEqual([]);
  });

  it('stay small in the middle: median file below 130 lines, median function below 15', () => {
    const figures = (values: number[]) => `median ${quantile(values, 0.5)}, 95% ${quantile(values, 0.95)}`;
    console.info(`sizes: ${files.length} files, lines ${figures(files)}`);
    console.info(`sizes: ${declared.length} functions and methods, lines ${figures(declared)}`);
    expect(quantile(files, 0.5)).toBeLessThanOrEqual(130);
    expect(quantile(declared, 0.5)).toBeLessThanOrEqual(15);
  });

  it('are counted in lines of files, and a long file is found', () => {
    const planted = plantedTree({
      'src/long.ts': 'f();\n'.repeat(MAX_FILE_LINES + 1),
      'src/just.ts': 'f();\n'.repeat(MAX_FILE_LINES),
    });
    expect(sizeFindings(planted)).toEqual(['src/long.ts: 301 lines, at most 300']);
  });

  it.each([
    ['function run() {', '}'],
    ['const run = async () => {', '};'],
    ['class Runner { run() {', '} }'],
  ])('are counted in lines of functions, and a long one is found: %s', (head, tail) => {
    const source = (lines: number) => `${head}\n${'f();\n'.repeat(lines - 2)}${tail}`;
    const planted = { 'src/a.ts': source(MAX_FUNCTION_LINES + 1), 'src/b.ts': source(MAX_FUNCTION_LINES) };
    expect(sizeFindings(plantedTree(planted))).toEqual(['src/a.ts:1: function of 51 lines, at most 50']);
  });
});
