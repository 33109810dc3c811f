import type { CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { eventIdOf, eventNumberOf, timestamp } from '#protocol/ports.ts';
import { commitKey, eventKey, isEventKey } from '#store/keys.ts';
import { storeUnavailable } from '#store/level-errors.ts';
import { seal, sealedHash } from '#store/sealed-record.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { BASE_MARKER, baseEntryOf, isListRow, MARKER_ENTRY, rowHash } from './base-row.ts';
import type { CommitEntry, CommitRecord } from './commit-record.ts';
import type { Event, LogHead, Origin, StoredEvent, StreamScope, WrittenGroup } from './event-log.ts';
import type { FoldCodec, FoldRecord, StateCache } from './fold-record.ts';
import type { LogReader } from './log-reader.ts';
import { EPOCH_GAP, storedEvents } from './segment.ts';
import { type EarlierState, StagedChanges } from './staged-transaction.ts';

interface GroupHooks {
  /** Takes everything staged so far and returns its operations; an empty list means nothing was staged. */
  seal(): readonly WriteOp[];
  /** Monotonic milliseconds. */
  now(): number;
  /** What `seal` returned last is durable. Runs before the waiters of the group resume. */
  onDurable(took: Omit<WrittenGroup, 'transactions'>): void;
  /** The group failed; whether its bytes reached the disk is unknown. Nothing is sealed until `resume`. */
  onFailure(error: ProtocolError): void;
}

interface Group {
  /** Monotonic milliseconds of its first transaction. */
  openedMs: number;
  promise: Promise<void>;
  resolve(): void;
  reject(error: ProtocolError): void;
}

/**
 * Group commit: one write at a time, and each takes whatever arrived while the one before was in flight. There is no delay
 * timer: an idle writer starts within the same turn of the event loop.
 */
export class GroupWriter {
  readonly #store: Store;
  readonly #hooks: GroupHooks;
  #waiting: Group | undefined;
  #scheduled = false;
  #writing = false;
  #failure: ProtocolError | undefined;

  constructor(store: Store, hooks: GroupHooks) {
    this.#store = store;
    this.#hooks = hooks;
  }

  /**
   * The promise of the group that holds everything staged so far, shared by all its callers; resolves after fsync, rejects
   * with `service_unavailable`. With nothing staged it resolves once the write in flight is durable.
   */
  flush(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting ??= newGroup(this.#hooks.now());
    this.#schedule();
    return this.#waiting.promise;
  }

  /** Accepts groups again after a failure, once the store is open again. */
  resume(): void {
    this.#failure = undefined;
  }

  #schedule(): void {
    if (this.#writing || this.#scheduled || this.#waiting === undefined) return;
    this.#scheduled = true;
    // Requests that arrive in the same turn of the event loop share the group. Measured against a microtask: groups twice
    // as large under spread load, 15 % less CPU per event, and the same time for a single caller.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#writeGroup();
    });
  }

  async #writeGroup(): Promise<void> {
    const group = this.#waiting;
    if (group === undefined) return;
    this.#waiting = undefined;
    this.#writing = true;
    try {
      const ops = this.#hooks.seal();
      if (ops.length > 0) {
        const startedMs = this.#hooks.now();
        await this.#store.write(ops);
        const durableMs = this.#hooks.now();
        this.#hooks.onDurable({ writeMs: durableMs - startedMs, commitMs: durableMs - group.openedMs });
      }
      this.#writing = false;
      group.resolve();
      this.#schedule();
    } catch (cause) {
      this.#writing = false;
      this.#fail(group, cause);
    }
  }

  #fail(group: Group, cause: unknown): void {
    const failure =
      cause instanceof ProtocolError && cause.code === 'service_unavailable'
        ? cause
        : storeUnavailable('The log failed to write.', cause);
    const waiting = this.#waiting;
    this.#failure = failure;
    this.#waiting = undefined;
    this.#hooks.onFailure(failure);
    group.reject(failure);
    waiting?.reject(failure);
  }
}

function newGroup(openedMs: number): Group {
  let resolve: Group['resolve'] = () => undefined;
  let reject: Group['reject'] = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { openedMs, promise, resolve, reject };
}

/** Clocks are set right by a little all the time; more than that is a jump. */
export const CLOCK_TOLERANCE_MS = 60_000;
const CLOCK_SETTLED_MS = 600_000;

interface WrittenFold {
  key: string;
  /** Undefined: deleted. */
  fold: FoldRecord | undefined;
  chars: number;
  saidBy: string | undefined;
}

