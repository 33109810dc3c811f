import { setImmediate as nextTurn } from 'node:timers/promises';
import { ProtocolError } from '#protocol/errors.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { commitKey, KEY_KINDS, keysUnder } from '#store/keys.ts';
import { sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store, StoreSnapshot, WriteOp } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { contentOfRow, isBaseRow, isDerivedRow, mayHaveBase, NAMED_KINDS, rowHash } from './base-row.ts';
import { signCheckpoint } from './checkpoint.ts';
import type { CommitRecord } from './commit-record.ts';
import { headBehind, readSummary } from './commit-summary.ts';
import { EMPTY_HEAD, readCommit, type WalkedCommit, walkCommits } from './commit-walk.ts';
import type { CopyBase, LogCopy, LogHead } from './event-log.ts';

/** Looked at and handed on at once, a millisecond of work or two; a record that is larger comes alone. */
const PIECE_BYTES = 256 * 1024;

export interface LogCopyParts {
  store: Pick<Store, 'snapshot'>;
  keys: KeyRegistry;
  logId: string;
  /** RFC 3339, now. */
  time: string;
}

/**
 * Takes the moment. Rejects with `conflict` (details.reason) where nothing can go on behind `since`: `unknown_base`, the log has no
 * such commit; `commits_removed`, retention has removed records of commits that came after it.
 */
export async function openLogCopy(parts: LogCopyParts, since: CopyBase | undefined): Promise<LogCopy> {
  const snapshot = parts.store.snapshot();
  try {
    const head = await newestHead(snapshot);
    const base = since && baseIn(snapshot, since, head);
    const checkpoint = signCheckpoint(snapshot, parts.keys, { ...parts, head });
    return {
      checkpoint,
      rows: () => inPieces(base === undefined ? everything(snapshot, head) : writtenSince(snapshot, base)),
      close: () => snapshot.close(),
    };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function newestHead(snapshot: StoreSnapshot): Promise<LogHead> {
  const newest = snapshot.entries({ ...keysUnder(KEY_KINDS.commit.prefix), reverse: true, limit: 1 });
  for await (const [entry] of newest) if (entry !== undefined) return headOf(...entry);
  return EMPTY_HEAD;
}

function headOf(key: string, stored: Buffer): LogHead {
  const { commit, hash, fault } = readCommit(key, stored);
  if (commit !== undefined) return { commit: commit.n, hash, eventId: commit.event_id };
  throw new IntegrityError(key, fault?.expected ?? 'a commit', fault?.observed ?? 'another record');
}

function baseIn(snapshot: StoreSnapshot, since: CopyBase, head: LogHead): LogHead {
  const { ranges = [] } = readSummary(snapshot) ?? {};
  if (ranges.some(({ through }) => through > since.commit))
    throw refused(
      'commits_removed',
      'Retention has removed records of commits since that backup. Make a full one.',
    );
  const range = ranges.find(({ through }) => through === since.commit);
  const key = commitKey(since.commit);
  const stored = since.commit > head.commit ? undefined : snapshot.get(key);
  const base = range === undefined ? stored && headOf(key, stored) : headBehind(range);
  if (base?.hash === since.hash) return base;
  throw refused(
    'unknown_base',
    'The log has no such commit: that backup is of another log, or this one was restored since. Make a full one.',
  );
}

function refused(reason: string, message: string): ProtocolError {
  return new ProtocolError('conflict', message, { param: 'since', details: { reason } });
}

/** Every commit, and every record that one of them names. */
async function* everything(snapshot: StoreSnapshot, head: LogHead): AsyncGenerator<WriteOp[], void> {
  const hasBase = mayHaveBase(snapshot);
  for (const { prefix } of NAMED_KINDS) {
    if (isDerivedRow(prefix) && !hasBase) continue;
    for await (const page of snapshot.entries(keysUnder(prefix)))
      yield page.flatMap(([key, stored]): WriteOp[] =>
        namedAs(key, stored) === undefined ? [] : [{ type: 'put', key, value: stored }],
      );
  }
  yield* soundCommits(snapshot, EMPTY_HEAD, head);
}

async function* soundCommits(
  snapshot: StoreSnapshot,
  since: LogHead,
  head: LogHead,
): AsyncGenerator<WriteOp[], void> {
  let last = since;
  for await (const walked of walkCommits(snapshot, since)) {
    yield [commitOf(snapshot, walked)];
    last = walked.head;
  }
  if (last.hash !== head.hash) throw new IntegrityError(commitKey(head.commit), head.hash, last.hash);
}

/** Each record once, with the commit that wrote it as it stands; each key that went, with the commit that erased it last. */
async function* writtenSince(snapshot: StoreSnapshot, base: LogHead): AsyncGenerator<WriteOp[], void> {
  for await (const walked of walkCommits(snapshot, base)) {
    yield [commitOf(snapshot, walked)];
    if (walked.commit !== undefined) yield await writtenBy(snapshot, walked.commit);
  }
}

async function writtenBy(snapshot: StoreSnapshot, { records, erased }: CommitRecord): Promise<WriteOp[]> {
  const written = new Set(records.map(([key]) => key));
  const gone = erased.map(([key]) => key).filter((key) => !written.has(key));
  const [values, left] = [
    await snapshot.getMany([...written]),
    gone.length === 0 ? [] : await snapshot.getMany(gone),
  ];
  return [
    ...records.flatMap(([key, sha256], at): WriteOp[] => {
      const value = values[at];
      // Another one, or none: a later commit says so.
      return value === undefined || namedAs(key, value) !== sha256 ? [] : [{ type: 'put', key, value }];
    }),
    ...gone.flatMap((key, at): WriteOp[] => {
      const value = left[at];
      return value === undefined || namedAs(key, value) === undefined ? [{ type: 'del', key }] : [];
    }),
  ];
}

function commitOf(snapshot: StoreSnapshot, { key, findings }: WalkedCommit): WriteOp {
  const [finding] = findings;
  if (finding !== undefined) throw new IntegrityError(finding.where, finding.expected, finding.observed);
  const value = snapshot.get(key);
  if (value === undefined) throw new IntegrityError(key, 'a commit', 'no record');
  return { type: 'put', key, value };
}

/** The hash by which a commit names what is stored, once it was looked at; undefined for a row that is not the base. */
function namedAs(key: string, stored: Buffer): string | undefined {
  if (isDerivedRow(key)) {
    if (!isBaseRow(key, stored)) return undefined;
    contentOfRow(key, stored);
    return rowHash(key, stored);
  }
  unseal(stored, key);
  return sealedHash(stored);
}

async function* inPieces(source: AsyncIterable<WriteOp[]>): AsyncGenerator<WriteOp[], void> {
  let piece: WriteOp[] = [];
  let bytes = 0;
  for await (const ops of source)
    for (const op of ops) {
      piece.push(op);
      bytes += op.key.length + (op.type === 'put' ? op.value.length : 0);
      if (bytes < PIECE_BYTES) continue;
      yield piece;
      piece = [];
      bytes = 0;
      await nextTurn();
    }
  if (piece.length > 0) yield piece;
}

/** The commits whose records retention removed: a copy that was made before has them still. */
export function removedCommits(store: Pick<Store, 'get'>): { from: number; through: number }[] {
  return (readSummary(store)?.ranges ?? []).map(({ from, through }) => ({ from, through }));
}
