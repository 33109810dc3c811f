import { ProtocolError } from '#protocol/errors.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import {
  baseKey,
  eventKey,
  foldedKey,
  KEY_KINDS,
  keysUnder,
  LOG_CUT_KEY,
  lastSegment,
  streamCutKey,
  streamOf,
  workspaceCutKey,
} from '#store/keys.ts';
import { SEAL_BYTES, unseal } from '#store/sealed-record.ts';
import type { KeyRange, Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import {
  BASE_MARKER,
  baseEntryOf,
  isBaseRow,
  isListRow,
  MARKER_ENTRY,
  mayHaveBase,
  rowHash,
} from './base-row.ts';
import type { EventLog, Segment, State, StoredEvent, StreamScope } from './event-log.ts';
import { type FoldCodec, type FoldRecord, NO_FOLD, type StateCache } from './fold-record.ts';
import { markEvent, type RemovedPart } from './history-mark.ts';
import {
  eventIn,
  eventsIn,
  idsOfRow,
  isEventId,
  NO_EVENT,
  readSegment,
  segmentFrom,
  segmentOf,
} from './segment.ts';

type Stream = Exclude<StreamScope, { kind: 'all' }>;

export interface IndexRange extends KeyRange {
  limit: number;
}

/** Reads of durable data. Every record is checked against its hash before it is handed out. */
export class LogReader {
  readonly #store: Store;
  readonly #cache: StateCache;
  readonly codec: FoldCodec;
  readonly #onDamage: (error: IntegrityError) => void;

  /** `onDamage` is called for each read that met damage. */
  constructor(store: Store, cache: StateCache, codec: FoldCodec, onDamage: (error: IntegrityError) => void) {
    this.#store = store;
    this.#cache = cache;
    this.codec = codec;
    this.#onDamage = onDamage;
  }

  state(key: string): State | undefined {
    const cached = this.#cache.get(key);
    if (cached === undefined) return this.fold(key)?.state;
    this.#cache.hits += 1;
    return cached.state;
  }

  /** A state with the head of its resource. */
  fold(key: string): FoldRecord | undefined {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached === NO_FOLD ? undefined : cached;
    this.#cache.misses += 1;
    return this.#lockedOnDamage(() => {
      const stored = this.#store.get(key);
      if (stored === undefined) {
        this.#cache.set(key, NO_FOLD, { size: key.length });
        return undefined;
      }
      const { chars, ...fold } = this.codec.decode(key, stored);
      this.#cache.set(key, fold, { size: chars + key.length });
      return fold;
    });
  }

  record(key: string): Buffer | undefined {
    return this.#lockedOnDamage(() => {
      const sealed = this.#store.get(key);
      return sealed === undefined ? undefined : unseal(sealed, key);
    });
  }

  /** False only where nothing was ever removed, so that no row is the base. */
  isCutOrDamaged(): boolean {
    try {
      return mayHaveBase(this.#store);
    } catch (error) {
      if (error instanceof IntegrityError) return true;
      throw error;
    }
  }

  /** The entry of the base that a derived row is. Undefined for a row that is not the base. */
  baseEntry(key: string): string | undefined {
    if (isListRow(key)) return this.sealed(key)?.toString() === BASE_MARKER ? MARKER_ENTRY : undefined;
    const fold = this.fold(key);
    return fold?.isBase ? baseEntryOf(this.codec, key, fold) : undefined;
  }

  /** The hash by which a commit names a derived row; undefined for a row that is not the base. */
  baseHash(key: string): string | undefined {
    return this.#lockedOnDamage(() => {
      const stored = this.#store.get(key);
      return stored !== undefined && isBaseRow(key, stored) ? rowHash(key, stored) : undefined;
    });
  }

  /** Derived keys with the prefix of which the base has something: rows that are the base, then those kept besides. */
  async *baseKeys(prefix: string): AsyncGenerator<string, void> {
    try {
      for await (const page of this.#store.entries(keysUnder(prefix)))
        for (const [key, stored] of page) if (isBaseRow(key, stored)) yield key;
      for await (const page of this.#store.keys(keysUnder(baseKey(prefix))))
        for (const key of page) yield key.slice(KEY_KINDS.base.prefix.length);
    } catch (error) {
      throw this.#reported(error);
    }
  }

  /** The record with its hash, unchecked; for a reader that checks it later. */
  sealed(key: string): Buffer | undefined {
    return this.#lockedOnDamage(() => this.#store.get(key));
  }

  event(id: string): StoredEvent | undefined {
    const segment = this.segment(id);
    const bytes = segment && eventIn(segment, id);
    return bytes === undefined ? undefined : storedEvent(bytes);
  }

  /** The segment that holds an event. */
  segment(id: string): Segment | undefined {
    return this.#lockedOnDamage(() => readSegment(this.#store, id));
  }

  async indexKeys(range: IndexRange): Promise<string[]> {
    const found: string[] = [];
    try {
      for await (const page of this.#store.keys(range)) found.push(...page);
    } catch (error) {
      throw this.#reported(error);
    }
    return found;
  }

  async range(scope: StreamScope, afterId: string, limit: number): Promise<Buffer[]> {
    if (afterId === NO_EVENT) return this.#readFromStart(scope, limit);
    const found = await this.#readRange(scope, afterId, limit);
    // Asked after the read: what was removed while it ran must not be passed over.
    if (!this.isInStream(scope, afterId)) throw cursorExpired();
    return found;
  }

  /** Reads again when events were removed under the read: the start has moved. */
  async #readFromStart(scope: StreamScope, limit: number): Promise<Buffer[]> {
    try {
      return await this.#readRange(scope, NO_EVENT, limit);
    } catch (error) {
      if (ProtocolError.from(error).code !== 'cursor_expired') throw error;
      return this.#readFromStart(scope, limit);
    }
  }

  async #readRange(scope: StreamScope, afterId: string, limit: number): Promise<Buffer[]> {
    try {
      const mark = afterId === NO_EVENT ? this.mark(scope) : undefined;
      const after = mark === undefined ? afterId : mark.event.id;
      const left = mark === undefined ? limit : limit - 1;
      const events =
        scope.kind === 'all'
          ? await this.#allEvents(after, left)
          : await this.#streamEvents(scope, after, left);
      return mark === undefined ? events : [mark.bytes, ...events];
    } catch (error) {
      throw this.#reported(error);
    }
  }

  /** Whether the id is one of the stream's (durable) events, and none after it was removed. */
  isInStream(scope: StreamScope, id: string): boolean {
    // What goes of a session or a task goes from its beginning, so one that is left has all behind it.
    const cut = this.#cutOf(scope);
    if (id <= cut) return id === cut;
    // The rows of the stream say where it belongs, whether its own record can be read or not.
    const found = this.#lockedOnDamage(() => segmentFrom(this.#store, id));
    if (found === undefined) return false;
    const lines = found.sealed.subarray(SEAL_BYTES);
    if (scope.kind === 'all')
      return eventNumberOf(lastSegment(found.key)) - eventNumberOf(id) < eventsIn(lines).length;
    const row = streamOf(scope.kind, scope.id) + lastSegment(found.key);
    const value = this.#lockedOnDamage(() => this.#store.get(row));
    return value !== undefined && idsOfRow(row, value).includes(id);
  }

  /** Rows of a stream from its beginning through the one that holds `id`. */
  async rowsThrough(scope: Stream, id: string): Promise<[key: string, ids: string[]][]> {
    const prefix = streamOf(scope.kind, scope.id);
    const rows: [string, string[]][] = [];
    for await (const page of this.#store.entries(keysUnder(prefix)))
      for (const [key, value] of page) {
        rows.push([key, idsOfRow(key, value)]);
        if (lastSegment(key) >= id) return rows;
      }
    return rows;
  }

  /** What replaces the removed events of a scope. It has the id of the newest of them. */
  mark(scope: StreamScope): (StoredEvent & { part: RemovedPart }) | undefined {
    const key = cutKeyOf(scope);
    const content = this.record(key);
    return content && this.#lockedOnDamage(() => markEvent(key, content));
  }

  /** Up to which event of a session the base holds what its events folded to, although they stay; `NO_EVENT` for none. */
  foldedThrough(sessionId: string): string {
    return this.record(foldedKey(sessionId))?.toString() ?? NO_EVENT;
  }

  /** Newest removed event of a scope; `NO_EVENT` when none was removed. */
  #cutOf(scope: StreamScope): string {
    return this.mark(scope)?.event.id ?? NO_EVENT;
  }

  /** Ids of the events of a stream, its mark first, whether their records can be read or not. */
  async eventIds(scope: Stream, afterId: string, limit: number): Promise<string[]> {
    try {
      const mark = afterId === NO_EVENT ? this.#cutOf(scope) : NO_EVENT;
      const rows = await this.#rowsAfter(scope, mark === NO_EVENT ? afterId : mark, limit);
      const ids = rows.flatMap(({ ids }) => ids);
      return (mark === NO_EVENT ? ids : [mark, ...ids]).slice(0, limit);
    } catch (error) {
      throw this.#reported(error);
    }
  }

  async #allEvents(afterId: string, limit: number): Promise<Buffer[]> {
    const found: Buffer[] = [];
    const { lt } = keysUnder(KEY_KINDS.event.prefix);
    if (limit <= 0) return found;
    for await (const page of this.#store.entries({ gt: eventKey(afterId), lt, limit }))
      for (const [key, sealed] of page) {
        const segment = segmentOf(key, sealed);
        // One that begins before `afterId` ends behind it.
        const seen = Math.max(0, eventNumberOf(afterId) - eventNumberOf(segment.firstId) + 1);
        found.push(...segment.events.slice(seen, seen + limit - found.length));
        if (found.length === limit) return found;
      }
    return found;
  }

  async #streamEvents(scope: Stream, afterId: string, limit: number): Promise<Buffer[]> {
    const rows = await this.#rowsAfter(scope, afterId, limit);
    const keys = rows.map(({ key }) => key);
    const records = isDense(keys) ? await this.#scan(keys) : await this.#store.getMany(keys);
    const found: Buffer[] = [];
    for (const [at, { key, ids }] of rows.entries()) {
      const sealed = records[at];
      const segment = sealed && segmentOf(key, sealed);
      for (const id of ids) {
        const bytes = segment && eventIn(segment, id);
        if (bytes === undefined) throw this.#gone(scope, id, key);
        found.push(bytes);
      }
    }
    return found;
  }

  /** Why an event that a row names is not there: it may have gone between the two reads. */
  #gone(scope: Stream, id: string, key: string): Error {
    if (id <= this.#cutOf(scope)) return cursorExpired();
    return new IntegrityError(key, 'a segment named by its stream index', 'no such segment');
  }

  /** Segments of a stream and its events in them, up to `limit` events. */
  async #rowsAfter(scope: Stream, afterId: string, limit: number): Promise<{ key: string; ids: string[] }[]> {
    const prefix = streamOf(scope.kind, scope.id);
    const { lt } = keysUnder(prefix);
    const rows: { key: string; ids: string[] }[] = [];
    let left = limit;
    if (left <= 0) return rows;
    for await (const page of this.#store.entries({ gt: prefix + afterId, lt, limit }))
      for (const [row, value] of page) {
        const ids = idsOfRow(row, value)
          .filter((id) => id > afterId)
          .slice(0, left);
        if (ids.length > 0) rows.push({ key: eventKey(lastSegment(row)), ids });
        left -= ids.length;
        if (left === 0) return rows;
      }
    return rows;
  }

  /** The records of ascending keys, read in one pass over everything between the first and the last. */
  async #scan(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    const [gte, lte] = [keys[0], keys.at(-1)];
    if (gte === undefined || lte === undefined) return [];
    const found: (Buffer | undefined)[] = [];
    for await (const page of this.#store.entries({ gte, lte }))
      for (const [key, sealed] of page) {
        // A key that is passed over has no record.
        while (found.length < keys.length && key > (keys[found.length] ?? '')) found.push(undefined);
        if (key === keys[found.length]) found.push(sealed);
      }
    return found;
  }

  #lockedOnDamage<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#reported(error);
    }
  }

  #reported(error: unknown): unknown {
    if (error instanceof IntegrityError) this.#onDamage(error);
    return lockedBy(error);
  }
}

