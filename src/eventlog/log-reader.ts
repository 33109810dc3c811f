import { ProtocolError } from '../protocol/errors.ts';
import {
  eventKey,
  keysUnder,
  LOG_CUT_KEY,
  lastSegment,
  streamCutKey,
  streamOf,
  workspaceCutKey,
} from '../store/keys.ts';
import { unseal } from '../store/sealed-record.ts';
import type { KeyRange, Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';
import { cursorExpired } from './cursor-expired.ts';
import { readCut } from './cut-record.ts';
import { eventIdBefore, eventNumberOf, NO_EVENT } from './event-id.ts';
import type { Event, State, StoredEvent, StreamScope } from './event-log.ts';
import { decodeFold, type FoldRecord } from './fold-record.ts';
import type { StateCache } from './state-cache.ts';
import { idsOfRow } from './stream-row.ts';

type Stream = Exclude<StreamScope, { kind: 'all' }>;

export interface IndexRange extends KeyRange {
  limit: number;
}

/** Reads of durable data. Every record is checked against its hash before it is handed out. */
export class LogReader {
  readonly #store: Store;
  readonly #cache: StateCache;
  readonly #onDamage: (error: IntegrityError) => void;

  /** `onDamage` is told of each read that met damage. */
  constructor(store: Store, cache: StateCache, onDamage: (error: IntegrityError) => void) {
    this.#store = store;
    this.#cache = cache;
    this.#onDamage = onDamage;
  }

  state(key: string): State | undefined {
    return this.fold(key)?.state;
  }

  /** A state with the head of its resource. */
  fold(key: string): FoldRecord | undefined {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached ?? undefined;
    return this.#lockedOnDamage(() => {
      const stored = this.#store.get(key);
      if (stored === undefined) {
        this.#cache.setAbsent(key);
        return undefined;
      }
      const { chars, ...fold } = decodeFold(key, stored);
      this.#cache.set(key, fold, chars);
      return fold;
    });
  }

  record(key: string): Buffer | undefined {
    return this.#lockedOnDamage(() => {
      const sealed = this.#store.get(key);
      return sealed === undefined ? undefined : unseal(sealed, key);
    });
  }

  /** The record with its hash, unchecked; for a reader that checks it later. */
  sealed(key: string): Buffer | undefined {
    return this.#lockedOnDamage(() => this.#store.get(key));
  }

  event(id: string): StoredEvent | undefined {
    const bytes = this.record(eventKey(id));
    return bytes === undefined ? undefined : storedEvent(bytes);
  }

  async indexKeys(range: IndexRange): Promise<string[]> {
    const found: string[] = [];
    try {
      for await (const page of this.#store.keys(range)) found.push(...page);
    } catch (error) {
      throw this.#told(error);
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
      if (scope.kind !== 'all') return await this.#streamEvents(scope, afterId, limit);
      const start = afterId === NO_EVENT ? eventIdBefore(this.#cutOf(scope)) : afterId;
      return await this.#allEvents(start, limit);
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** Whether the id is one of the stream's (durable) events, and none after it was removed. */
  isInStream(scope: StreamScope, id: string): boolean {
    // What goes of a session or a task goes from its beginning, so one that is left has all behind it.
    if (id < this.#cutOf(scope)) return false;
    const sealed = this.sealed(eventKey(id));
    if (sealed === undefined || scope.kind === 'all') return sealed !== undefined;
    const event = readable(sealed, eventKey(id));
    // Damage hides where an event belongs; whoever has seen it may go on behind it.
    return event === undefined || event[`${scope.kind}_id`] === scope.id;
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

  /** Newest removed event of a scope, where its mark stands; `NO_EVENT` when none was removed. */
  #cutOf(scope: StreamScope): string {
    const content = this.record(cutKeyOf(scope));
    return content === undefined ? NO_EVENT : readCut(content);
  }

  /** Ids of the events of a stream, whether their records can be read or not. */
  async eventIds(scope: Stream, afterId: string, limit: number): Promise<string[]> {
    try {
      const keys = await this.#idsAfter(streamOf(scope.kind, scope.id), afterId, limit);
      return keys.map(lastSegment);
    } catch (error) {
      throw this.#told(error);
    }
  }

  async #allEvents(afterId: string, limit: number): Promise<Buffer[]> {
    const found: Buffer[] = [];
    const { lt } = keysUnder('e/');
    for await (const page of this.#store.entries({ gt: eventKey(afterId), lt, limit }))
      for (const [key, sealed] of page) found.push(unseal(sealed, key));
    return found;
  }

  async #streamEvents(scope: Stream, afterId: string, limit: number): Promise<Buffer[]> {
    const prefix = streamOf(scope.kind, scope.id);
    const keys = await this.#idsAfter(prefix, afterId, limit);
    const records = isDense(keys) ? await this.#scan(keys) : await this.#store.getMany(keys);
    return keys.map((key, at) => {
      const sealed = records[at];
      if (sealed === undefined && lastSegment(key) < this.#cutOf(scope)) throw cursorExpired();
      if (sealed === undefined)
        throw new IntegrityError(key, 'an event named by its stream index', 'no event');
      return unseal(sealed, key);
    });
  }

  /** Keys of the events of a stream. A row that begins before `afterId` ends behind it, and so does its key. */
  async #idsAfter(prefix: string, afterId: string, limit: number): Promise<string[]> {
    const { lt } = keysUnder(prefix);
    const keys: string[] = [];
    for await (const page of this.#store.entries({ gt: prefix + afterId, lt, limit }))
      for (const [key, value] of page)
        for (const id of idsOfRow(key, value)) {
          if (id > afterId) keys.push(eventKey(id));
          if (keys.length === limit) return keys;
        }
    return keys;
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
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
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

/** An event whose record is as it was written. */
function readable(sealed: Buffer, key: string): Event | undefined {
  try {
    return storedEvent(unseal(sealed, key)).event;
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

/** Newest event id in the store; `NO_EVENT` when there is none. */
export async function newestEventId(store: Store): Promise<string> {
  for await (const [key] of store.keys({ ...keysUnder('e/'), reverse: true, limit: 1 }))
    if (key !== undefined) return lastSegment(key);
  return NO_EVENT;
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
