import { unlessDamaged } from '#core/unless-damaged.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { contentKey } from '#store/keys.ts';
import { artifactKeys } from './state.ts';
import type { ContentState, StoredContent } from './stored-content.ts';

/** Bytes per stored piece of content. */
const PIECE_BYTES = 256 * 1024;

/** Reads one stored record, or undefined when it is gone; throws `resource_locked` for a damaged one. */
export type ReadRecord = (key: string) => Buffer | undefined;

/**
 * Stores bytes under what they are, where they are not stored already; the event of the same transaction that refers to them
 * is what keeps them. Pieces that were lost or damaged meanwhile are written again. Returns the number of pieces.
 */
export function keepBytes(
  tx: Transaction,
  { scope, sha256 }: Pick<StoredContent, 'scope' | 'sha256'>,
  bytes: Buffer,
): number {
  const isKnown = tx.get<ContentState>(artifactKeys.content(scope, sha256)) !== undefined;
  const pieces = countOf(bytes.length);
  for (let n = 0; n < pieces; n += 1) {
    const piece = bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES);
    const key = contentKey(scope, sha256, n);
    if (!isKnown || !isThere(tx, key, piece)) tx.record(key, piece);
  }
  return pieces;
}

function isThere(tx: Transaction, key: string, piece: Buffer): boolean {
  return unlessDamaged(() => tx.recorded(key)?.equals(piece) === true, false);
}

/** Erases stored bytes after the event with which the last reference to them went. */
export function dropUnreferenced(tx: Transaction, content: StoredContent | undefined): void {
  if (content === undefined) return;
  const { scope, sha256 } = content;
  if (tx.get<ContentState>(artifactKeys.content(scope, sha256)) !== undefined) return;
  for (const key of contentKeys(content)) tx.erase(key);
}

/** Keys of the pieces of stored bytes, in order. */
export function contentKeys({ scope, sha256, size }: StoredContent): string[] {
  return Array.from({ length: countOf(size) }, (_, n) => contentKey(scope, sha256, n));
}

/** The pieces one after the other. Throws `resource_locked` for one that is damaged or missing. */
export function* storedPieces(content: StoredContent, read: ReadRecord): Generator<Buffer> {
  for (const key of contentKeys(content)) yield pieceAt(key, read);
}

/** `length` bytes from `at` on; only the pieces that hold them are read. */
export function storedRange(content: StoredContent, read: ReadRecord, at: number, length: number): Buffer {
  const first = Math.floor(at / PIECE_BYTES);
  const keys = contentKeys(content).slice(first, countOf(at + length));
  const start = at - first * PIECE_BYTES;
  return Buffer.concat(keys.map((key) => pieceAt(key, read))).subarray(start, start + length);
}

function pieceAt(key: string, read: ReadRecord): Buffer {
  const piece = read(key);
  if (piece !== undefined) return piece;
  throw new ProtocolError(
    'resource_locked',
    'A piece of this content is missing. Run "harn-gateway log check".',
    { details: { reason: 'integrity' } },
  );
}

function countOf(size: number): number {
  return Math.ceil(size / PIECE_BYTES);
}
