import { sha256Hex } from '#json/canonical.ts';
import type { Logger } from '#protocol/ports.ts';
import { JOURNAL_KEY, KEY_KINDS, keysUnder } from '#store/keys.ts';
import { storeUnavailable } from '#store/level-errors.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type {
  DiskShortage,
  KeyRange,
  LostKeys,
  Store,
  StoreCompaction,
  StoreHealth,
  StoreSnapshot,
  WriteOp,
} from '#store/store.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import { EMPTY_HEAD, readCommit } from '../commit-walk.ts';
import type { LogHead } from '../event-log.ts';
import { logMetaOf, logMetaPut } from '../log-meta.ts';
import { checkBatch, commitIn, objectPrefix, packBatch, rowsOf, unpackBatch } from './commit-message.ts';
import {
  generationOf,
  isSaid,
  type Journal,
  type JournalMessage,
  type MessageKind,
  OvertakenError,
} from './journal.ts';
import type { Lease } from './lease.ts';

/** Messages that are written to LevelDB at once while much is read. */
const MAX_PAGE = 64;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** So many messages, of half a mebibyte at most, are asked for one by one. */
const MAX_ASKED = 16;
/** In which nodes that wait look five times. */
const GRACE_MS = 1_000;

export interface JournaledStoreParts {
  /** The node's LevelDB, empty or as it was left. */
  cache: Store;
  journal: Journal;
  logger: Logger;
  /** What this node needs to decide; given back when the store closes. Default: nobody else can decide. */
  lease?: Pick<Lease, 'hold' | 'untilHeld' | 'release'>;
  /** Names this node's term; another one at every start. */
  newTermId(): string;
  /** Called once, when another node decides: nothing is written from then on. */
  onOvertaken(): void;
}

/** A commit that was sent and not acknowledged. */
interface Unclear {
  id: string;
  message: Buffer;
  follows: number;
}

/**
 * The store of a log whose truth is a stream: a batch with a commit is published first and written to the node's LevelDB once a quorum has
 * it. Every read is of that LevelDB. Batches without a commit are the node's own.
 */
