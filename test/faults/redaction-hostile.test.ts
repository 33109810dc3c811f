import { describe, expect, it } from 'vitest';
import { CONTEXTS, SHAPES, URL_PARTS } from '#redaction/patterns.ts';
import { Redactor } from '#redaction/redactor.ts';
import { PEM, PIECES } from '../unit/redaction/hostile-pieces.ts';

const SIZE = 1_000_000;
const CASES = Object.entries(PIECES).flatMap(([name, pieces]) => pieces.map((piece) => ({ name, piece })));

describe('R-07 one megabyte of hostile text', () => {
  it('is tried for every pattern', () => {
    const names = new Set([...SHAPES, ...CONTEXTS, ...URL_PARTS].map(({ name }) => name));
    expect([...names].sort()).toEqual(Object.keys(PIECES).sort());
  });

  it.each(CASES)('of $piece is redacted once and for all ($name)', ({ piece }) => {
    const redactor = new Redactor();
    const text = piece.repeat(Math.ceil(SIZE / piece.length));
    const clean = redactor.redactText(text);
    expect(redactor.redactText(clean) === clean).toBe(true);
  });

  it.each([
    ['a token', `sk-${'a1'.repeat(SIZE / 2)}`, 'openai_key'],
    ['a private key', `${PEM}\n${'QUJD'.repeat(SIZE / 4)}\n-----END PRIVATE KEY-----`, 'private_key'],
    ['a cut private key', `${PEM}${'\nQUJDREVGR0hJSktMTU5PUA'.repeat(SIZE / 20)}`, 'private_key'],
  ])('that is %s of that size becomes one marker', (_, text, name) => {
    expect(new Redactor().redactText(text)).toBe(`<redacted:${name}:${text.length}>`);
  });

  it('that nearly repeats a known secret is read once', () => {
    const redactor = new Redactor();
    redactor.addKnownSecret(`${'a'.repeat(200)}b`);
    const text = 'a'.repeat(SIZE);
    expect(redactor.redactText(text) === text).toBe(true);
  });
});
