import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH, parseStrict, parseStrictText } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { corpus } from './corpus.ts';

const LIMITS = { maxBytes: 16 * 1024 * 1024 };

function parse(text: string, maxBytes: number = LIMITS.maxBytes): unknown {
  return parseStrict(Buffer.from(text), { maxBytes });
}

function refusal(run: () => unknown): ProtocolError {
  try {
    run();
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
  throw new Error('the text was accepted');
}

/** Objects in objects, the innermost value 1. */
function nested(depth: number, name = 'a'): string {
  return [`{"${name}":`.repeat(depth), '1', '}'.repeat(depth)].join('');
}

describe('J-01 the strict reader', () => {
  it.each(corpus('accepted'))('accepts $id as JSON.parse reads it', ({ bytes }) => {
    expect(isDeepStrictEqual(parseStrict(bytes, LIMITS), JSON.parse(bytes.toString()))).toBe(true);
  });

  it.each(corpus('refused'))('refuses $id for its reason', ({ bytes, reason }) => {
    const error = refusal(() => parseStrict(bytes, LIMITS));
    expect(error.code).toBe('invalid_request');
    expect(error.details?.['reason']).toBe(reason);
    expect(error.details?.['byte_offset']).toBeLessThanOrEqual(bytes.length);
  });

  it('keeps negative zero', () => {
    expect(Object.is(parse('-0'), -0)).toBe(true);
  });
});

describe('J-02 nesting', () => {
  it('accepts 64 levels and refuses 65', () => {
    expect(MAX_JSON_DEPTH).toBe(64);
    expect(() => parse('['.repeat(64) + ']'.repeat(64))).not.toThrow();
    expect(() => parse(nested(64))).not.toThrow();
    expect(refusal(() => parse('['.repeat(65) + ']'.repeat(65))).details?.['reason']).toBe('depth');
    expect(refusal(() => parse(nested(65))).details?.['reason']).toBe('depth');
  });

  it('does not count levels that are closed again', () => {
    expect(() => parse(`[${'[[]],'.repeat(1000)}[]]`)).not.toThrow();
  });

  it.each(['[', '{"a":', '[{"a":'])('refuses a million openings of %s without recursion', (opening) => {
    const error = refusal(() => parse(opening.repeat(1_000_000)));
    expect(error.details?.['reason']).toBe('depth');
    expect(error.details?.['byte_offset']).toBeLessThan(500);
  });

  it('takes a smaller depth from the caller', () => {
    expect(() => parseStrict(Buffer.from('[[]]'), { maxBytes: 10, maxDepth: 2 })).not.toThrow();
    expect(() => parseStrict(Buffer.from('[[[]]]'), { maxBytes: 10, maxDepth: 2 })).toThrow(ProtocolError);
  });
});

describe('J-04 names of prototypes', () => {
  it('keeps every name but __proto__ as an own member and pollutes nothing', () => {
    const text =
      '{"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":2,"then":3,"toJSON":4}';
    const value = parse(text);
    expect(JSON.stringify({ ...(value as object), toJSON: 4 })).toBe(text);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('J-05 numbers', () => {
  it('refuses a million digits, as an integer and as a fraction', () => {
    expect(refusal(() => parse('9'.repeat(1_000_000))).details?.['reason']).toBe('number');
    expect(refusal(() => parse(`0.${'9'.repeat(1_000_000)}`)).details?.['reason']).toBe('number');
  });
});

describe('J-07 size', () => {
  it('accepts a text of exactly the limit and refuses one byte more as too large', () => {
    expect(parse('"12345678"', 10)).toBe('12345678');
    const error = refusal(() => parse('"123456789"', 10));
    expect(error.code).toBe('payload_too_large');
    expect(error.details).toEqual({ max_bytes: 10 });
  });

  it('counts bytes, not characters', () => {
    expect(refusal(() => parse('"€€€"', 10)).code).toBe('payload_too_large');
  });

  it('reads 200,000 members and a string of 10 MB', () => {
    const members = Array.from({ length: 200_000 }, (_, index) => `"k${index}":${index}`).join(',');
    expect(Object.keys(parse(`{${members}}`) as object)).toHaveLength(200_000);
    expect(parse(`"${'x'.repeat(10_000_000)}"`)).toHaveLength(10_000_000);
    expect(refusal(() => parse(`{${members},"k199999":1}`)).details?.['reason']).toBe('duplicate_name');
  });
});

describe('a refusal says where', () => {
  it.each([
    ['{"a":[1,{"b":1,"b":2}]}', 'a[1].b', 15],
    ['{"parts":[{"text":"x","n":1e400}]}', 'parts[0].n', 26],
    ['{"a":{"x":[true,"\\ud800"]}}', 'a.x[1]', 17],
    ['{"metadata":{"__proto__":1}}', 'metadata.__proto__', 13],
    ['{"a":[1,2,tru]}', 'a[2]', 10],
    ['{"a":[[0],[0] "x"]}', 'a[1]', 14],
    ['["é", nope]', '[1]', 7],
  ])('%s at %s, byte %i', (text, param, offset) => {
    const error = refusal(() => parse(text));
    expect(error.param).toBe(param);
    expect(error.details?.['byte_offset']).toBe(offset);
  });

  it('names the byte of a bad UTF-8 sequence and of a cut one', () => {
    expect(
      refusal(() => parseStrict(Buffer.from('5b22c3a9ff225d', 'hex'), LIMITS)).details?.['byte_offset'],
    ).toBe(4);
    expect(refusal(() => parseStrict(Buffer.from('5b22e282', 'hex'), LIMITS)).details?.['byte_offset']).toBe(
      4,
    );
  });

  it('calls a text malformed when the grammar breaks before the fault', () => {
    expect(refusal(() => parse('{"a" 1, "b":1e400}')).details?.['reason']).toBe('syntax');
  });

  it('never repeats the input, not even an unusual member name', () => {
    const secret = 'sk-live:Zm9vYmFy/0123456789+hunter2 and more than thirty-two characters';
    for (const text of [
      `["${secret}" oops]`,
      `{"${secret}":tru}`,
      `{"${secret}":1,"${secret}":2}`,
      `${secret}`,
    ]) {
      const error = refusal(() => parse(text));
      expect(JSON.stringify([error.toBody('req'), String(error.cause)])).not.toContain('hunter2');
    }
  });

  it('leaves out a path that would make the answer grow', () => {
    const text = nested(60, 'n'.repeat(30)).replace('1', 'x');
    expect(refusal(() => parse(text)).param).toBeUndefined();
  });
});

describe('a text that is a string already', () => {
  it('obeys the same rules', () => {
    expect(parseStrictText('{"a":[1]}')).toEqual({ a: [1] });
    expect(refusal(() => parseStrictText('{"a":1,"a":1}')).details?.['reason']).toBe('duplicate_name');
    expect(refusal(() => parseStrictText('["x\ud800"]')).details?.['reason']).toBe('surrogate');
    expect(refusal(() => parseStrictText('\ufeff[]')).details?.['reason']).toBe('byte_order_mark');
  });
});
