import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#resources/operations.ts';
import { citationsBelow, citationsIn } from './citations.ts';
import { LATER } from './requirements/contract.ts';
import { REQUIREMENTS } from './requirements.ts';

const TESTS = new URL('..', import.meta.url).pathname;

describe('the table of requirements', () => {
  const known = new Set(REQUIREMENTS.map(({ id }) => id));
  const citations = citationsBelow(TESTS);

  it('has each row once', () => {
    const ids = [...REQUIREMENTS, ...LATER].map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('has a test for every row', () => {
    const cited = new Set(citations.map(({ id }) => id));
    expect(REQUIREMENTS.filter(({ id }) => !cited.has(id)).map(({ id, says }) => `${id}: ${says}`)).toEqual(
      [],
    );
  });

  it('is the only source of the ids that titles cite', () => {
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('leaves nothing for later that a route of this version offers', () => {
    const paths = Object.values(OPERATIONS).map(({ path }) => path as string);
    const due = LATER.filter(({ duePath }) => paths.some((path) => path.startsWith(duePath)));
    expect(due.map(({ id, why }) => `${id}: ${why}`)).toEqual([]);
  });
});

describe('the scan for citations', () => {
  it('finds ids at the start of plain, quoted and repeated titles', () => {
    const call = 'it'; // Assembled, so that the scan of this very file does not find them.
    const source = [
      `${call}('[A-B-01] [C2] says so', () => {});`,
      `${call}("[A-B-02] it's so", () => {});`,
      `${call}.each(rows)('[A-B-03] $name', () => {});`,
      `${call}(\n    '[A-B-04] wrapped', () => {});`,
      `${call}.each(rows.filter((row) => keep(row, [f(1)])))('[A-B-05] $name', () => {});`,
    ].join('\n');
    expect(citationsIn('x.test.ts', source).map(({ id }) => id)).toEqual([
      'A-B-01',
      'C2',
      'A-B-02',
      'A-B-03',
      'A-B-04',
      'A-B-05',
    ]);
  });

  it('takes no id from the middle of a title, nor from other texts', () => {
    const source = `${'it'}('reads list[A-B-01] whole', () => {}); const text = '[A-B-02] no title';`;
    expect(citationsIn('x.test.ts', source)).toEqual([]);
  });
});
