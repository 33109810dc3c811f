import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SEAL_BYTES, seal, sealedHash, unseal } from '#store/sealed-record.ts';
import { IntegrityError } from '#store/store-errors.ts';

describe('a sealed record', () => {
  it('is the raw SHA-256 of the content, the CRC-32 of the key, and then the content', () => {
    const content = Buffer.from('{"a":1}');
    const digest = createHash('sha256').update(content).digest();
    // CRC-32 of "e/1" by the gzip tool.
    const keyCheck = Buffer.from('f29fe88e', 'hex');
    expect(seal(content, 'e/1')).toEqual(Buffer.concat([digest, keyCheck, content]));
    expect(sealedHash(seal(content, 'e/1'))).toBe(digest.toString('hex'));
  });

  it('treats a string as its UTF-8 bytes', () => {
    expect(seal('grün ✓ 𝄞', 'e/1')).toEqual(seal(Buffer.from('grün ✓ 𝄞'), 'e/1'));
  });

  it('gives back what was sealed, also nothing', () => {
    for (const text of ['', 'x', 'y'.repeat(70_000)])
      expect(unseal(seal(text, 'e/1'), 'e/1').toString()).toBe(text);
  });

  it('refuses every flipped bit and names the place and both hashes', () => {
    const record = seal('an event', 'e/1');
    const expected = sealedHash(record);
    for (let bit = 0; bit < record.length * 8; bit += 1) {
      const damaged = Buffer.from(record);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => unseal(damaged, 'e/1'), `bit ${bit}`).toThrow(IntegrityError);
    }
    record.write('X', SEAL_BYTES + 3);
    expect(() => unseal(record, 'e/1')).toThrow(
      expect.objectContaining({ where: 'e/1', expected, observed: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    );
  });

  it('refuses the whole record of another key', () => {
    expect(() => unseal(seal('an event', 'e/2'), 'e/1')).toThrow(IntegrityError);
  });

  it('refuses a record cut at any length', () => {
    const record = seal('an event', 'e/1');
    for (let length = 0; length < record.length; length += 1)
      expect(() => unseal(record.subarray(0, length), 'e/1'), `length ${length}`).toThrow(IntegrityError);
  });
});
