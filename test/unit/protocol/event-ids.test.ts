import { describe, expect, it } from 'vitest';
import { eventIdBehind, eventIdOf, eventNumberOf, partitionOf } from '#protocol/ports.ts';

const MOST = Number.MAX_SAFE_INTEGER;

describe('event ids', () => {
  it('have 20 digits, of which the first four are the partition', () => {
    expect([eventIdOf(7), eventIdOf(7, '0003'), eventIdOf(MOST), eventIdOf(MOST, '9999')]).toEqual([
      '00000000000000000007',
      '00030000000000000007',
      '00009007199254740991',
      '99999007199254740991',
    ]);
  });

  it('give back number and partition', () => {
    const id = eventIdOf(MOST, '0123');
    expect([eventNumberOf(id), partitionOf(id)]).toEqual([MOST, '0123']);
  });

  it('are counted on within their partition', () => {
    const id = eventIdOf(40, '0002');
    expect([eventIdBehind(id, 2), eventIdBehind(id, -39), eventIdBehind(id, 0)]).toEqual(
      [42, 1, 40].map((n) => eventIdOf(n, '0002')),
    );
  });

  it.each([-1, 0.5, MOST + 1, Number.NaN])('have no number %d', (n) => {
    expect(() => eventIdOf(n)).toThrow(RangeError);
  });
});
