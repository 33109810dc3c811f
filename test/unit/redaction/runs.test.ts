import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { CONTEXTS, SHAPES, URL_PARTS } from '#redaction/patterns.ts';
import { tail } from '#redaction/runs.ts';

const PATTERNS = [...SHAPES, ...CONTEXTS, ...URL_PARTS].map((pattern, index) => ({
  what: `${index} ${pattern.name}`,
  tail: pattern.tail,
}));

/** What the classes and the literals of the patterns meet and what ends them. */
const PIECES = [
  ...'aZ9._-~+/=@:;,&#?*|()[]{}<>`\'" \t\r\n\f\v\\\u00a0\u2028e',
  '😀',
  '\\n',
  '\\r',
  ': ',
  '--',
  '-----',
  '-----END PRIVATE KEY-----',
  '-----END RSA PRIVATE KEY BLOCK-----',
  '<redacted:jwt:12>',
  '<redacted:jwt',
  '\nProc-Type: 4,ENCRYPTED',
  '\nabcdefghijklmnopqrstuvwx: a-',
  'abcdefghijklmnopqrst',
  'abcdefghijklmnopqrs',
  'QUJDREVGR0hJSktMTU5PUA==',
  '\nQUJDREVGR0hJSktMTU5PUA==',
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(''));

describe('R-07 the tail of every pattern', () => {
  it.each(PATTERNS)('$what ends where re2 says that it ends', ({ tail: { expression, endIn } }) => {
    const engine = RE2JS.compile(expression);
    fc.assert(
      fc.property(texts, (text) => {
        const matcher = engine.matcher(text);
        expect(endIn(`needle${text}`, 6)).toBe(matcher.lookingAt() ? 6 + matcher.end() : undefined);
      }),
      { numRuns: 400 },
    );
  });
});

describe('R-07 a tail', () => {
  it('counts characters, not halves of them', () => {
    const { endIn } = tail({ of: '^a', least: 3 });
    expect(endIn('😀😀', 0)).toBeUndefined();
    expect(endIn('😀😀😀a', 0)).toBe(6);
  });

  it('needs no stack, however long it is', () => {
    const long = 'a'.repeat(40_000_000);
    expect(tail({ of: 'a', least: 1 }, '.', { repeat: ['b'] }).endIn(`${long}.bb`, 0)).toBe(long.length + 3);
  });
});
