import { describe, expect, it } from 'vitest';
import { encodeRow, idsOfRow } from '../../../src/eventlog/stream-row.ts';
import { eventIdOf } from '../../../src/store/keys.ts';
import { IntegrityError } from '../../../src/store/store-errors.ts';

describe('a row of a stream', () => {
  it.each([[[1]], [[4, 5, 6]], [[7, 9, 1_000_000_000_001]]])('holds the events %j', (numbers) => {
    const ids = numbers.map(eventIdOf);
    const [key, row] = encodeRow('es/session_1/', ids);
    expect(key).toBe(`es/session_1/${ids.at(-1)}`);
    expect(idsOfRow(key, Buffer.from(row))).toEqual(ids);
  });

  it('is empty for one event, and says how far the others are before the last', () => {
    expect(encodeRow('et/t/', [eventIdOf(3)])[1]).toBe('');
    expect(encodeRow('et/t/', [4, 5, 8].map(eventIdOf))[1].slice(8)).toBe('4,3');
  });

  it('is refused with a bit flipped', () => {
    const [key, text] = encodeRow('et/t/', [4, 5, 8].map(eventIdOf));
    const row = Buffer.from(text);
    row[9] = (row[9] ?? 0) ^ 1;
    expect(() => idsOfRow(key, row)).toThrow(IntegrityError);
  });
});
