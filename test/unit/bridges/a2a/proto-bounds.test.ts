import { describe, expect, it } from 'vitest';
import { isDeeper, MAX_FIELDS, TooManyFields } from '../../../../bridges/a2a/proto/bounds.ts';
import { methodsOf } from '../../../../bridges/a2a/proto/codec.ts';

const codec = methodsOf('1.0').get('SendMessage')?.request;
if (codec === undefined) throw new Error('the service has no SendMessage');
const { decode, encode } = { decode: codec.decode.bind(codec), encode: codec.encode.bind(codec) };

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
const field = (tag: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes]);
const repeated = (unit: number[], times: number) => Buffer.alloc(unit.length * times, Buffer.from(unit));
/** A member of `google.protobuf.Struct`. */
const member = (name: string, value: Buffer) =>
  field(0x0a, Buffer.concat([field(0x0a, Buffer.from(name)), field(0x12, value)]));
const metadata = (struct: Buffer) => field(0x22, struct);

describe('a message of gRPC', () => {
  it.each([
    ['parts of a message', field(0x12, repeated([0x2a, 0], MAX_FIELDS))],
    ['values of a list', metadata(member('list', field(0x32, repeated([0x0a, 0], MAX_FIELDS))))],
    ['members of an object', metadata(repeated([0x0a, 0], MAX_FIELDS + 1))],
    ['fields that nobody knows', repeated([0xf8, 0x3f, 1], MAX_FIELDS + 1)],
  ])('of too many %s is refused before anything is made of it', (_, bytes) => {
    expect(() => decode(bytes)).toThrow(TooManyFields);
  });

  it('may be as large as it likes with few fields', () => {
    const text = 'x'.repeat(4 * MAX_FIELDS);
    const message = { message: { parts: [{ text }] } };
    expect(decode(encode(message))).toEqual(message);
  });

  it('that is cut is none, whatever its size', () => {
    const bytes = field(0x12, repeated([0x2a, 0], MAX_FIELDS));
    expect(() => decode(bytes.subarray(0, -1))).toThrow(/EOF|fields/);
  });

  it('that is nested without end is refused and not followed', () => {
    let value = Buffer.from([0x08, 0]);
    for (let depth = 0; depth < 2_000; depth += 1) value = field(0x32, field(0x0a, value));
    const long = member('long', field(0x1a, Buffer.alloc(2 * MAX_FIELDS, 'x')));
    const bytes = metadata(Buffer.concat([member('deep', value), long]));
    expect(() => decode(bytes)).toThrow('recursion depth');
  });

  it('has no member named __proto__, and may have that as a text', () => {
    const inner = field(0x2a, member('__proto__', Buffer.from([0x08, 0])));
    expect(() => decode(metadata(member('outer', inner)))).toThrow('a member named __proto__');
    const honest = { metadata: { said: '__proto__' }, message: { parts: [{ raw: btoa('__proto__') }] } };
    expect(decode(encode(honest))).toEqual(honest);
  });
});

it('what is deeper than a bound is told from what is as deep', () => {
  expect(isDeeper({ a: [{}] }, 3)).toBe(false);
  expect(isDeeper({ a: [{}] }, 2)).toBe(true);
  expect(isDeeper('text', 0)).toBe(false);
});
