import { describe, expect, it } from 'vitest';
import { checkGlob, compileGlob, literalGlob, MAX_GLOB_CHARS, MAX_MATCHED_CHARS } from '#policy/glob.ts';

const matches = (glob: string, text: string) => compileGlob(glob).matches(text);

describe('globs of permission rules', () => {
  // The cases of globset 0.4 with its default options: `*` and `?` cross "/".
  it.each([
    ['a', 'a', true],
    ['a', 'A', false],
    ['a', 'aa', false],
    ['a*b', 'a_b', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a_b_c', true],
    ['abc*abc*abc', 'abcabcabcabcabcabcabc', true],
    ['a*a*a*a*a*a*a*a*a', 'aaaaaaaaaaaaaaaaaaaaaaaaa', true],
    ['a*b[xyz]c*d', 'abxcdbxcddd', true],
    ['*.rs', '.rs', true],
    ['*.rs', 'src/lib.rs', true],
    ['*', 'a/b', true],
    ['?', '/', true],
    ['?', '', false],
    ['?', 'ab', false],
    ['?', 'é', true],
    ['?', '👋', true],
    ['', '', 'empty'],
    // `**` as a whole part of a path.
    ['**', '', true],
    ['**', 'a/b/c', true],
    ['**/', 'a/b/', true],
    ['**/test', 'test', true],
    ['**/test', '/test', true],
    ['**/test', 'a/b/test', true],
    ['**/test', 'atest', false],
    ['/**/test', '/test', true],
    ['/**/test', '/one/two/test', true],
    ['some/**', 'some/', true],
    ['some/**', 'some/a/b', true],
    ['some/**', 'some', false],
    ['some/**', 'someone/a', false],
    ['some/**/needle.txt', 'some/needle.txt', true],
    ['some/**/needle.txt', 'some/one/two/needle.txt', true],
    ['some/**/needle.txt', 'some/other/notthis.txt', false],
    ['some/**/**/needle.txt', 'some/needle.txt', true],
    ['some/**/**/needle.txt', 'some/one/needle.txt', true],
    ['**/**/needle', 'a/needle', true],
    // Two stars elsewhere are one.
    ['a**b', 'a/x/b', true],
    ['**a', 'x/a', true],
    ['src**', 'src', true],
    ['.*/**', '.abc/abc', true],
    // Classes.
    ['a[0-9]b', 'a0b', true],
    ['a[0-9]b', 'a_b', false],
    ['a[!0-9]b', 'a_b', true],
    ['a[^0-9]b', 'a0b', false],
    ['[a-z123]', '1', true],
    ['[123a-z]', 'y', true],
    ['[-]', '-', true],
    ['[a-]', '-', true],
    ['[-a]', 'a', true],
    ['[]]', ']', true],
    ['[!]]', ']', false],
    ['[]-a]', '^', true],
    ['a[!x]b', 'a/b', true],
    // Alternatives.
    ['{a,b}', 'b', true],
    ['{a,b}c', 'bc', true],
    ['{a,b}c', 'c', false],
    ['{**/src/**,foo}', 'abc/src/bar', true],
    ['{**/src/**,foo}', 'foo', true],
    ['{[}],foo}', '}', true],
    ['{foo}', 'foo', true],
    ['{}', '', true],
    ['{,a}', 'a', true],
    ['{a,{b,c}d}', 'cd', true],
    ['a,b', 'a,b', true],
    // What a backslash takes as it is.
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\[a]', '[a]', true],
    ['\\a', 'a', true],
    ['a\nb', 'a\nb', true],
    ['*', 'a\nb', true],
  ] as const)('%j and %j: %s', (glob, text, expected) => {
    if (expected === 'empty') expect(() => compileGlob(glob)).toThrow('is empty');
    else expect(matches(glob, text)).toBe(expected);
  });

  it.each([
    ['[a', 'a "[" without its "]"'],
    ['[]', 'a "[" without its "]"'],
    ['[!]', 'a "[" without its "]"'],
    ['[z-a]', 'a range whose end comes before its beginning'],
    ['{a', 'a "{" without its "}"'],
    ['a}', 'a "}" without its "{"'],
    ['a\\', 'ends with a backslash'],
    [`${'{'.repeat(9)}a${'}'.repeat(9)}`, 'nests "{" more than 8 deep'],
    ['a'.repeat(MAX_GLOB_CHARS + 1), 'more than 512 characters'],
  ])('%s is refused in words', (glob, words) => {
    expect(() => compileGlob(glob)).toThrow(words);
  });

  it.each(['a*b?[c]{d}\\', 'https://x.example/?q=[1]', 'ls -la; echo {a,b}'])(
    'the literal glob of %s matches it alone',
    (text) => {
      expect(matches(literalGlob(text), text)).toBe(true);
      expect(matches(literalGlob(text), `${text}x`)).toBe(false);
      expect(matches(literalGlob(text), text.replace(/./, '_'))).toBe(false);
    },
  );

  it('a text that is too long is matched by nothing', () => {
    expect(matches('**', 'a'.repeat(MAX_MATCHED_CHARS))).toBe(true);
    expect(matches('**', 'a'.repeat(MAX_MATCHED_CHARS + 1))).toBe(false);
  });

  it.each([
    ['src/**', 'src/', true],
    ['src/**', 'lib/', false],
    ['src/**/x', 'src/', true],
    ['*👋', '👋', true],
    ['a*', 'b', false],
    ['src/a', 'src/a', false],
  ])('%s may match a text that begins with %s and is too long: %s', (glob, beginning, expected) => {
    const long = beginning + 'a/'.repeat(MAX_MATCHED_CHARS);
    expect(compileGlob(glob).mayMatch(long)).toBe(expected);
    expect(compileGlob(glob).matches(long)).toBe(false);
  });

  it('more alternatives than sixteen are not to be written, and matched where they stand', () => {
    const [allowed, costly] = ['{a,b}'.repeat(16), '{a,b}'.repeat(17)];
    expect(() => checkGlob(allowed)).not.toThrow();
    expect(() => checkGlob(costly)).toThrow('has more than 16 "{"');
    expect(matches(costly, 'ab'.repeat(8))).toBe(false);
    expect(matches(costly, `${'ab'.repeat(8)}b`)).toBe(true);
  });

  it('a place beyond the first thirty-two is one like those before', () => {
    const [long, mark] = ['x'.repeat(29), 'y'];
    for (const glob of ['*', '**/', '{a,bb}', '[!x]', 'c/**/'])
      for (const between of ['', 'a', 'bb', 'x', 'a/', 'c/', 'c/a/', '👋'])
        for (let length = 0; length < 8; length += 1) {
          const [before, plain] = [`${long}${'x'.repeat(length)}/`, 'x'.repeat(length)];
          expect([
            glob,
            between,
            length,
            matches(`${before}${glob}${mark}`, `${before}${between}${mark}`),
          ]).toEqual([
            glob,
            between,
            length,
            matches(`${plain}/${glob}${mark}`, `${plain}/${between}${mark}`),
          ]);
        }
  });

  /** By going back: slow, and short enough to be believed. */
  it('agrees with what a matcher by its definition says, over all short texts', () => {
    const globs = ['a', '*', '?', '/', '[ab]', '[!a]', '{a,b/}', '{*b,/a}', '{?,{a,ba}*}'];
    const texts = shortTexts(['a', 'b', '/'], 4);
    for (const one of globs)
      for (const two of ['', ...globs])
        for (const three of ['', 'a', '*', '{a,b}', '/**', '/**/b']) {
          const glob = one + two + three;
          // What two stars are elsewhere stands in the table above.
          if (glob.replace(/\/\*\*(\/b)?$/, '').includes('**')) continue;
          const compiled = compileGlob(glob);
          const asExpression = new RegExp(`^${expressionOf(glob)}$`, 'su');
          const wrong = texts.filter((text) => compiled.matches(text) !== asExpression.test(text));
          expect([glob, wrong]).toEqual([glob, []]);
        }
  });

  it.each([
    `${'*a'.repeat(250)}*b`,
    `${'{a,aa}'.repeat(80)}`,
    `${'{a*,a?}'.repeat(70)}`,
    `${'**/'.repeat(160)}x`,
    `${'a/**/'.repeat(98)}`,
    `${'{*a,*aa,'.repeat(7)}*${'}'.repeat(7)}${'*a'.repeat(100)}!`,
  ])('%.24s…: a hostile glob costs no more than its size', (glob) => {
    const compiled = compileGlob(glob);
    const started = performance.now();
    compiled.matches('a'.repeat(MAX_MATCHED_CHARS));
    compiled.matches('a/'.repeat(MAX_MATCHED_CHARS / 2));
    // A matcher that goes back takes longer than the universe is old. What one costs at most: test/bench/event-loop.ts.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

function shortTexts(chars: readonly string[], length: number): string[] {
  if (length === 0) return [''];
  const shorter = shortTexts(chars, length - 1);
  return [...new Set([...shorter, ...shorter.flatMap((text) => chars.map((char) => text + char))])];
}

/** The same as an expression that goes back. */
function expressionOf(glob: string): string {
  const expressions: readonly [glob: RegExp, expression: string][] = [
    [/^\/\*\*\/(\*\*\/)*/, '/(?:.*/)?'],
    [/^\/\*\*$/, '/.*'],
    [/^\*+/, '.*'],
    [/^\?/, '.'],
    [/^\[!a\]/, '[^a]'],
    [/^\[ab\]/, '[ab]'],
    [/^\{/, '(?:'],
    [/^\}/, ')'],
    [/^,/, '|'],
  ];
  for (const [form, expression] of expressions) {
    const found = form.exec(glob)?.[0];
    if (found !== undefined) return expression + expressionOf(glob.slice(found.length));
  }
  return glob === '' ? '' : glob.slice(0, 1) + expressionOf(glob.slice(1));
}
