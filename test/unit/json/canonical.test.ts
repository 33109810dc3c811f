import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256Bytes, sha256Hex } from '#json/canonical.ts';

describe('the canonical spelling', () => {
  it('sorts names by UTF-16 code units at every level and drops white space', () => {
    const value = {
      b: [{ z: 1, a: 2 }],
      '€': 1,
      '\r': 2,
      '1': 3,
      '😀': 4,
      '\ufb33': 5,
      a: { d: null, c: true },
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":3,"a":{"c":true,"d":null},"b":[{"a":2,"z":1}],"€":1,"😀":4,"\ufb33":5}',
    );
  });

  it('writes numbers as RFC 8785 does', () => {
    expect(canonicalJson([1e21, 333333333.3333333, 4.5, 2e-3, 1e-27, -0, 0.0])).toBe(
      '[1e+21,333333333.3333333,4.5,0.002,1e-27,0,0]',
    );
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['NaN', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['half a surrogate pair', { a: '\ud800' }],
    ['half a surrogate pair in a name', { '\udead': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value as never)).toThrow(TypeError);
  });
});

/** Names where orders differ: whole numbers, which objects keep first; characters outside of the plane; the empty one. */
const name = fc.oneof(
  fc.constantFrom(
    '9',
    '10',
    '1',
    '0',
    '01',
    '-1',
    '4294967295',
    '4294967294',
    '',
    'a',
    'B',
    '€',
    '\ufb33',
    '😀',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }).filter((text) => text !== '__proto__'),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\ud800', '\\ud800', '\\\\udead', 'x\udc00', -0, 1e21, 5e-324, Number.NaN, Infinity),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  ),
}));
const spelledBy = (spell: (value: never) => unknown, value: unknown) => {
  try {
    return spell(value as never);
  } catch {
    return 'refused';
  }
};
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([member, held]) => [member, sorted(held)]));
};

describe('the shorter way for members in order', () => {
  it('spells, and refuses, what the longer one does', () => {
    let inOrder = 0;
    fc.assert(
      fc.property(anyValue, (value) => {
        for (const one of [value, sorted(value)]) {
          const expected = spelledBy(canonicalize, one);
          expect(spelledBy(canonicalJson, one)).toBe(expected);
          if (JSON.stringify(one) === expected) inOrder += 1;
        }
      }),
      { numRuns: 3_000, seed: 8785 },
    );
    expect(inOrder).toBeGreaterThan(1_000);
  });

  it('is left for what holds itself and for what JSON spells otherwise', () => {
    const cycle: Record<string, unknown> = {};
    cycle['a'] = [cycle];
    expect(() => canonicalJson(cycle as never)).toThrow(TypeError);
    expect(canonicalJson({ b: { toJSON: () => ({ y: 1, x: 2 }) } } as never)).toBe('{"b":{"x":2,"y":1}}');
  });
});

describe('SHA-256', () => {
  it('hashes a string as its UTF-8 bytes', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('€')).toBe(sha256Hex(new Uint8Array([0xe2, 0x82, 0xac])));
  });

  it('gives the same digest as bytes', () => {
    expect(sha256Bytes('abc').toString('hex')).toBe(sha256Hex('abc'));
    expect(sha256Bytes(Buffer.from('abc'))).toHaveLength(32);
  });
});
