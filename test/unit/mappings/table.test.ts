import { describe, expect, it } from 'vitest';
import { wordTable } from '../../../mappings/table.ts';

type Harn = 'YES' | 'NO';
type Foreign = 'y' | 'n' | 'maybe';

const table = wordTable<Harn, Foreign>()({
  toForeign: { YES: 'y', NO: 'n' },
  fromForeign: { y: 'YES', n: 'NO', maybe: { to: 'NO', loses: 'the doubt' } },
  aliases: { yes: 'y' },
});

describe('a word table', () => {
  it('looks up both ways, and takes other spellings in', () => {
    expect(table.encode('YES')).toEqual({ known: true, word: 'y', loses: undefined });
    expect(table.decode('yes')).toEqual({ known: true, word: 'YES', loses: undefined });
  });

  it('says with each lossy look-up what is lost', () => {
    expect(table.decode('maybe')).toEqual({ known: true, word: 'NO', loses: 'the doubt' });
  });

  it('answers an unknown word with the word itself, never with a guess', () => {
    expect(table.decode('Y')).toEqual({ known: false, raw: 'Y', loses: undefined });
    expect(table.decode('toString')).toEqual({ known: false, raw: 'toString', loses: undefined });
  });
});
