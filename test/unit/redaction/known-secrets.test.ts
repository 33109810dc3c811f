import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownSecrets } from '#redaction/known-secrets.ts';
import { Redactor } from '#redaction/redactor.ts';

const SECRET = 'pä ss"w/ör+d?9~x';

function redactorWith(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.addKnownSecret(secret);
  return redactor;
}

describe('R-03 a known secret', () => {
  const bytes = Buffer.from(SECRET);
  it.each([
    ['as it is', SECRET],
    ['in a JSON string', JSON.stringify(SECRET).slice(1, -1)],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in lower case', encodeURIComponent(SECRET).replace(/%../g, (byte) => byte.toLowerCase())],
    ['form-encoded', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['in hex', bytes.toString('hex')],
    ['in capital hex', bytes.toString('hex').toUpperCase()],
    ['in base64', bytes.toString('base64')],
    ['in base64 without padding', bytes.toString('base64').replace(/=+$/, '')],
    ['in base64url', bytes.toString('base64url')],
  ])('is hidden %s', (_, spelling) => {
    const clean = redactorWith(SECRET).redactText(`before ${spelling} after`);
    expect(clean).toBe(`before <redacted:known_secret:${Buffer.byteLength(spelling)}> after`);
  });

  it.each(['', 'u', 'us', 'use', 'user'])('is hidden in the base64 of %s:secret', (user) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${user}:${SECRET}:more`).toString(encoding);
      const clean = redactorWith(SECRET).redactText(encoded);
      const kept = clean.replace(/<redacted:known_secret:[0-9]+>/, '');
      expect(encoded.length - kept.length).toBeGreaterThanOrEqual(Math.floor((bytes.length * 8) / 6) - 1);
    }
  });

  it('is hidden before a pattern can cut it in two', () => {
    const clean = redactorWith('p@ss/w0rd-very-long').redactText('ftp://me:p@ss/w0rd-very-long@host/x');
    expect(clean).toBe('ftp://[redacted]@host/x');
  });

  it('is hidden together with another one that overlaps it', () => {
    const clean = redactorWith('abcdefgh12', 'gh12ijklmn').redactText('<abcdefgh12ijklmn>');
    expect(clean).toBe('<<redacted:known_secret:16>>');
  });

  it('is hidden in member names, and two names that become equal stay two members', () => {
    const { value, hits } = redactorWith('abcdefgh12', 'ABCDEFGH12').redactValue({
      abcdefgh12: 1,
      ABCDEFGH12: 2,
    });
    expect(value).toEqual({ '<redacted:known_secret:10>': 1, '<redacted:known_secret:10>#2': 2 });
    expect(hits).toHaveLength(2);
  });

  it('is hidden in a member name that was seen clean before', () => {
    const redactor = new Redactor();
    const value = { my_member_name: 1 };
    expect(redactor.redactValue(value).value).toBe(value);
    redactor.addKnownSecret('my_member_name');
    expect(redactor.redactValue(value).value).toEqual({ '<redacted:known_secret:14>': 1 });
  });

  it('is ignored below 8 characters and when markers contain it', () => {
    const redactor = redactorWith('1234567', 'redacted', 'known_secret');
    expect(redactor.redactText('1234567 redacted known_secret')).toBe('1234567 redacted known_secret');
  });
});

describe('the search for many secrets', () => {
  it('finds what a search one by one finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ă', '€'), minLength: 8, maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ă', '€'), maxLength: 200 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 6 }),
        text,
        fc.nat(),
        (secrets, around, at) => {
          const known = new KnownSecrets();
          for (const secret of secrets) known.add(secret);
          const cut = at % (around.length + 1);
          const full = around.slice(0, cut) + (secrets[at % secrets.length] ?? '') + around.slice(cut);
          const covered = new Set(known.find(full).flatMap(({ start, end }) => range(start, end)));
          expect([...covered].sort(byNumber)).toEqual(coveredOneByOne(full, secrets));
        },
      ),
      { numRuns: 500 },
    );
  });
});

function coveredOneByOne(text: string, secrets: readonly string[]): number[] {
  const covered = new Set<number>();
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      for (const index of range(at, at + secret.length)) covered.add(index);
    }
  }
  return [...covered].sort(byNumber);
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function byNumber(left: number, right: number): number {
  return left - right;
}
