import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWN_WORD } from '#redaction/own-words.ts';
import { PatternScanner } from '#redaction/pattern-scanner.ts';
import { CONTEXTS, SHAPES, URL_PARTS } from '#redaction/patterns.ts';
import { RecentTexts, Redactor } from '#redaction/redactor.ts';

describe('texts that were found clean', () => {
  it('are known for a while, and forgotten before they fill the memory', () => {
    const texts = new RecentTexts();
    texts.add('first');
    for (let n = 0; n < 4_096; n += 1) texts.add(`text ${n}`);
    expect(texts.has('text 4095')).toBe(true);
    for (let n = 4_096; n < 12_288; n += 1) texts.add(`text ${n}`);
    expect(texts.has('first')).toBe(false);
  });

  it('stay known while they are asked for', () => {
    const texts = new RecentTexts();
    texts.add('asked for');
    for (let n = 0; n < 20_000; n += 1) {
      texts.add(`text ${n}`);
      if (n % 1_000 === 0) expect(texts.has('asked for')).toBe(true);
    }
  });

  it('are not kept when they are long', () => {
    const texts = new RecentTexts();
    texts.add('x'.repeat(1_025));
    expect(texts.has('x'.repeat(1_025))).toBe(false);
  });

  it('are searched again once another secret is known', () => {
    const redactor = new Redactor();
    expect(redactor.redactText('the word is xyzzy-plugh-42')).toBe('the word is xyzzy-plugh-42');
    redactor.addKnownSecret('xyzzy-plugh-42');
    expect(redactor.redactText('the word is xyzzy-plugh-42')).toBe('the word is <redacted:known_secret:14>');
  });
});

describe('ids, hashes and times as the gateway writes them', () => {
  const objects = [
    'artifact',
    'event',
    'memory',
    'message',
    'outcome',
    'permission_request',
    'receipt',
    'task',
  ];
  const ulid = fc
    .tuple(fc.constantFrom(...'01234567'), fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{25}$/))
    .map(([first, rest]) => first + rest);
  const id = fc.tuple(fc.constantFrom(...objects), ulid).map(([object, rest]) => `${object}_${rest}`);
  const hash = fc.stringMatching(/^sha256:[0-9a-f]{64}$/);
  const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') });
  const word = fc.oneof(
    id,
    id.map((text) => `${text}.2`),
    hash,
    time.map((at) => at.toISOString()),
  );

  it('need no pattern, because none would find a secret in them', () => {
    const tables = [SHAPES, CONTEXTS, URL_PARTS].map((patterns) => new PatternScanner(patterns));
    fc.assert(
      fc.property(word, (text) => {
        expect(OWN_WORD.test(text)).toBe(true);
        for (const table of tables) expect(table.scan(text).hits).toEqual([]);
      }),
    );
  });

  it('are known secrets nevertheless where somebody says so', () => {
    fc.assert(
      fc.property(word, (text) => {
        const redactor = new Redactor();
        redactor.addKnownSecret(text);
        const found = redactor.redactValue({ of: [text] });
        expect(found.value).toEqual({ of: [`<redacted:known_secret:${text.length}>`] });
      }),
      { numRuns: 10 },
    );
  });

  it.each([
    `hf_${'0'.repeat(26)}`,
    `ghp_${'0'.repeat(26)}`,
    `token_${'0'.repeat(26)}`,
    `task_${'0'.repeat(26)}?password=x`,
    `password=task_${'0'.repeat(26)}`,
    `sha256:${'a'.repeat(63)}`,
  ])('are nothing else: %s', (text) => {
    expect(OWN_WORD.test(text)).toBe(false);
  });
});
