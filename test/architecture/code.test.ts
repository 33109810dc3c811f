import { describe, expect, it } from 'vitest';
import { citationFindings } from './citations.ts';
import { purityFindings } from './purity.ts';
import { shortcutFindings } from './shortcuts.ts';
import { plantedTree, readSourceTree } from './source-tree.ts';
import { untypedCallFindings } from './typed-calls.ts';

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
    expect(purityFindings(plantedTree({ 'src/compose/compose.ts': source }))).toEqual([]);
  });

  it('are found when imported by name', () => {
    const planted = plantedTree({ 'src/auth/a.ts': `import { hash, randomBytes } from 'node:crypto';` });
    expect(purityFindings(planted)).toEqual(['src/auth/a.ts:1: randomBytes must be injected here']);
  });

  it.each(['src/protocol', 'src/policy', 'src/resources/task', 'mappings/a2a'])(
    'stay out of %s, with dates and node modules',
    (folder) => {
      const source = `import 'node:fs';\nconst date = new Date(0);`;
      expect(purityFindings(plantedTree({ [`${folder}/a.ts`]: source }))).toHaveLength(2);
    },
  );

  it('may be named by members of injected things', () => {
    const source = 'timers.setTimeout(run, 1); this.clock.now(); const port = { fetch() {} };';
    expect(purityFindings(plantedTree({ 'src/core/a.ts': source }))).toEqual([]);
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

describe('calls of the command line', () => {
  it('are those of the typed client', () => {
    expect(untypedCallFindings(tree)).toEqual([]);
  });

  it.each([
    ['with a path that is written out', 'await api.get(`/v1/tasks/$' + '{id}` as never);'],
    ['with a path that is put together', "await api.get(('/v1/tasks/' + id) as never);"],
    ['past the types', "await (client.api.http.request as Untyped)('GET', '/v1/tasks', {});"],
    ['whose answer has the type that they say', "await client.json<Task>('GET', '/v1/tasks');"],
  ])('are found when made %s', (_, source) => {
    for (const path of ['src/cli/top.ts', 'src/resources/task/cli.ts', 'src/resources/session/show-cli.ts'])
      expect(untypedCallFindings(plantedTree({ [path]: source }))).toHaveLength(1);
    expect(untypedCallFindings(plantedTree({ 'src/surfaces/a.ts': source }))).toEqual([]);
  });

  it('may name a path of the OpenAPI document, and speak of one', () => {
    const source =
      "await api.get('/v1/tasks/{task_id}', { params });\nprint(`look at GET /v1/tasks/$" + '{id}`);';
    expect(untypedCallFindings(plantedTree({ 'src/cli/top.ts': source }))).toEqual([]);
  });
});

describe('comments', () => {
  it('cite what a reader has: a page of the repository, or a public specification', () => {
    expect(citationFindings(tree)).toEqual([]);
  });

  it.each([
    ['the contract, by section', '// As it is asked (contract section 7).'],
    ['the contract, by number', '/** A page of a list. Source: contract C6. */'],
    ['a number alone', ' * Order of C22.'],
    ['the design', '// Source: design, "Retention".'],
    ['a note', '/** How a part arrives. Source: notes/a2a.md 1.4. */'],
    ['an issue', '// See issue 17.'],
    ['a page that is not there', '/** See src/policy/README.md. */'],
    ['a heading that is not there', '/** See README.md, Order of a call. */'],
  ])('are found when they cite %s', (_, source) => {
    const planted = plantedTree({ 'src/core/a.ts': source, 'src/core/README.md': '# core\n\n## Lists\n' });
    expect(citationFindings(planted)).toHaveLength(1);
  });

  it('may cite specifications, and headings by the page beside them or by its path', () => {
    const source = [
      '/** Spec: RFC 9110, section 15.5.6; Agents Protocol v1, "Idempotency"; Harn replay contract, "Override keys". */',
      '/** See README.md, Lists. */',
      '// The contract of a store (src/core/README.md, Lists).',
    ].join('\n');
    const planted = plantedTree({ 'src/core/a.ts': source, 'src/core/README.md': '# core\n\n## Lists\n' });
    expect(citationFindings(planted)).toEqual([]);
  });
});
