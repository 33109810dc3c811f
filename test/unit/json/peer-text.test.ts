import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#json/canonical.ts';
import { parseMended, parsePeerText } from '#json/json-reader.ts';

describe('a message of a peer', () => {
  it.each([
    [String.raw`"a\ud83d"`, 'a\ufffd'],
    [String.raw`"\ude00b"`, '\ufffdb'],
    [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd\u{1f600}'],
    [String.raw`"\ud83d\u0041"`, '\ufffdA'],
    [String.raw`"\\ud83d \ud83d"`, `${String.raw`\ud83d `}\ufffd`],
    [String.raw`"\uD83D\uDE00 \n"`, '\u{1f600} \n'],
  ])('keeps %s, a half character in it as U+FFFD', (text, value) => {
    expect(parsePeerText(text)).toBe(value);
  });

  it.each([
    '{',
    '{"a":1,"a":2}',
    String.raw`{"a":"\ud83d","a":2}`,
    '{"__proto__":1}',
    '1e999',
    '[['.repeat(50),
  ])('is refused like any other: %s', (text) => {
    expect(() => parsePeerText(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('a message that cannot be refused', () => {
  it.each([
    ['{"a":[1,"2",-0.5e2,1e300]}', '{"a":[1,"2",-50,1e+300]}', []],
    ['{"a":12345678901234567890,"b":-1e999}', '{"a":"12345678901234567890","b":"-1e999"}', ['numbers']],
    [
      String.raw`["9007199254740993","\"1e999\\",1e20]`,
      String.raw`["9007199254740993","\"1e999\\","1e20"]`,
      ['numbers'],
    ],
    [
      '{"a":9007199254740993,"a":{"b":1,"b":9007199254740995}}',
      '{"a":{"b":"9007199254740995"}}',
      ['numbers', 'members'],
    ],
    [String.raw`{"__proto__":{"x":1},"a":1,"\u0061":2}`, '{"a":2}', ['members']],
    [String.raw`["\ud83d",1e999]`, '["\ufffd","1e999"]', ['half_characters', 'numbers']],
  ])('%s is kept as %s', (text, kept, mended) => {
    const read = parseMended(text);
    expect(canonicalJson(read.value)).toBe(kept);
    expect(read.mended).toEqual(mended);
  });

  it.each([
    '{',
    '{1e999:1}',
    '{"a":1e999,1e999:2}',
    `${'['.repeat(65)}${']'.repeat(65)}`,
    `{"a":1,"a":${'['.repeat(70)}${']'.repeat(70)}}`,
  ])('is refused where it is no JSON or too deep: %s', (text) => {
    expect(() => parseMended(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
