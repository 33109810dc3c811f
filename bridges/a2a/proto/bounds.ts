import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonValue } from '#protocol/json.ts';

/**
 * A field may have two bytes and becomes an object of a hundred, made in one go: without a bound one message of 4 MiB would keep
 * everybody else waiting for seconds. This many take a tenth of one.
 */
export const MAX_FIELDS = 50_000;
/** A field has its number and at least one byte more. */
const FIELD_BYTES = 2;
/** The library refuses what is nested more deeply. */
const MAX_DEPTH = 100;
const FORBIDDEN = '__proto__';

/** A message of more fields than are read. */
export class TooManyFields extends Error {
  override readonly name = 'TooManyFields';

  constructor() {
    super(`it has more than ${MAX_FIELDS} fields.`);
  }
}

/** Throws TooManyFields; and for bytes that are no message where they are looked at. */
export function refuseManyFields(message: DescMessage, bytes: Uint8Array): void {
  if (bytes.length <= MAX_FIELDS * FIELD_BYTES) return;
  const reader = new BinaryReader(bytes);
  if (fieldsLeft({ message }, reader, bytes.length, MAX_FIELDS, 0) < 0) throw new TooManyFields();
}

/** What the bytes of a field are made of: a message, or an entry of a map. */
type Made = { message: DescMessage } | { entryOf: DescMessage };

/** How many of `left` fields are left behind those that end at `end`; below zero once there were more. */
function fieldsLeft(made: Made, reader: BinaryReader, end: number, left: number, depth: number): number {
  let more = left;
  while (reader.pos < end && more >= 0) {
    const [number, type] = reader.tag();
    more -= 1;
    const inner = type === WireType.LengthDelimited && depth < MAX_DEPTH ? insideOf(made, number) : undefined;
    if (inner === undefined) reader.skip(type, number);
    else {
      const length = reader.uint32();
      more = fieldsLeft(inner, reader, reader.pos + length, more, depth + 1);
    }
  }
  return more;
}

/** Number of the value in an entry of a map. Spec: Protocol Buffers, "Maps". */
const VALUE = 2;

function insideOf(made: Made, number: number): Made | undefined {
  if ('entryOf' in made) return number === VALUE ? { message: made.entryOf } : undefined;
  return membersOf(made.message).get(number);
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, Made>>();

function membersOf(message: DescMessage): ReadonlyMap<number, Made> {
  const found = known.get(message);
  if (found !== undefined) return found;
  const members = new Map(message.fields.flatMap((field) => madeOf(field)));
  known.set(message, members);
  return members;
}

function madeOf(field: DescField): [number, Made][] {
  const { message, number } = field;
  if (message === undefined) return [];
  return [[number, field.fieldKind === 'map' ? { entryOf: message } : { message }]];
}

/** Throws for a member that no JSON from outside may have. Few messages have its name at all, so that few are looked through. */
export function refuseNames(bytes: Uint8Array, json: JsonValue): void {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(FORBIDDEN) && isNamed(json))
    throw new Error(`it has a member named ${FORBIDDEN}.`);
}

function isNamed(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, FORBIDDEN) || Object.values(value).some(isNamed);
}

/** Whether a value has more arrays and objects inside of each other than so many. */
export function isDeeper(value: JsonValue, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}
