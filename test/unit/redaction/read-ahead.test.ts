import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finished, SLICE_SIZE } from '#json/large-json.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { Redactor } from '#redaction/redactor.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const word = (n: number) => `word${n}`.padEnd(12, 'x');

/** Larger than a slice, of each form that a large value takes. */
const LARGE: Record<string, JsonValue> = {
  'a text': 'The quick brown fox jumps. '.repeat(5_000),
  'a text with secrets': `token=${SECRET} said `.repeat(2_000),
  'a text without a space': 'QUJDREVGR0hJSktMTU5P'.repeat(5_000),
  'short texts': Array.from({ length: 10_000 }, (_, n) => word(n)),
  'many members': Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [word(n), n])),
  'long names': Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`${SECRET}${'n'.repeat(2_000)}${n}`, n]),
  ),
  'one secret among many': [...Array.from({ length: 10_000 }, (_, n) => word(n)), SECRET, 'after it'],
  'large in large': {
    before: 1,
    a: [{ b: Array.from({ length: 5_000 }, (_, n) => ({ [word(n)]: SECRET })) }, SECRET],
  },
  'a secret that parts share': Array.from({ length: 2_000 }, (_, n) => ({
    type: 'text',
    text: n % 2 === 0 ? `${word(n)} ${SECRET.slice(0, 20)}` : SECRET.slice(20),
  })),
};

function turnsOf(redactor: Redactor, value: JsonValue): number {
  const work = redactor.readAhead(value);
  let turns = 0;
  while (!work.next().done) turns += 1;
  return turns;
}

describe('a value that is read ahead', () => {
  it.each(Object.entries(LARGE))('becomes what it is at once: %s', (_, value) => {
    const [before, at_once] = [new Redactor(), new Redactor()];
    const whole = { body: { input: value }, query: { a: SECRET } };
    const forget = finished(before.readAhead(whole.body));
    const [found, expected] = [before.clean<JsonObject>(whole), at_once.clean<JsonObject>(whole)];
    expect(found).toEqual(expected);
    forget();
    expect(before.clean<JsonObject>(whole)).toEqual(expected);
  });

  it('becomes what it is at once, whatever it is', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.constant(SECRET),
      fc.constant('x'.repeat(SLICE_SIZE + 1)),
      fc.integer(),
    );
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const redactor = new Redactor();
        finished(redactor.readAhead(value));
        expect(redactor.clean(value)).toEqual(new Redactor().clean(value));
      }),
      { numRuns: 200 },
    );
  });

  it('takes a turn for each slice of it', () => {
    const items = LARGE['short texts'] as JsonValue[];
    const turns = turnsOf(new Redactor(), items);
    expect(turns).toBe(1 + Math.ceil((items.length * 15) / SLICE_SIZE));
  });

  it('is read again once a secret is known, also by one that was at work when it became known', () => {
    const redactor = new Redactor();
    const hidden = 'an unusual sentence';
    const value = {
      a: `${hidden} ${'and more '.repeat(5_000)}`,
      b: [hidden, ...(LARGE['short texts'] as JsonValue[])],
    };
    const work = redactor.readAhead(value);
    for (let turn = 0; turn < 8; turn += 1) expect(work.next().done).toBe(false);
    redactor.addKnownSecret(hidden);
    finished(work);
    expect(JSON.stringify(redactor.clean<JsonObject>(value).value)).not.toContain(hidden);
  });
});
