import { describe, expect, it } from 'vitest';
import { checked, contentOfChecked } from '#store/sealed-record.ts';
import { IntegrityError } from '#store/store-errors.ts';

describe('a derived record', () => {
  it('is the CRC-32 of its key and content, and the content', () => {
    // CRC-32 of the text "123456789" is cbf43926, the check value of the algorithm.
    expect(checked('6789', '12345')).toBe('cbf439266789');
  });

  it.each(['', 'x', '{"state":{"note":"grün ✓ 𝄞"}}'])('gives its content back: %s', (text) => {
    expect(contentOfChecked(Buffer.from(checked(text, 'r/task/1')), 'r/task/1').toString()).toBe(text);
  });

  it('is refused with any bit flipped, cut short, or under another key', () => {
    const record = Buffer.from(checked('a state', 'r/task/1'));
    for (let bit = 0; bit < record.length * 8; bit += 1) {
      const damaged = Buffer.from(record);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => contentOfChecked(damaged, 'r/task/1'), `bit ${bit}`).toThrow(IntegrityError);
    }
    for (let length = 0; length < record.length; length += 1)
      expect(() => contentOfChecked(record.subarray(0, length), 'r/task/1')).toThrow(IntegrityError);
    expect(() => contentOfChecked(record, 'r/task/2')).toThrow(IntegrityError);
  });
});
