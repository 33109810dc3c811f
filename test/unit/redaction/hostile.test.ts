import { describe, expect, it } from 'vitest';
import { CONTEXTS, SHAPES, URL_PARTS } from '../../../src/redaction/patterns.ts';
import { Redactor } from '../../../src/redaction/redactor.ts';

const SIZE = 1_000_000;
const PEM = '-----BEGIN PRIVATE KEY-----';

/** Per pattern: pieces that begin a match again and again and never, or only just, complete it. */
const PIECES: Record<string, string[]> = {
  jwt: ['eyJ', '-eyJ', ' eyJabcdefgh', 'eyJabcdef.', 'eyJabcdef.eyJa', 'eyJabcdefghij..'],
  github_token: ['ghp_', ' ghp_', ' ghp_abcdefghijklmno', ' github_pat_', 'ghp_ghp_'],
  slack_token: ['xoxb-', ' xoxb-', ' xoxb-xox'],
  aws_access_key_id: ['AKIA', ' AKIA', ' AKIAABCDEFGHIJKLMNO'],
  gitlab_token: ['glpat-', ' glpat-', ' glpat-abcdefghij.'],
  huggingface_token: ['hf_', ' hf_', ' hf_abcdefghijklmnopqrs'],
  cerebras_key: ['csk-', 'csk-abcdefghijklmno-', ' csk-', ' csk-aaaa-bbbb-cccc-ddd'],
  together_key: ['tgp_v1_', ' tgp_v1_'],
  google_api_key: ['AIza', ' AIza', ' AIza-AIza'],
  npm_token: ['npm_', ' npm_', ' npm_abcdefghijklmnopqrstuvwxyzabcdefghi'],
  openai_key: ['sk-', ' sk-', ' sk-aaaa-bbbb-cccc-dddd'],
  stripe_key: ['sk_live_', ' rk_test_', ' sk_live_abcdefghi'],
  private_key: [
    PEM,
    `${PEM}\n`,
    `${PEM}\nabcd: x`,
    `${PEM}abcdefghijklmnopqrs `,
    '-----BEGIN ',
    '-',
    '-----END PRIVATE KEY-----',
  ],
  url_userinfo: ['://', '://@', '://a', '://a@ ', '://[redacted]@'],
  url_parameter: ['?token=', '&a_token_token', '?', '?token=[redacted]&'],
  secret_assignment: [
    'password=',
    'password=f(',
    'password=required-',
    'page_token=',
    'password:   ',
    'password="',
    'secret=====a ',
    'password: requir ',
    'cookie: a=',
    'cookie:aaaaaaaaa',
    'authorization: bearer ',
    '\\\\\\"token\\\\\\":',
  ],
  bearer_token: ['Bearer', 'Bearer ', ' bearer abcdefghijk', 'Bearer authentication '],
};

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