/** A scan reads four times as many records per second as single look-ups do, so gaps up to that are cheaper to read over. */
const SCAN_FACTOR = 3;

function isDense(keys: readonly string[]): boolean {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return false;
  return eventNumberOf(lastSegment(last)) - eventNumberOf(lastSegment(first)) < keys.length * SCAN_FACTOR;
}

/** Parses stored bytes for a reader that needs more than the bytes. */
export function storedEvent(bytes: Buffer): StoredEvent {
  return { event: JSON.parse(bytes.toString('utf8')), bytes };
}

function cutKeyOf(scope: StreamScope): string {
  if (scope.kind !== 'all') return streamCutKey(scope.kind, scope.id);
  return scope.workspaceId === undefined ? LOG_CUT_KEY : workspaceCutKey(scope.workspaceId);
}

/** Newest event id in the store, of an event or of the mark of those that were removed; `NO_EVENT` when there is none. */
export async function newestEventId(store: Store): Promise<string> {
  const sealed = store.get(LOG_CUT_KEY);
  const removed =
    sealed === undefined ? NO_EVENT : markEvent(LOG_CUT_KEY, unseal(sealed, LOG_CUT_KEY)).event.id;
  for await (const [key] of store.keys({ ...keysUnder(KEY_KINDS.event.prefix), reverse: true, limit: 1 }))
    if (key !== undefined && lastSegment(key) > removed) return lastSegment(key);
  return removed;
}