/** A group whose operations are being written. */
interface SealedGroup {
  changes: StagedChanges;
  folds: WrittenFold[];
  /** Hashes of the rows that it makes the base. */
  baseRows: ReadonlyMap<string, string>;
  head: LogHead;
  transactions: number;
}

/**
 * Everything that is not durable yet: the open group, which takes transactions, and the sealed one, which is being
 * fsynced. Reads see the open group first, then the sealed one, then the store.
 */
export class GroupStaging implements EarlierState {
  /** The newest durable events. */
  readonly recent = new RecentEvents();
  readonly partition: string;
  readonly #reader: LogReader;
  readonly #cache: StateCache;
  #durable: LogHead;
  #eventNumber: number;
  /** Ids left out before the open group. */
  #skipped = 0;
  #timeMs: number;
  /** Monotonic time at which the wall clock was first seen behind. */
  #behindSince: number | undefined;
  #time: CleanText;
  #open = new StagedChanges();
  #entries: CommitEntry[] = [];
  #sealed: SealedGroup | undefined;
  #hasBases: boolean | undefined;

  constructor(
    reader: LogReader,
    cache: StateCache,
    start: { head: LogHead; timeMs: number; partition: string },
  ) {
    this.partition = start.partition;
    this.#reader = reader;
    this.#cache = cache;
    this.#durable = start.head;
    this.#eventNumber = eventNumberOf(start.head.eventId);
    this.#timeMs = start.timeMs;
    this.#time = timestamp(start.timeMs);
  }

  get head(): LogHead {
    return this.#durable;
  }

  get eventNumber(): number {
    return this.#eventNumber;
  }

  /** Whether a reader may have seen something that is not durable. */
  get hasUnflushed(): boolean {
    return this.#sealed !== undefined || !this.#open.isEmpty;
  }

  /** Begins a new epoch of event ids behind this number. Nothing may be staged yet. */
  beginEpochBehind(newest: number): void {
    const start = newest + EPOCH_GAP;
    this.#skipped = start - this.#eventNumber;
    this.#eventNumber = start;
    this.recent.clear();
  }

