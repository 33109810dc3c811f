import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { WriteOp } from './store.ts';

/**
 * Blocks of bytes in one stream, of which nothing can be changed, left out or added without being seen. The stream begins with the
 * magic word; a block is its type (one byte), the length of its bytes (4, big-endian), the CRC-32 of these five, its bytes, and the
 * SHA-256 over the hash of the block before, its type and its bytes. The block of type `E` is the last one.
 */
export interface Block {
  /** One ASCII character. */
  type: string;
  bytes: Buffer;
}

/** A block that was read, with the hash of all before it: lower-case hex. */
export interface ReadBlock extends Block {
  digestBefore: string;
}

const MAGIC = Buffer.from('HARNBKP1');
const HEAD_BYTES = 9;
const LENGTH_AT = 1;
const CHECK_AT = 5;
const HASH_BYTES = 32;
/** Longer ones are not believed. */
const MAX_BLOCK_BYTES = 1024 * 1024 * 1024;
export const LAST_BLOCK = 'E';

/**
 * `foreign`: it does not begin like one. `cut`: it ends before its last block. `damaged`: a block is not what was written. `at` is the
 * byte at which that block begins.
 */
export class BlockStreamError extends Error {
  override readonly name = 'BlockStreamError';
  readonly fault: 'foreign' | 'cut' | 'damaged';
  readonly at: number;

  constructor(fault: BlockStreamError['fault'], at: number) {
    super(`The stream is ${fault} at byte ${at}.`);
    this.fault = fault;
    this.at = at;
  }
}

function digestOf(before: Buffer, { type, bytes }: Block): Buffer {
  return createHash('sha256').update(before).update(type, 'latin1').update(bytes).digest();
}

const START = createHash('sha256').update(MAGIC).digest();

/** Makes the bytes of a stream, one block after the other. */
export class BlockWriter {
  #digest: Buffer = START;

  /** The hash of all blocks so far, lower-case hex. */
  get digest(): string {
    return this.#digest.toString('hex');
  }

  begin(): Buffer {
    return MAGIC;
  }

  write(block: Block): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(block.type, 'latin1');
    head.writeUInt32BE(block.bytes.length, LENGTH_AT);
    head.writeUInt32BE(crc32(head.subarray(0, CHECK_AT)), CHECK_AT);
    this.#digest = digestOf(this.#digest, block);
    return Buffer.concat([head, block.bytes, this.#digest]);
  }
}

/** The blocks of streams that follow each other. Throws BlockStreamError; holds one block at a time. */
export async function* readBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadBlock, void> {
  const bytes = new Bytes(source);
  try {
    do yield* readStream(bytes);
    while (!(await bytes.isAtEnd()));
  } finally {
    await bytes.close();
  }
}

async function* readStream(bytes: Bytes): AsyncGenerator<ReadBlock, void> {
  const begin = bytes.at;
  const magic = await bytes.take(MAGIC.length);
  if (magic?.equals(MAGIC) !== true) throw new BlockStreamError('foreign', begin);
  let digest: Buffer = START;
  for (;;) {
    const at = bytes.at;
    const take = async (size: number): Promise<Buffer> => {
      const taken = await bytes.take(size);
      if (taken === undefined) throw new BlockStreamError('cut', at);
      return taken;
    };
    const head = await take(HEAD_BYTES);
    const length = head.readUInt32BE(LENGTH_AT);
    const isHead = head.readUInt32BE(CHECK_AT) === crc32(head.subarray(0, CHECK_AT));
    if (!isHead || length > MAX_BLOCK_BYTES) throw new BlockStreamError('damaged', at);
    const block = { type: head.toString('latin1', 0, LENGTH_AT), bytes: await take(length) };
    const digestBefore = digest.toString('hex');
    digest = digestOf(digest, block);
    if (!digest.equals(await take(HASH_BYTES))) throw new BlockStreamError('damaged', at);
    yield { ...block, digestBefore };
    if (block.type === LAST_BLOCK) return;
  }
}

/** Takes exact numbers of bytes of what comes in pieces. */
class Bytes {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Buffer[] = [];
  #size = 0;
  /** Taken so far. */
  at = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Undefined where fewer are left. */
  async take(size: number): Promise<Buffer | undefined> {
    if (!(await this.#hold(size))) return undefined;
    const all = this.#held.length === 1 ? (this.#held[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#held);
    this.#held = all.length === size ? [] : [all.subarray(size)];
    this.#size -= size;
    this.at += size;
    return all.subarray(0, size);
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#hold(1));
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #hold(size: number): Promise<boolean> {
    while (this.#size < size) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      this.#held.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength));
      this.#size += next.value.byteLength;
    }
    return true;
  }
}

const KEY_LENGTH_BYTES = 2;
const VALUE_LENGTH_BYTES = 4;
/** In the place of the length of a value: the key goes. */
const GONE = 0xffffffff;

/** Writes of a store as bytes: for each the length of its key (2), that of its value (4), the key, the value. */
export function encodeOps(ops: readonly WriteOp[]): Buffer {
  return Buffer.concat(ops.flatMap(encodeOp));
}

function encodeOp(op: WriteOp): Buffer[] {
  const value = op.type === 'put' ? bytesOf(op.value) : undefined;
  const head = Buffer.alloc(KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES + op.key.length);
  head.writeUInt16BE(op.key.length);
  head.writeUInt32BE(value?.length ?? GONE, KEY_LENGTH_BYTES);
  head.write(op.key, KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES, 'latin1');
  return value === undefined ? [head] : [head, value];
}

/** Throws RangeError for what `encodeOps` does not make. */
export function decodeOps(bytes: Buffer): WriteOp[] {
  const ops: WriteOp[] = [];
  const take = (at: number, size: number): Buffer => {
    if (at + size > bytes.length) throw new RangeError('The writes are cut off.');
    return bytes.subarray(at, at + size);
  };
  for (let at = 0; at < bytes.length; ) {
    const keyLength = take(at, KEY_LENGTH_BYTES).readUInt16BE();
    const length = take(at + KEY_LENGTH_BYTES, VALUE_LENGTH_BYTES).readUInt32BE();
    at += KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES;
    const key = take(at, keyLength).toString('latin1');
    at += keyLength;
    if (length === GONE) {
      ops.push({ type: 'del', key });
      continue;
    }
    ops.push({ type: 'put', key, value: take(at, length) });
    at += length;
  }
  return ops;
}

const bytesOf = (value: Buffer | string): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);
