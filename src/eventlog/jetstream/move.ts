import { sha256Hex } from '#json/canonical.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import type { LogHead } from '../event-log.ts';
import { objectPrefix, packBatch, rowsOf, unpackBatch } from './commit-message.ts';
import type { Journal } from './journal.ts';
import { newestHead, nextOf, positionPut, readHead } from './journaled-store.ts';

export interface MoveProgress {
  kind: 'progress';
  work: 'copied' | 'compared';
  /** So far. */
  rows: number;
}

/** What is in the stream is not the beginning of this log: a move was interrupted, and the log went on. */
export class OtherRowsError extends Error {
  override readonly name = 'OtherRowsError';
}

/**
 * Brings all rows of an embedded log into the stream of a journal with its id, then its head; then reads all of it back and compares. What
 * an interrupted move has brought is passed over. The store is a copy of the stream from then on. Rejects with OtherRowsError, with
 * IntegrityError where what came back is not what is stored, and with `service_unavailable`.
 */
export async function* moveIntoStream(store: Store, journal: Journal): AsyncGenerator<MoveProgress, LogHead> {
  const head = await newestHead(store);
  const { last } = await journal.bounds();
  let seq = 0;
  let rows = 0;
  const bring = async (kind: 'rows' | 'moved', message: Buffer): Promise<void> => {
    const id = sha256Hex(message);
    seq += 1;
    if (seq > last) await journal.publish(kind, id, message, seq - 1);
    else if ((await journal.message(seq))?.id !== id)
      throw new OtherRowsError(`Message ${seq} is another one.`);
  };
  for await (const piece of rowsOf(store)) {
    const { message, objects } = packBatch(piece, objectPrefix(seq + 1));
    for (const [name, bytes] of objects) await journal.putObject(name, bytes);
    await bring('rows', message);
    rows += piece.length;
    yield { kind: 'progress', work: 'copied', rows };
  }
  await bring('moved', Buffer.from(JSON.stringify(head)));
  if (seq < last) throw new OtherRowsError(`The stream has ${last} messages.`);
  yield* compare(store, journal, { seq, rows, head });
  await store.write([positionPut({ stream: journal.stream, seq })]);
  return head;
}

async function* compare(
  store: Store,
  journal: Journal,
  brought: { seq: number; rows: number; head: LogHead },
): AsyncGenerator<MoveProgress, void> {
  const { messages, stop } = await journal.follow(0);
  let rows = 0;
  try {
    for await (const { seq, kind, data } of messages) {
      const where = `message ${seq} of ${journal.stream}`;
      if (kind === 'moved') {
        const { hash } = readHead(data, where);
        if (hash !== brought.head.hash) throw new IntegrityError(where, brought.head.hash, hash);
      } else {
        const ops = await unpackBatch(data, where, (name) => journal.object(name));
        await expectStored(store, ops, where);
        rows += ops.length;
        yield { kind: 'progress', work: 'compared', rows };
      }
      if (seq === brought.seq) break;
    }
  } finally {
    await stop();
  }
  if (rows !== brought.rows) throw new IntegrityError(journal.stream, `${brought.rows} rows`, `${rows} rows`);
}

async function expectStored(store: Store, ops: readonly WriteOp[], where: string): Promise<void> {
  const stored = await store.getMany(ops.map(({ key }) => key));
  for (const [at, op] of ops.entries())
    if (op.type !== 'put' || stored[at]?.equals(Buffer.from(op.value)) !== true)
      throw new IntegrityError(where, `${op.key} as it is stored`, 'another value');
}

/**
 * Whether a log may be brought into the stream of this journal: `fresh`, nothing is in it; `begun`, a move was interrupted; `former`, it was
 * moved away from there. Rejects with StoreOpenError for the stream of another log, or of one in use.
 */
export async function roomFor(logId: string, journal: Journal): Promise<'fresh' | 'begun' | 'former'> {
  const { last } = await journal.bounds();
  if (last === 0) return journal.logId === logId ? 'fresh' : 'former';
  const newest = await journal.message(last);
  const kind = newest?.kind;
  if (journal.logId === logId && newest?.kind === 'left' && nextOf(newest) === undefined) return 'former';
  if (journal.logId === logId && (kind === 'rows' || kind === 'moved')) return 'begun';
  const { stream } = journal;
  throw new StoreOpenError(
    'unreadable',
    stream,
    `The stream ${stream} holds ${journal.logId === logId ? 'this log already, and it has gone on there' : `the log ${journal.logId}`}. Name another one ` +
      `in store.name; or delete it with "nats stream rm ${stream}", and what is only there is gone.`,
  );
}
