import { sha256Hex } from '#json/canonical.ts';
import { KEY_KINDS } from '#store/keys.ts';
import { sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { isDerivedRow, rowHash } from '../base-row.ts';
import { readCommit } from '../commit-walk.ts';
import type { LogHead } from '../event-log.ts';

/**
 * A batch of the store as one message: a line that names the form, the length of the list of operations, that list as JSON, and
 * the values one behind the other. `[key]` deletes, `[key, bytes]` puts what follows, `[key, bytes, object]` puts an object.
 */
type PackedOp = [key: string] | [key: string, bytes: number] | [key: string, bytes: number, object: string];

const FORM = 'harn-batch-1\n';
const LENGTH_BYTES = 4;
/** A record above this size travels as an object. */
const LARGE_RECORD_BYTES = 64 * 1024;
/** Half of what servers take by default. */
const MAX_MESSAGE_BYTES = 512 * 1024;

const SEQ_DIGITS = 16;
/** What begins the names of the objects of a message. */
export const objectPrefix = (seq: number): string => String(seq).padStart(SEQ_DIGITS, '0');

export interface PackedBatch {
  message: Buffer;
  /** By their names; they have to be there before the message. */
  objects: Map<string, Buffer>;
}

/** Packs the operations of a batch, in their order. `prefix` begins the name of each object. */
export function packBatch(ops: readonly WriteOp[], prefix: string): PackedBatch {
  const objects = new Map<string, Buffer>();
  const values: Buffer[] = [];
  const list = ops.map((op): PackedOp => {
    if (op.type === 'del') return [op.key];
    const value = Buffer.from(op.value);
    if (value.length > LARGE_RECORD_BYTES) return [op.key, value.length, asObject(objects, prefix, value)];
    values.push(value);
    return [op.key, value.length];
  });
  const message = framed(list, values);
  if (message.length <= MAX_MESSAGE_BYTES) return { message, objects };
  // The message names the one object that is the message.
  const whole: PackedOp = [WHOLE, message.length, asObject(objects, prefix, message)];
  return { message: framed([whole], []), objects };
}

/** No key of a record. */
const WHOLE = '';

function asObject(objects: Map<string, Buffer>, prefix: string, bytes: Buffer): string {
  const name = `${prefix}-${sha256Hex(bytes)}`;
  objects.set(name, bytes);
  return name;
}

function framed(list: readonly PackedOp[], values: readonly Buffer[]): Buffer {
  const json = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([Buffer.from(FORM), length, json, ...values]);
}

/** Of keys and values; a message stays below its limit. */
const PIECE_BYTES = 256 * 1024;
const OWN_ROWS = KEY_KINDS.meta.prefix;

/** All rows of a store but the node's own, in batches of which each makes one message. */
export async function* rowsOf(store: Pick<Store, 'entries'>): AsyncGenerator<WriteOp[], void> {
  let piece: WriteOp[] = [];
  let bytes = 0;
  for await (const page of store.entries({}))
    for (const [key, value] of page) {
      if (key.startsWith(OWN_ROWS)) continue;
      piece.push({ type: 'put', key, value });
      bytes += key.length + value.length;
      if (bytes < PIECE_BYTES) continue;
      yield piece;
      piece = [];
      bytes = 0;
    }
  if (piece.length > 0) yield piece;
}

/** Reads the object with this name; rejects with IntegrityError when there is none. */
export type ReadObject = (name: string) => Promise<Buffer>;

/** The operations of a batch. Rejects with IntegrityError for a message that was not packed so; `where` names it. */
export async function unpackBatch(message: Buffer, where: string, read: ReadObject): Promise<WriteOp[]> {
  const list = listOf(message, where);
  const [first] = list;
  if (first?.[0] === WHOLE) return unpackBatch(await objectOf(first[2], where, read), where, read);
  let at = valuesAt(message);
  const ops: WriteOp[] = [];
  for (const [key, bytes, object] of list) {
    if (bytes === undefined) ops.push({ type: 'del', key });
    else if (object !== undefined) ops.push({ type: 'put', key, value: await objectOf(object, where, read) });
    else {
      ops.push({ type: 'put', key, value: message.subarray(at, at + bytes) });
      at += bytes;
    }
  }
  if (at !== message.length) throw new IntegrityError(where, `${at} bytes`, `${message.length} bytes`);
  return ops;
}

const valuesAt = (message: Buffer): number => FORM.length + LENGTH_BYTES + message.readUInt32BE(FORM.length);

function listOf(message: Buffer, where: string): PackedOp[] {
  const isLongEnough = message.length >= FORM.length + LENGTH_BYTES && message.length >= valuesAt(message);
  if (!isLongEnough || message.toString('latin1', 0, FORM.length) !== FORM)
    throw new IntegrityError(where, 'a batch of the log in form 1', 'another message');
  try {
    const list: unknown = JSON.parse(message.toString('utf8', FORM.length + LENGTH_BYTES, valuesAt(message)));
    if (Array.isArray(list) && list.every(isPackedOp)) return list;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new IntegrityError(where, 'a list of operations', 'other bytes');
}

function isPackedOp(op: unknown): op is PackedOp {
  if (!Array.isArray(op) || op.length < 1 || op.length > 3) return false;
  const [key, bytes, object] = op;
  return (
    typeof key === 'string' &&
    (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0)) &&
    (object === undefined || typeof object === 'string')
  );
}

/** The name of an object ends in its hash. */
async function objectOf(name: string | undefined, where: string, read: ReadObject): Promise<Buffer> {
  const bytes = await read(name ?? '');
  const observed = sha256Hex(bytes);
  if (name?.endsWith(observed) !== true) throw new IntegrityError(where, `object ${name}`, observed);
  return bytes;
}

const COMMIT = KEY_KINDS.commit.prefix;

/** The commit record in a batch: its key and its stored bytes. */
export function commitIn(ops: readonly WriteOp[]): { key: string; sealed: Buffer } | undefined {
  for (const op of ops)
    if (op.type === 'put' && op.key.startsWith(COMMIT)) return { key: op.key, sealed: Buffer.from(op.value) };
  return undefined;
}

/**
 * Checks a batch that came as a message: its commit follows `before`, and every record in it is what the commit says. Returns the
 * head behind it. Throws IntegrityError.
 */
export function checkBatch(ops: readonly WriteOp[], before: LogHead, where: string): LogHead {
  const found = commitIn(ops);
  if (found === undefined) throw new IntegrityError(where, 'a commit', 'a batch without one');
  const { commit, hash, fault } = readCommit(found.key, found.sealed);
  if (commit === undefined)
    throw new IntegrityError(where, fault?.expected ?? 'a commit', fault?.observed ?? 'another record');
  const link = (n: number, previous: string) => `commit ${n} after ${previous}`;
  const expected = link(before.commit + 1, before.hash);
  const observed = link(commit.n, commit.prev_hash);
  if (expected !== observed) throw new IntegrityError(where, expected, observed);
  const values = new Map(ops.map((op) => [op.key, op.type === 'put' ? Buffer.from(op.value) : undefined]));
  for (const [key, sha256] of commit.records) checkRecord(key, sha256, values.get(key), where);
  return { commit: commit.n, hash, eventId: commit.event_id };
}

function checkRecord(key: string, sha256: string, value: Buffer | undefined, where: string): void {
  if (value === undefined) throw new IntegrityError(where, `the record ${key}`, 'no such record');
  if (!isDerivedRow(key)) unseal(value, key);
  const observed = isDerivedRow(key) ? rowHash(key, value) : sealedHash(value);
  if (observed !== sha256) throw new IntegrityError(where, `${key} with hash ${sha256}`, observed);
}