  /** Of the newest transaction, epoch milliseconds. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /**
   * Time of the next transaction: the wall clock, but not before an earlier transaction. A wall clock that stays behind was
   * ahead before: after ten minutes it is believed, where `mayGoBack` has nothing against it.
   */
  timeAt(wallMs: number, monotonicMs: number, mayGoBack: (wallMs: number) => boolean): CleanText {
    if (this.#timeMs - wallMs > CLOCK_TOLERANCE_MS) this.#behindSince ??= monotonicMs;
    else this.#behindSince = undefined;
    const isSettled = this.#behindSince !== undefined && monotonicMs - this.#behindSince >= CLOCK_SETTLED_MS;
    if (wallMs > this.#timeMs || (isSettled && mayGoBack(wallMs))) {
      this.#timeMs = wallMs;
      this.#time = timestamp(wallMs);
      this.#behindSince = undefined;
    }
    return this.#time;
  }

  /** A transaction brings head and state of every resource it touches. */
  fold(key: string): FoldRecord | undefined {
    for (const changes of [this.#open, this.#sealed?.changes]) {
      if (changes === undefined || !(changes.states.has(key) || changes.heads.has(key))) continue;
      const fold = { head: changes.heads.get(key), state: changes.states.get(key) };
      return changes.bases.has(key) ? { ...fold, isBase: true } : fold;
    }
    return this.#reader.fold(key);
  }

  get mayHaveBases(): boolean {
    this.#hasBases ??= this.#reader.isCutOrDamaged();
    return this.#hasBases;
  }

  baseEntryAt(key: string): string | undefined {
    const changes = this.#changesOf(key);
    if (changes === undefined) return this.#reader.baseEntry(key);
    if (!changes.bases.has(key)) return undefined;
    if (isListRow(key)) return MARKER_ENTRY;
    return baseEntryOf(this.#reader.codec, key, {
      head: changes.heads.get(key),
      state: changes.states.get(key),
    });
  }

  baseHashBefore(key: string): string | undefined {
    if (this.#open.touches(key)) return this.#open.replaced.get(key);
    if (this.#sealed?.changes.touches(key)) return this.#sealed.baseRows.get(key);
    return this.#reader.baseHash(key);
  }

  hasMarker(key: string): boolean {
    const changes = this.#changesOf(key);
    return (changes ? changes.markers.get(key) : this.#reader.sealed(key)) !== undefined;
  }

  /** What is not durable yet of a derived row. */
  #changesOf(key: string): StagedChanges | undefined {
    return [this.#open, this.#sealed?.changes].find((changes) => changes?.touches(key));
  }

  record(key: string): Buffer | undefined {
    for (const changes of [this.#open, this.#sealed?.changes]) {
      if (changes?.erased.has(key)) return undefined;
      const staged = changes?.records.get(key);
      if (staged !== undefined) return staged;
    }
    return this.#reader.sealed(key);
  }

  hashBefore(key: string): string | undefined {
    const open = this.#open;
    if (open.records.has(key) || open.erased.has(key)) return open.replaced.get(key);
    const sealed = this.#sealed?.changes;
    if (sealed?.erased.has(key)) return undefined;
    const record = sealed?.records.get(key) ?? this.#reader.sealed(key);
    return record && sealedHash(record);
  }

  event(id: string): Event | undefined {
    for (const changes of [this.#open, this.#sealed?.changes])
      for (const { key, events } of changes?.segments ?? [])
        if (key >= eventKey(id)) {
          const found = events.find((event) => event.id === id);
          if (found !== undefined) return found;
        }
    return this.#reader.event(id)?.event;
  }

  /** Takes over a transaction whose decision returned. */
  merge(origin: Origin, changes: StagedChanges): void {
    const { events } = changes;
    this.#entries.push({ actor: origin.actor, trace_id: origin.traceId ?? null, events });
    this.#eventNumber += events;
    if (changes.bases.size > 0) this.#hasBases = true;
    this.#open.merge(changes);
  }

  /** Turns the open group into one commit and its operations; none when nothing was staged. */
  seal(): WriteOp[] {
    if (this.#open.isEmpty) return [];
    const changes = this.#open;
    const ops: WriteOp[] = [];
    const records = putRecords(changes, ops);
    const { folds, baseRows } = putFolds(changes, this.#reader.codec, ops);
    records.push(...baseRows);
    const commit: CommitRecord = {
      n: this.#durable.commit + 1,
      prev_hash: this.#durable.hash,
      time: this.#time,
      event_id: eventIdOf(this.#eventNumber, this.partition),
      ...(this.#skipped === 0 ? {} : { skipped_ids: this.#skipped }),
      entries: this.#entries,
      records,
      erased: [...changes.replaced],
    };
    const key = commitKey(commit.n);
    const sealed = seal(JSON.stringify(commit), key);
    ops.push({ type: 'put', key, value: sealed });
    const head = { commit: commit.n, hash: sealedHash(sealed), eventId: commit.event_id };
    this.#sealed = { changes, folds, baseRows, head, transactions: this.#entries.length };
    this.#open = new StagedChanges();
    this.#entries = [];
    this.#skipped = 0;
    return ops;
  }

  /** The sealed group is durable: its states move to the cache. Returns its events in order, and of how many transactions. */
  settle(): { events: StoredEvent[]; transactions: number } {
    const group = this.#sealed;
    if (group === undefined) return { events: [], transactions: 0 };
    this.#durable = group.head;
    this.#sealed = undefined;
    const { changes } = group;
    const events = changes.segments.flatMap(storedEvents);
    const sizes = new Map(events.map(({ event, bytes }) => [event.id, bytes.length]));
    for (const { key, fold, chars, saidBy } of group.folds) {
      if (fold === undefined) this.#cache.delete(key);
      else this.#cache.set(key, fold, { size: chars + (sizes.get(saidBy ?? '') ?? 0) + key.length });
    }
    // Earlier events were removed.
    if ([...changes.erased, ...changes.records.keys()].some(isEventKey)) this.recent.clear();
    this.recent.add(events);
    return { events, transactions: group.transactions };
  }

  /** Forgets everything that is not durable and starts again from what the store holds. */
  restart(head: LogHead): void {
    this.#open = new StagedChanges();
    this.#entries = [];
    this.#sealed = undefined;
    this.#hasBases = undefined;
    this.#cache.clear();
    this.recent.clear();
    this.#durable = head;
    this.#eventNumber = eventNumberOf(head.eventId);
    this.#skipped = 0;
  }
}

function putRecords(changes: StagedChanges, ops: WriteOp[]): [string, string][] {
  const sealed = changes.segments.map(({ key, sealed }): [string, Buffer] => [key, sealed]);
  sealed.push(...changes.records);
  for (const [key, value] of sealed) ops.push({ type: 'put', key, value });
  for (const key of changes.erased) ops.push({ type: 'del', key });
  return sealed.map(([key, value]) => [key, sealedHash(value)]);
}

/** Needs no read: a transaction brings head and state of every resource it touches. */
function putFolds(
  changes: StagedChanges,
  codec: FoldCodec,
  ops: WriteOp[],
): { folds: WrittenFold[]; baseRows: Map<string, string> } {
  const folds: WrittenFold[] = [];
  const baseRows = new Map<string, string>();
  const { states, heads, bases, markers } = changes;
  for (const key of new Set([...states.keys(), ...heads.keys()])) {
    const fold: FoldRecord = { head: heads.get(key), state: states.get(key) };
    const isBase = bases.has(key);
    if (isBase) fold.isBase = true;
    const encoded = codec.encode(key, fold);
    if (encoded === undefined) ops.push({ type: 'del', key });
    else ops.push({ type: 'put', key, value: encoded.value });
    if (encoded !== undefined && isBase) baseRows.set(key, rowHash(key, Buffer.from(encoded.value)));
    folds.push({ key, fold: encoded && fold, chars: encoded?.chars ?? 0, saidBy: encoded?.saidBy });
  }
  for (const [key, value] of markers)
    ops.push(value === undefined ? { type: 'del', key } : { type: 'put', key, value });
  for (const key of bases) if (markers.has(key)) baseRows.set(key, rowHash(key, Buffer.from(BASE_MARKER)));
  return { folds, baseRows };
}

/** Enough for a caller that begins to follow what it has just caused. A search through all of them takes microseconds. */
const MAX_RECENT_EVENTS = 1_024;
const MAX_RECENT_BYTES = 4 * 1024 * 1024;

/**
 * The newest durable events, without a gap, so that a stream that has just begun is read without the store. Whole commits
 * enter and leave, because a commit holds the beginning of a stream as a whole.
 */
export class RecentEvents {
  #commits: (readonly StoredEvent[])[] = [];
  #events: StoredEvent[] = [];
  #bytes = 0;

  /** Takes the events of the next commit. */
  add(commit: readonly StoredEvent[]): void {
    if (commit.length === 0) return;
    this.#commits.push(commit);
    for (const stored of commit) {
      this.#events.push(stored);
      this.#bytes += stored.bytes.length;
    }
    if (this.#events.length > 2 * MAX_RECENT_EVENTS || this.#bytes > 2 * MAX_RECENT_BYTES)
      this.#forgetOldest();
  }

  /** Forgets everything: events were removed or changed in the store, or what was thought durable is not. */
  clear(): void {
    this.#commits = [];
    this.#events = [];
    this.#bytes = 0;
  }

  /**
   * The events of a stream after `afterId` (20 zeros: from its beginning), at most `limit`; undefined when that is not
   * among the newest ones, or `afterId` is none of the stream's.
   */
  range(scope: StreamScope, afterId: string, limit: number): StoredEvent[] | undefined {
    const from = scope.kind === 'all' ? undefined : this.#placeAfter(scope, afterId);
    if (from === undefined || scope.kind === 'all') return undefined;
    const found: StoredEvent[] = [];
    for (let at = from; at < this.#events.length && found.length < limit; at += 1) {
      const stored = this.#events[at];
      if (stored !== undefined && isOf(scope, stored.event)) found.push(stored);
    }
    return found;
  }

  #placeAfter(scope: Stream, afterId: string): number | undefined {
    const first = this.#events[0];
    if (first === undefined) return undefined;
    const after = eventNumberOf(afterId);
    if (after === 0) return this.#beginning(scope);
    const at = after - eventNumberOf(first.event.id);
    const last = this.#events[at];
    return last !== undefined && isOf(scope, last.event) ? at + 1 : undefined;
  }

  /** A stream begins in the commit that makes its resource; the first event of it may stand before that one. */
  #beginning(stream: Stream): number | undefined {
    let from = this.#events.length;
    for (let at = this.#commits.length - 1; at >= 0; at -= 1) {
      const commit = this.#commits[at] ?? [];
      from -= commit.length;
      if (commit.some(({ event }) => makes(event, stream))) return from;
    }
    return undefined;
  }

  /** Down to half, so that this is seldom done. */
  #forgetOldest(): void {
    let count = 0;
    while (this.#events.length - count > MAX_RECENT_EVENTS || this.#bytes > MAX_RECENT_BYTES) {
      const commit = this.#commits.shift();
      if (commit === undefined) break;
      count += commit.length;
      for (const { bytes } of commit) this.#bytes -= bytes.length;
    }
    this.#events = this.#events.slice(count);
  }
}

type Stream = Exclude<StreamScope, { kind: 'all' }>;

function makes({ resource, sequence }: Event, { kind, id }: Stream): boolean {
  return sequence === 1 && resource.id === id && resource.object === kind;
}

function isOf({ kind, id }: Stream, event: Event): boolean {
  return (kind === 'session' ? event.session_id : event.task_id) === id;
}
