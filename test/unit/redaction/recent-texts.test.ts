import { describe, expect, it } from 'vitest';
import { RecentTexts } from '../../../src/redaction/recent-texts.ts';
import { Redactor } from '../../../src/redaction/redactor.ts';

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
