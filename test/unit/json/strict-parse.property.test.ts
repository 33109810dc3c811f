import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrict } from '#json/strict-parse.ts';
import { locate } from '#json/walk.ts';
import { ProtocolError } from '#protocol/errors.ts';

const LIMITS = { maxBytes: 1024 * 1024 };
const name = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__proto__');
const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.boolean(),
  fc.constant(null),
);
const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 12 }),
  map: fc.dictionary(name, tie('value'), { maxKeys: 14, noNullPrototype: true }),
})).value;

/** The same name with every character escaped. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the strict reader, for generated documents', () => {
  it('agrees with JSON.parse on every valid document', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseStrict(Buffer.from(text), LIMITS)).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 400 },
    );
  });

  it('finds a duplicate name wherever it stands and however it is escaped', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        document,
        fc.boolean(),
        fc.boolean(),
        (names, pick, value, hidden, first) => {
          const double = names[pick % names.length] ?? '';
          const spelled = names.map((each) => `${JSON.stringify(each)}:${JSON.stringify(value)}`);
          const again = `${hidden ? escaped(double) : JSON.stringify(double)}:0`;
          const members = first ? [again, ...spelled] : [...spelled, again];
          const text = `{"outer":[{${members.join(',')}}]}`;
          expect(() => parseStrict(Buffer.from(text), LIMITS)).toThrow('the same member name twice');
        },
      ),
      { numRuns: 400 },
    );
  });

  it('answers any bytes with a value or a ProtocolError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseStrict(bytes, LIMITS);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds a violation of the grammar exactly when JSON.parse does', () => {
    const noise = fc.array(
      fc.constantFrom(...'{}[],:"\\ue10.-+tn x', 'true', 'null', '"a"', '{"a":1}', '[1,2]'),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(noise, (pieces) => {
        const text = pieces.join('');
        expect(locate(text, Number.POSITIVE_INFINITY)?.violation ?? false).toBe(!parses(text));
      }),
      { numRuns: 3000 },
    );
  });
});
