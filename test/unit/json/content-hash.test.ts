import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contentHash } from '#json/canonical.ts';

describe('contentHash', () => {
  it('is that of the RFC 8785 bytes, whatever order the members come in', () => {
    const hex = createHash('sha256').update('{"a":["x",null],"b":1}').digest('hex');
    expect(contentHash({ b: 1, a: ['x', null] })).toBe(`sha256:${hex}`);
  });

  it('takes half a character for U+FFFD, in texts and in names', () => {
    expect(contentHash({ 'a\ud800': ['b\udc00c'] })).toBe(contentHash({ 'a\ufffd': ['b\ufffdc'] }));
  });

  it('takes a text that spells the escape of half a character for what it is', () => {
    expect(contentHash({ a: '\\ud800' })).not.toBe(contentHash({ a: '\ufffd' }));
    expect(contentHash({ b: '\\ud800', a: '\ud800' })).toBe(contentHash({ a: '\ufffd', b: '\\ud800' }));
  });

  it('refuses what JSON cannot hold', () => {
    expect(() => contentHash({ a: Number.NaN })).toThrow(TypeError);
  });
});
