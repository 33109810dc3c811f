import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { jsonSize } from '#json/large-json.ts';
import type { JsonValue } from '#protocol/json.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('whether a value fits as JSON', () => {
  it('is decided by the bytes of its text, at the limit and beside it', () => {
    const values = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(
        fc.oneof(values, fc.string({ unit: 'binary' })),
        fc.integer({ min: -2, max: 2 }),
        (value, by) => {
          const bytes = Buffer.byteLength(JSON.stringify(value));
          expect(jsonSize(value)).toBe(bytes);
          expect(jsonSize(value, bytes + by) <= bytes + by).toBe(by >= 0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['\u0001'.repeat(100), 602],
    ['\ud800'.repeat(100), 602],
    ['語'.repeat(100), 302],
    [-1.2345678901234e-300, 21],
    [{ ['"'.repeat(50)]: [null, true, false] }, 122],
  ])('counts what is spelled longer than it is: %#', (value, bytes) => {
    expect(jsonSize(value, bytes)).toBe(bytes);
    expect(jsonSize(value, bytes - 1)).toBeGreaterThan(bytes - 1);
  });

  it('makes no text but of words that are spelled longer than they are', () => {
    const text = vi.spyOn(JSON, 'stringify');
    expect(jsonSize({ a2a: { message_id: 'm-1', tags: ['x', 1, null] } }, 64 * 1024)).toBeLessThan(64 * 1024);
    expect(jsonSize(['x'.repeat(20_000)])).toBe(20_004);
    expect(text).not.toHaveBeenCalled();
    expect(jsonSize({ plain: 'x', word: 'ä' })).toBe(25);
    expect(text).toHaveBeenCalledTimes(1);
  });

  it('looks at no more than the limit', () => {
    const parts = Array.from({ length: 1_000 }, () => 'ä'.repeat(1_000));
    const text = vi.spyOn(JSON, 'stringify');
    expect(jsonSize(parts, 5_000)).toBeGreaterThan(5_000);
    expect(text.mock.calls.length).toBeLessThan(4);
  });
});
