import { describe, expect, it } from 'vitest';
import { readJson } from '../../../bridges/acp/wire/read-json.ts';
import { parseStrictText } from '../../../src/json/strict-parse.ts';

const read = (text: string) => readJson(text, (given) => parseStrictText(given));

describe('a message of an ACP peer', () => {
  it.each([
    [String.raw`"a\ud83d"`, 'a\ufffd'],
    [String.raw`"\ude00b"`, '\ufffdb'],
    [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd\u{1f600}'],
    [String.raw`"\ud83d\u0041"`, '\ufffdA'],
    [String.raw`"\\ud83d \ud83d"`, `${String.raw`\ud83d `}\ufffd`],
    [String.raw`"\uD83D\uDE00 \n"`, '\u{1f600} \n'],
  ])('keeps %s, a half character in it as U+FFFD', (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each([
    '{',
    '{"a":1,"a":2}',
    String.raw`{"a":"\ud83d","a":2}`,
    '{"__proto__":1}',
    '1e999',
    '[['.repeat(50),
  ])('is refused like any other: %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
