import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrict } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { BundleFile, type Span } from '#resources/bundle/document/bundle-file.ts';
import { piecesOf } from '#resources/bundle/document/bundle-pieces.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import type { PartSizes } from '#resources/bundle/document/json-structure.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\\"', '[{', '}],:', '\n'));
const scalar = fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 9 }),
  map: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    tie('value'),
    { maxKeys: 6, noNullPrototype: true },
  ),
})).value as fc.Arbitrary<JsonValue>;
const spelled = fc
  .tuple(document, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

/** So small that documents of a few bytes have large parts, in several groups, over many blocks. */
const few = fc.integer({ min: 1, max: 25 });
const sizes: fc.Arbitrary<PartSizes> = fc
  .record({ group: few, more: fc.nat({ max: 20 }), block: few, window: few })
  .map(({ group, more, ...rest }) => ({ ...rest, group, whole: group + more }));

/** The value put together from its parts, as small as the file gives them. */
function rebuilt(file: BundleFile, span: Span): JsonValue {
  if (file.isObject(span))
    return Object.fromEntries([...file.entries(span)].map(([name, value]) => [name, rebuilt(file, value)]));
  if (file.isList(span)) return [...file.items(span)].map((item) => rebuilt(file, item));
  return file.parse(span);
}

/** Whether all of it is taken, read as an import reads it. */
function isTaken(bytes: Buffer, given: PartSizes): boolean {
  try {
    const file = new BundleFile(inMemory(bytes), given);
    for (const piece of piecesOf(file)) expect(piece.value).toBeDefined();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError);
    return false;
  }
}

function isStrict(bytes: Buffer): boolean {
  try {
    parseStrict(bytes, { maxBytes: bytes.length });
    return true;
  } catch {
    return false;
  }
}

describe('a bundle that is read in parts', () => {
  it('gives what JSON.parse gives, whatever the parts are', () => {
    fc.assert(
      fc.property(spelled, sizes, fc.nat({ max: 9 }), (json, given, from) => {
        const file = new BundleFile(inMemory(Buffer.from(json)), given);
        const expected = JSON.parse(json) as JsonValue;
        expect(file.parse(file.root)).toStrictEqual(expected);
        expect(rebuilt(file, file.root)).toStrictEqual(expected);
        const items = [...file.values(file.root, { from })];
        const wanted = Array.isArray(expected) ? expected.slice(from) : [];
        expect(items.map(({ value }) => value)).toStrictEqual(wanted);
        expect(items.map(({ index }) => index)).toStrictEqual(wanted.map((_, at) => from + at));
      }),
      { numRuns: 500 },
    );
  });

  it('takes what the strict reader takes, and nothing else, when bytes of it are changed', () => {
    const sign = fc.constantFrom(...'[]{}:,"\\ 0-.etnu\u00e9\u0001');
    const edit = fc.record({ at: fc.nat(), less: fc.nat({ max: 2 }), sign, isCut: fc.boolean() });
    fc.assert(
      fc.property(spelled, fc.array(edit, { maxLength: 2 }), sizes, (json, edits, given) => {
        let changed = json;
        for (const { at, less, sign: more, isCut } of edits) {
          const place = at % (changed.length + 1);
          changed = changed.slice(0, place) + (isCut ? '' : more) + changed.slice(place + less);
        }
        const bytes = Buffer.from(changed, 'latin1');
        expect(isTaken(bytes, given), changed).toBe(isStrict(bytes));
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['a name that is no name', '{"a":1,"__proto__":{"b":1}}'],
    ['a name twice', '{"a":1,"b":[1,2,3],"\\u0061":2}'],
    ['something behind the end', '[[1,2,3]] 1'],
    ['something behind a large part', '[[1,2,3] 4]'],
    ['something before a large part', '[a[1,2,3]]'],
    ['no value between commas', '[[1,2,3],,[4]]'],
    ['a comma at the end', '{"a":[1,2,3],}'],
    ['an end of another kind', '[[1,2,3}]'],
    ['a member without a name', '{[1,2,3]}'],
  ])('refuses %s', (_, json) => {
    const given = { whole: 4, group: 2, block: 3, window: 3 };
    expect(isTaken(Buffer.from(json), given)).toBe(false);
    expect(isTaken(Buffer.from(json), { ...given, whole: 1_000 })).toBe(false);
  });

  it('refuses an item that is larger than asked for, before it is read', () => {
    const given = { whole: 10, group: 4, block: 8, window: 8 };
    const file = new BundleFile(inMemory(Buffer.from(JSON.stringify(['short', 'x'.repeat(40)]))), given);
    const values = file.values(file.root, { maxBytes: 30 });
    expect(values.next().value).toMatchObject({ value: 'short' });
    expect(() => values.next()).toThrow('more than 30 bytes of one item: byte 9');
    expect([...file.values(file.root, { maxBytes: 50 })]).toHaveLength(2);
  });

  it('refuses a text that is too long to be held, as soon as its end is seen', () => {
    const size = 97 * 1024 * 1024;
    const source = {
      size,
      read(start: number, end: number) {
        const bytes = Buffer.alloc(end - start, 'x');
        if (start === 0) bytes.write('"');
        if (end === size) bytes.write('"', bytes.length - 1);
        return bytes;
      },
    };
    expect(() => new BundleFile(source).root).toThrow('more than a text of 100663296 bytes: byte 0');
  });

  it('leaves out long lists and long texts of a skeleton', () => {
    const given = { whole: 10, group: 4, block: 8, window: 8 };
    const bundle = { a: [1, 2, 3, 4, 5, 6, 7], b: { c: 'x'.repeat(20), d: 1 }, e: [1] };
    const file = new BundleFile(inMemory(Buffer.from(JSON.stringify(bundle))), given);
    expect(file.skeleton()).toEqual({ a: [], b: { c: '...', d: 1 }, e: [1] });
  });

  it('is never held: what is read at a time stays small, however long it is', () => {
    const item = JSON.stringify({ text: 'x'.repeat(500), list: [1, 2, 3] });
    const json = Buffer.from(`{"rows":[${Array.from({ length: 5_000 }, () => item).join(',')}]}`);
    let most = 0;
    const source = {
      size: json.length,
      read(start: number, end: number) {
        most = Math.max(most, end - start);
        return json.subarray(start, end);
      },
    };
    const file = new BundleFile(source);
    for (const piece of piecesOf(file)) expect(piece.value).toBeDefined();
    expect([...file.values(file.find('rows'))].length).toBe(5_000);
    expect(json.length).toBeGreaterThan(8 * most);
  });
});