export function lockedOnDamage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw lockedBy(error);
  }
}

/** Damage is answered with 423; the key and the hashes stay in the cause, for the operator's log. */
function lockedBy(error: unknown): unknown {
  if (!(error instanceof IntegrityError)) return error;
  return new ProtocolError(
    'resource_locked',
    'The stored record fails its integrity check. The operator runs "harn-gateway log check".',
    { details: { reason: 'integrity' }, cause: error },
  );
}

/**
 * Checks a cursor a client sent; returns the event id to go on after. No cursor means from the start. Throws
 * `invalid_request` for a malformed one (naming `param`) and `cursor_expired` for one in the future, of another stream, or
 * behind retention: the client starts over. See src/surfaces/README.md, Cursors.
 */
export function checkCursor(
  log: EventLog,
  scope: StreamScope,
  cursor: string | undefined,
  param: string,
): string {
  if (cursor === undefined) return NO_EVENT;
  if (!isEventId(cursor))
    throw new ProtocolError('invalid_request', 'A cursor is an event id: 20 decimal digits.', { param });
  if (cursor === NO_EVENT) return cursor;
  if (cursor > log.head.eventId || !log.holds(scope, cursor)) throw cursorExpired(param);
  return cursor;
}

/** The caller starts over: without a cursor the stream begins with what is kept. */
function cursorExpired(param?: string): ProtocolError {
  const message =
    'Events after this cursor are not kept any more, or it is of another stream. Read from the start.';
  return new ProtocolError('cursor_expired', message, param === undefined ? {} : { param });
}
