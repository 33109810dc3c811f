import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seal, sealedHash, unseal } from '../../../src/store/sealed-record.ts';
import { IntegrityError } from '../../../src/store/store-errors.ts';

describe('a sealed record', () => {
  it('is the raw SHA-256 of the content and then the content', () => {
    const content = Buffer.from('{"a":1}');
    const digest = createHash('sha256').update(content).digest();
    expect(seal(content)).toEqual(Buffer.concat([digest, content]));
    expect(sealedHash(seal(content))).toBe(digest.toString('hex'));
  });

  it('treats a string as its UTF-8 bytes', () => {
    expect(seal('grün ✓ 𝄞')).toEqual(seal(Buffer.from('grün ✓ 𝄞')));
  });

  it('gives back what was sealed, also nothing', () => {
    for (const text of ['', 'x', 'y'.repeat(70_000)]) expect(unseal(seal(text), 'e/1').toString()).toBe(text);
  });

  it('refuses every flipped bit and names the place and both hashes', () => {
    const record = seal('an event');
    const expected = sealedHash(record);
    for (let bit = 0; bit < record.length * 8; bit += 1) {
      const damaged = Buffer.from(record);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => unseal(damaged, 'e/1'), `bit ${bit}`).toThrow(IntegrityError);
    }
    record.write('X', 32 + 3);
    expect(() => unseal(record, 'e/1')).toThrow(
      expect.objectContaining({ where: 'e/1', expected, observed: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    );
  });

  it('refuses a record cut at any length', () => {
    const record = seal('an event');
    for (let length = 0; length < record.length; length += 1)
      expect(() => unseal(record.subarray(0, length), 'e/1'), `length ${length}`).toThrow(IntegrityError);
  });
});
