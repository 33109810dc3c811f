import { describe, expect, it } from 'vitest';
import { sessionKeys } from '#resources/session/state.ts';

const ofRoute = (route: string) => sessionKeys.sessionBinding('session_1', route);
const HASHED = /^x\/sb\/session_1\/#[0-9a-f]{32}$/;

describe('texts of others in keys', () => {
  it('stand there as they are when they are short and safe', () => {
    expect(ofRoute('a2a:sample')).toBe('x/sb/session_1/a2a:sample');
    expect(ofRoute('a'.repeat(64))).toBe(`x/sb/session_1/${'a'.repeat(64)}`);
  });

  it.each([
    ['longer than 64 characters', 'a'.repeat(65)],
    ['empty', ''],
    ['another segment', 'a/b'],
    ['a space', 'a b'],
    ['beyond ASCII', 'ä'],
    ['the mark of a hash', `#${'0'.repeat(32)}`],
    ['the mark of a tenant', '~tenant'],
  ])('are hashed when they are %s', (_, text) => {
    expect(ofRoute(text)).toMatch(HASHED);
  });

  it('never meet the hash of another text', () => {
    const hashed = ofRoute('a b').slice('x/sb/session_1/'.length);
    expect(ofRoute(hashed)).not.toBe(ofRoute('a b'));
  });
});
