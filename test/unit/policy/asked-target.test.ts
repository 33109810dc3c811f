import { describe, expect, it } from 'vitest';
import { plainPath } from '#protocol/asked-target.ts';

describe('the path that a rule is asked about', () => {
  it.each([
    ['/ed/../etc/passwd', '/etc/passwd'],
    ['/ed//./a', '/ed/a'],
    ['../../a', '../../a'],
    ['a/../../b', '../b'],
    ['/../a', '/a'],
    ['', '.'],
    ['file:///ed/../etc/passwd', 'file:/etc/passwd'],
    // As those who read addresses take them.
    ['file:///ed/%2e%2e/etc/passwd', 'file:/etc/passwd'],
    ['file:///ed/.%2E/etc/passwd', 'file:/etc/passwd'],
    ['file:///ed/%2e/a', 'file:/ed/a'],
    // A name like any other, of a file.
    ['/ed/%2e%2e/a', '/ed/%2e%2e/a'],
    ['C:/%2e/a', 'C:/%2e/a'],
  ])('%s is %s', (path, plain) => {
    expect(plainPath(path)).toBe(plain);
  });
});