export class JournaledStore implements Store {
  readonly #parts: JournaledStoreParts;
  readonly #cache: Store;
  #journal: Journal;
  readonly #fenceListeners = new Set<(cause: unknown) => void>();
  /** The newest message that is in LevelDB. */
  #seq: number;
  #head: LogHead;
  #isFenced = false;
  #isOvertaken = false;
  #unclear: Unclear | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(parts: JournaledStoreParts, journal: Journal, seq: number, head: LogHead) {
    this.#parts = parts;
    this.#cache = parts.cache;
    this.#journal = journal;
    this.#seq = seq;
    this.#head = head;
  }

  /** Reads what LevelDB lacks. Rejects with StoreOpenError, and with IntegrityError for a message that is damaged. */
  static async open(parts: JournaledStoreParts): Promise<JournaledStore> {
    const { cache } = parts;
    await adopt(cache, parts.journal);
    const known = positionOf(cache);
    const journal = await generationFor(parts.journal, known);
    const isBehind = known !== undefined && generationOf(known.stream) < journal.generation;
    if (isBehind) await forget(cache, journal.stream);
    const head = await newestHead(cache);
    const position = isBehind ? undefined : known;
    if (head.commit > 0 && position?.stream !== journal.stream) throw notCopy(journal.stream);
    const store = new JournaledStore(parts, journal, position?.seq ?? 0, head);
    await store.catchUp();
    return store;
  }

  get stream(): string {
    return this.#journal.stream;
  }

  /** The newest message that can be read here. */
  get sequence(): number {
    return this.#seq;
  }

  /**
   * Reads to the end of the stream, as its leader has it now, and of the one in which the log goes on behind it.
   * @param signal ends it early; what was read is kept. Default: nothing does
   */
  async catchUp(signal?: AbortSignal): Promise<void> {
    for (let stream: string | undefined; stream !== this.#journal.stream; ) {
      stream = this.#journal.stream;
      try {
        await this.#readOn(signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        // Where nobody says whether the stream is gone, what failed first is what counts.
        if (!(await this.#readsAnew().catch(() => false))) throw error;
      }
    }
  }

  /** Whether the stream is gone, because the log went on in another one before this node had read so. It reads all of that one. */
  async #readsAnew(): Promise<boolean> {
    if (this.#closing !== undefined || !(await this.#journal.isGone())) return false;
    const earliest = await this.#journal.earliest();
    if (earliest === undefined || earliest.generation < this.#journal.generation) return false;
    const journal = await generationFor(earliest, undefined);
    this.#parts.logger.warn(
      { stream: journal.stream },
      'the log went on in another stream; all of it is read',
    );
    await forget(this.#cache, journal.stream);
    this.#journal = journal;
    this.#head = EMPTY_HEAD;
    this.#seq = 0;
    return true;
  }

  async #readOn(signal: AbortSignal | undefined): Promise<void> {
    const { first, last } = await this.#journal.bounds(this.#seq);
    if (last < this.#seq) throw lostEnd(this.#journal.stream, last, this.#seq);
    if (last === this.#seq) return;
    if (first > this.#seq + 1) throw lostBegin(this.#journal.stream, first);
    // What a look finds is asked for; a consumer for it would be made by all servers, five times a second.
    if (last - this.#seq <= MAX_ASKED) return this.#apply(await this.#journal.between(this.#seq + 1, last));
    const { messages, stop } = await this.#journal.follow(this.#seq, signal);
    try {
      let page: JournalMessage[] = [];
      let bytes = 0;
      for await (const message of messages) {
        page.push(message);
        bytes += message.data.length;
        const isEnd = message.seq >= last;
        if (!isEnd && page.length < MAX_PAGE && bytes < MAX_PAGE_BYTES) continue;
        await this.#apply(page);
        page = [];
        bytes = 0;
        if (isEnd) return;
      }
    } finally {
      await stop();
    }
    throw storeUnavailable('The stream of the log ended before its end.');
  }

  /**
   * Reads what came since, while another node decides. What cannot be read now is read the next time; when the signal aborts, by
   * `beginTerm`.
   */
  async followOn(signal: AbortSignal): Promise<void> {
    try {
      await this.catchUp(signal);
    } catch (error) {
      if (isSaid(error)) throw error;
      if (signal.aborted) return;
      this.#parts.logger.warn({ err: error }, 'the stream of the log cannot be read; it is tried again');
    }
  }

  /** Begins to decide: behind it no message of an earlier owner can come. Everything before it has been read then. */
  async beginTerm(): Promise<void> {
    for (;;) {
      try {
        this.#seq = await this.#journal.publish('term', this.#parts.newTermId(), Buffer.alloc(0), this.#seq);
        await this.#removeFormer(0);
        return;
      } catch (error) {
        if (!(error instanceof OvertakenError)) throw error;
        await this.catchUp();
      }
    }
  }

  /** Writes what messages say, checked, as one batch. */
  async #apply(messages: readonly JournalMessage[]): Promise<void> {
    const batch: WriteOp[] = [];
    let head = this.#head;
    let seq = this.#seq;
    let next: Position | undefined;
    for (const message of messages) {
      const where = `message ${message.seq} of ${this.#journal.stream}`;
      if (message.seq !== seq + 1) throw new IntegrityError(where, `message ${seq + 1}`, 'a later one');
      if (message.kind === 'commit') {
        const ops = await unpackBatch(message.data, where, (name) => this.#journal.object(name));
        head = checkBatch(ops, head, where);
        batch.push(...ops);
      }
      if (message.kind === 'rows')
        batch.push(...(await unpackBatch(message.data, where, (name) => this.#journal.object(name))));
      if (message.kind === 'moved') head = readHead(message.data, where);
      if (message.kind === 'left') next = nextOf(message);
      if (message.kind === 'left' && next === undefined) throw movedAway(this.#journal.stream);
      seq = message.seq;
    }
    await this.#cache.write([...batch, positionPut({ stream: this.#journal.stream, seq })]);
    this.#head = head;
    this.#seq = seq;
    if (messages.some(({ kind }) => kind === 'moved')) await this.#expectHead(head);
    if (next !== undefined) await this.#goTo(next);
  }

  /** The log goes on in another stream, which begins with what this node has read. What was removed is off its files too. */
  async #goTo({ stream, seq }: Position): Promise<void> {
    const journal = await this.#journal.at(generationOf(stream));
    await this.#cache.write([positionPut({ stream, seq })]);
    this.#journal = journal;
    this.#seq = seq;
    await this.#cache.purge();
  }

  /** Of rows that came in pieces nothing says that they are whole but their newest commit. */
  async #expectHead({ commit, hash }: LogHead): Promise<void> {
    const found = await newestHead(this.#cache);
    if (found.hash !== hash)
      throw new IntegrityError(this.#journal.stream, `commit ${commit} with hash ${hash}`, found.hash);
  }

  /**
   * Says in the stream that the log goes on in the data directory of this node, which has read everything. Nothing is written to the
   * stream any more. Rejects with `service_unavailable`.
   */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#checkLease();
      // Killed behind the message, this directory is known by it as the one in which the log goes on.
      await this.#cache.write([positionPut({ stream: this.#journal.stream, seq: this.#seq })]);
      const left = Buffer.from(JSON.stringify(this.#head));
      this.#seq = await this.#journal.publish('left', this.#parts.newTermId(), left, this.#seq);
      this.#isOvertaken = true;
    });
  }

  get health(): StoreHealth {
    return this.#isFenced && this.#cache.health === 'open' ? 'fenced' : this.#cache.health;
  }

  get shortage(): DiskShortage | undefined {
    return this.#cache.shortage;
  }

  get lost(): readonly LostKeys[] {
    return this.#cache.lost;
  }

  get(key: string): Buffer | undefined {
    return this.#cache.get(key);
  }

  getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    return this.#cache.getMany(keys);
  }

  entries(range: KeyRange): AsyncIterable<[string, Buffer][]> {
    return this.#cache.entries(range);
  }

  keys(range: KeyRange): AsyncIterable<string[]> {
    return this.#cache.keys(range);
  }

  snapshot(): StoreSnapshot {
    return this.#cache.snapshot();
  }

  write(ops: readonly WriteOp[]): Promise<void> {
    return this.#inTurn(() => this.#writeNow(ops));
  }

  async #writeNow(ops: readonly WriteOp[]): Promise<void> {
    if (this.health !== 'open') throw storeUnavailable(`The store is ${this.health}.`);
    const commit = commitIn(ops);
    if (commit === undefined) return this.#cache.write(ops);
    try {
      await this.#checkLease();
      await this.#commit(ops, commit);
    } catch (error) {
      this.#fence(error);
      throw error instanceof OvertakenError ? elsewhere(error) : error;
    }
  }

  /** Behind a pause nothing is decided before the lease was renewed. */
  async #checkLease(): Promise<void> {
    if ((await this.#parts.lease?.hold()) === false)
      throw storeUnavailable('The lease of this log is not renewed.');
  }

  async #commit(ops: readonly WriteOp[], { key, sealed }: { key: string; sealed: Buffer }): Promise<void> {
    const { commit, hash } = readCommit(key, sealed);
    const follows = this.#seq;
    const { message, objects } = packBatch(ops, objectPrefix(follows + 1));
    for (const [name, bytes] of objects) await this.#journal.putObject(name, bytes);
    this.#unclear = { id: hash, message, follows };
    const seq = await this.#journal.publish('commit', hash, message, follows);
    this.#unclear = undefined;
    // A failure from here on loses nothing: the reopening reads the message.
    await this.#cache.write([...ops, positionPut({ stream: this.#journal.stream, seq })]);
    this.#seq = seq;
    if (commit !== undefined) this.#head = { commit: commit.n, hash, eventId: commit.event_id };
  }

  #fence(cause: unknown): void {
    this.#isFenced = true;
    if (cause instanceof OvertakenError) this.#overtaken();
    for (const listener of [...this.#fenceListeners]) listener(cause);
  }

  #overtaken(): void {
    this.#unclear = undefined;
    if (this.#isOvertaken) return;
    this.#isOvertaken = true;
    this.#parts.logger.error({ stream: this.#journal.stream }, 'another node decides for this log');
    this.#parts.onOvertaken();
  }

  onFence(listener: (cause: unknown) => void): () => void {
    this.#fenceListeners.add(listener);
    return () => this.#fenceListeners.delete(listener);
  }

  reopen(): Promise<void> {
    return this.#inTurn(() => this.#reopenNow());
  }

  /** Settles what was in flight, then reads what is behind it. Another node's messages among that are the end of this one's term. */
  async #reopenNow(): Promise<void> {
    if (this.#isOvertaken) throw storeUnavailable('Another node decides for this log.');
    await this.#checkLease();
    // A store that is not fenced gets a new handle too, as the port says.
    await this.#cache.reopen();
    try {
      await this.#settle();
    } catch (error) {
      if (error instanceof OvertakenError) this.#overtaken();
      throw error instanceof OvertakenError ? elsewhere(error) : error;
    }
    await this.catchUp();
    this.#isFenced = false;
  }

  async #settle(): Promise<void> {
    if (this.#unclear === undefined) return;
    const { id, message, follows } = this.#unclear;
    await this.#journal.publish('commit', id, message, follows);
    this.#unclear = undefined;
  }

  compact(range: { gte: string; lte: string }): Promise<void> {
    return this.#cache.compact(range);
  }

  /**
   * Takes what was removed off this LevelDB, then lets the log go on in a new stream that begins with what is left, and removes the old
   * one with its files. Writes wait meanwhile.
   */
  async purge(): Promise<void> {
    await this.#cache.purge();
    await this.#inTurn(async () => {
      if (this.health !== 'open') throw storeUnavailable(`The store is ${this.health}.`);
      try {
        await this.#checkLease();
        await this.#beginAnew();
      } catch (error) {
        if (error instanceof OvertakenError) this.#fence(error);
        throw error instanceof OvertakenError ? elsewhere(error) : error;
      }
    });
    await this.#removeFormer(GRACE_MS);
  }

  async #beginAnew(): Promise<void> {
    const next = await this.#journal.begin();
    let seq = 0;
    const add = async (kind: MessageKind, data: Buffer) => {
      seq = await next.publish(kind, sha256Hex(data), data, seq);
    };
    for await (const rows of rowsOf(this.#cache)) {
      const { message, objects } = packBatch(rows, objectPrefix(seq + 1));
      for (const [name, bytes] of objects) await next.putObject(name, bytes);
      await add('rows', message);
    }
    await add('moved', Buffer.from(JSON.stringify(this.#head)));
    const position = { stream: next.stream, seq };
    const left = Buffer.from(JSON.stringify({ ...this.#head, next: position }));
    // From here on the old stream takes nothing any more, and whoever reads it goes on in the new one.
    await this.#journal.publish('left', this.#parts.newTermId(), left, this.#seq);
    this.#journal = next;
    this.#seq = seq;
    await this.#cache.write([positionPut(position)]);
  }

  /** What is not removed now is removed by the next term. */
  async #removeFormer(afterMs: number): Promise<void> {
    try {
      await this.#journal.removeFormer(afterMs);
    } catch (error) {
      const { stream } = this.#journal;
      this.#parts.logger.warn(
        { err: error, stream },
        'the streams that the log has left are not removed yet',
      );
    }
  }

  compaction(): StoreCompaction {
    return this.#cache.compaction?.() ?? { seconds: 0, readBytes: 0, writtenBytes: 0 };
  }

  async mayAct(signal: AbortSignal): Promise<void> {
    if (this.#isOvertaken) throw storeUnavailable('Another node decides for this log.');
    await this.#parts.lease?.untilHeld(signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#inTurn(async () => {
      await this.#cache.close();
      await this.#parts.lease?.release();
      await this.#journal.close();
    });
    return this.#closing;
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(action);
    // The caller sees the failure; the next in turn only waits for the end.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** An empty LevelDB becomes one of the stream's log. */
async function adopt(cache: Store, { logId, schema, stream }: Journal): Promise<void> {
  const found = logMetaOf(cache);
  if (found?.logId === logId) return;
  if (found !== undefined)
    throw new StoreOpenError(
      'unreadable',
      stream,
      `The data directory holds the log ${found.logId}, and the stream ${stream} is the log ${logId}. Name another data directory, or bring ` +
        'that log there with "harn-gateway log move --to jetstream" and another store.name.',
    );
  await cache.write([logMetaPut({ logId, schema })]);
}

/** The stream in which a node that has read so far reads on: its own, or where that one is gone the one in which the log goes on. */
async function generationFor(journal: Journal, known: Position | undefined): Promise<Journal> {
  if (known?.stream === journal.stream) return journal;
  const { last } = await journal.bounds();
  const newest = last === 0 ? undefined : await journal.message(last);
  if (newest?.kind !== 'left') return journal;
  const next = nextOf(newest);
  if (next === undefined) throw movedAway(journal.stream);
  return generationFor(await journal.at(generationOf(next.stream)), known);
}

/** Empties a LevelDB whose stream is gone, so that it is read again from the one in which the log goes on. */
async function forget(cache: Store, stream: string): Promise<void> {
  for await (const page of cache.keys({})) {
    const rows = page.filter((key) => !key.startsWith(KEY_KINDS.meta.prefix));
    await cache.write(rows.map((key) => ({ type: 'del', key })));
  }
  await cache.write([positionPut({ stream, seq: 0 })]);
  await cache.purge();
}

/** In which stream the log goes on behind a message that says it left; undefined where that is the data directory of a node. */
export function nextOf({ data }: JournalMessage): Position | undefined {
  const { next } = JSON.parse(data.toString('utf8')) as { next?: Partial<Position> };
  if (typeof next?.stream !== 'string' || !Number.isSafeInteger(next.seq)) return undefined;
  return { stream: next.stream, seq: Number(next.seq) };
}

export interface Position {
  stream: string;
  /** Of the newest message that was read. */
  seq: number;
}

/** Of which stream a LevelDB is a copy; undefined where it is none. */
export function positionOf(cache: Pick<Store, 'get'>): Position | undefined {
  const sealed = cache.get(JOURNAL_KEY);
  if (sealed === undefined) return undefined;
  const { stream, seq } = JSON.parse(unseal(sealed, JOURNAL_KEY).toString('utf8')) as Record<string, unknown>;
  return { stream: String(stream), seq: Number(seq) };
}

export function positionPut(position: Position): WriteOp {
  return { type: 'put', key: JOURNAL_KEY, value: seal(JSON.stringify(position), JOURNAL_KEY) };
}

export const positionDel: WriteOp = { type: 'del', key: JOURNAL_KEY };

/** Throws IntegrityError. */
export function readHead(bytes: Buffer, where: string): LogHead {
  const { commit, hash, eventId } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  if (Number.isSafeInteger(commit) && typeof hash === 'string' && typeof eventId === 'string')
    return { commit: Number(commit), hash, eventId };
  throw new IntegrityError(where, 'the head of a log', 'other bytes');
}

export async function newestHead(cache: Store): Promise<LogHead> {
  for await (const [entry] of cache.entries({ ...keysUnder('c/'), reverse: true, limit: 1 })) {
    if (entry === undefined) break;
    const { commit, hash, fault } = readCommit(...entry);
    if (commit === undefined)
      throw new IntegrityError(entry[0], fault?.expected ?? 'a commit', fault?.observed ?? 'another record');
    return { commit: commit.n, hash, eventId: commit.event_id };
  }
  return EMPTY_HEAD;
}

const elsewhere = (cause: unknown) => storeUnavailable('Another node decides for this log now.', cause);

function notCopy(stream: string): StoreOpenError {
  return new StoreOpenError(
    'unreadable',
    stream,
    `The data directory holds a log of its own, and no copy of the stream ${stream}. Bring it there with "harn-gateway log move --to ` +
      'jetstream"; or name another data directory, which is then read from the stream.',
  );
}

function movedAway(stream: string): StoreOpenError {
  return new StoreOpenError(
    'unreadable',
    stream,
    `The log of the stream ${stream} was moved away with "harn-gateway log move --to leveldb", and goes on in the data directory of that ` +
      'gateway. Start it there with store.kind leveldb, or bring it back with "harn-gateway log move --to jetstream".',
  );
}

function lostEnd(stream: string, last: number, seq: number): StoreOpenError {
  return new StoreOpenError(
    'corrupt',
    stream,
    `The stream ${stream} ends at message ${last}, and this node has read up to ${seq}: it lost its end. Restore it; or delete the ` +
      'directory of the store, and accept the loss with "harn-gateway log accept-truncation".',
  );
}

function lostBegin(stream: string, first: number): StoreOpenError {
  return new StoreOpenError(
    'corrupt',
    stream,
    `The stream ${stream} begins at message ${first}: what is before it is gone. Start from a copy of another node's data directory.`,
  );
}
