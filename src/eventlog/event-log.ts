import type { CleanObject, CleanText } from '#protocol/clean.ts';
import type { EventKind } from '#protocol/event-kinds.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ReplayEventMetadata } from '#resources/replay/schema.ts';
import type { DiskShortage, StoreCompaction, WriteOp } from '#store/store.ts';

export interface ResourcePointer {
  object: string;
  id: string;
}

/** The origin of an event that was recorded elsewhere; it keeps its time. */
export interface RecordedOrigin {
  actor: string | null;
  trace_id: string | null;
  span_id: string | null;
  /** RFC 3339. */
  created_at: string;
}

/**
 * What a decision says happened; the log adds id, sequence, time and the link to the resource's previous event. It is stored
 * as it is: a text in it is clean, or it does not compile (src/redaction/README.md).
 */
export interface NewEvent {
  event: EventKind;
  resource: ResourcePointer;
  workspace_id?: string;
  session_id?: string;
  task_id?: string;
  payload: CleanObject;
  metadata?: CleanObject;
  /** The receipt that proves it, issued in the same transaction. */
  receipt_id?: string;
  /** Set for an event that another gateway recorded: who did it, and when; default: the transaction's. */
  recorded?: RecordedOrigin;
  /** Set for an event that a replay made of a recorded one. */
  replay?: ReplayEventMetadata;
  /** The resource gets its id in this transaction, so it can have no earlier event and none is looked up. */
  isFirst?: boolean;
}

/** An Event as stored and sent. Keys are written in RFC 8785 order. Source: Agents Protocol v1, "Event". */
export interface Event {
  actor: string | null;
  created_at: string;
  event: EventKind;
  /** 20-digit decimal, one order over the whole gateway. */
  id: string;
  metadata: JsonObject;
  object: 'event';
  payload: JsonObject;
  previous_event_id: string | null;
  /** Only where a receipt was issued for it. */
  receipt_id?: string;
  replay?: ReplayEventMetadata;
  replayed?: true;
  resource: ResourcePointer;
  /** 1..n per resource, without gaps. */
  sequence: number;
  session_id: string | null;
  span_id: string | null;
  task_id: string | null;
  trace_id: string | null;
  updated_at: string;
  workspace_id: string | null;
}

/** An event with the bytes that were hashed, stored and are sent. */
export interface StoredEvent {
  event: Event;
  bytes: Buffer;
}

/** A segment as it was read: the unit in which events are stored and hashed. */
export interface Segment {
  key: string;
  firstId: string;
  lastId: string;
  /** Of its content, lower-case hex. */
  sha256: string;
  /** The bytes of its events, oldest first. */
  events: Buffer[];
}

/** Who caused a transaction. `actor` is null for the gateway itself. */
export interface Origin {
  actor: string | null;
  traceId?: string;
  spanId?: string;
}

/** A folded state: any JSON object; immutable once set. */
export type State = object;

/** Read side of the folds as a decision sees them: all earlier transactions included, durable or not. */
export interface StateReader {
  get<S extends State>(key: string): S | undefined;
}

/** Write side given to a projection. `index` puts an empty marker key, for lists. */
export interface StateWriter extends StateReader {
  /**
   * The state to change in place: a copy that this transaction made at its first change. Its own members and those of its
   * `resource` and `internal` may be set; what these hold is shared, and is replaced instead. Only while the event is folded.
   */
  draft<S extends State>(key: string): S | undefined;
  set(key: string, state: State | undefined): void;
  /** A copy of what this event says, for a state: its row names the event instead of repeating it. It cannot be changed. */
  said<Value extends object>(event: Event, value: Value): Value;
  index(key: string): void;
  unindex(key: string): void;
}

/** Folds one event into states and indexes. Pure: no clock, no randomness, no I/O but the writer. */
export type Projection = (event: Event, states: StateWriter) => void;

export interface Transaction extends StateReader {
  /** RFC 3339 time of this transaction; all its events carry it. */
  readonly time: CleanText;
  /** Id of the newest event before the next one it appends; 20 zeros for none. */
  readonly position: CleanText;
  /** Appends an event, folds it at once and returns it as it will be stored. */
  append(event: NewEvent): Event;
  /** Writes a primary record that is no event (frame, blob piece, idempotency record), hashed into the commit. */
  record(key: string, value: Buffer | string): void;
  /** The same, with a value that is made when it is first read, or at the end: it may name what is appended until then. */
  recordLater(key: string, make: () => string): void;
  /** Deletes a primary record for good (a sent sealed input, an expired idempotency record). */
  erase(key: string): void;
  /** A primary record as this transaction sees it: staged first, else durable. */
  recorded(key: string): Buffer | undefined;
  /** An event as this transaction sees it: its own, staged ones, else durable. */
  event(id: string): Event | undefined;
  /** What this transaction appended behind one of its positions, oldest first. */
  eventsBehind(position: string): Event[];
  /** Runs when the decision is made, in order: what it appends comes after all else of this transaction. */
  atEnd(action: () => void): void;
  /** Calls back once the transaction is durable and its result was taken (never when it failed). */
  afterCommit(action: () => void): void;
}

/** The beginning of a session that has to go. */
export interface HistoryRemoval {
  sessionId: string;
  /** Newest event to remove, one of the session's. */
  throughId: string;
  /** The other session whose states an event was folded from (a fork copies a transcript). Default: none. */
  readsFrom?(event: Event): string | undefined;
  /** Asked in the transaction itself: whether nothing may be removed after all. Default: no. */
  isKept?(states: StateReader): boolean;
}

/** Events of a session that lose what they said, and keep their ids, kinds, order and links. */
export interface HistoryErasure extends Omit<HistoryRemoval, 'throughId'> {
  /** The events behind this one, up to and including `throughId`. */
  afterId: string;
  throughId: string;
  /** What is left of an event; undefined where it stays as it is. */
  left(event: Event): Pick<Event, 'payload' | 'metadata'> | undefined;
}

/** What was folded from events that are gone, and goes for good itself. */
export interface RowRemoval {
  /** Derived rows, with what the base has of them. */
  rows: readonly string[];
  /** Shared folds that lose a part: the state after it, undefined for none left. Asked twice, of the row and of its base. */
  changes: ReadonlyMap<string, (state: State) => State | undefined>;
  /** Primary records that go, by the states after the changes; those that are gone already are passed over. */
  erased(after: StateReader): readonly string[];
  /** Asked in the transaction itself: whether nothing may be removed after all. Default: no. */
  isKept?(states: StateReader): boolean;
  /** What is recorded in the same transaction. */
  also?(tx: Transaction): void;
  /** A primary record that stands for it: its content after this, by what it is before. */
  record?: { key: string; next(before: Buffer | undefined): string };
}

/** Commits by their numbers, first and last. */
export interface CommitSpan {
  from: number;
  through: number;
}

/** The stream of one Session or Task. */
export interface StreamOfOne {
  kind: 'session' | 'task';
  id: string;
}

/** What a range read or a subscription covers. */
export type StreamScope =
  | { kind: 'all'; workspaceId?: string }
  | { kind: 'session'; id: string }
  | { kind: 'task'; id: string };

export interface LogHead {
  commit: number;
  /** Hash of the newest commit record, hex SHA-256; 64 zeros for an empty log. */
  hash: string;
  /** Id of the newest event; 20 zeros for an empty log. */
  eventId: string;
}

/**
 * What the log was at one moment, signed and kept in its own file: the store alone cannot show that its tail was cut.
 * Keys are written in RFC 8785 order.
 */
export interface Checkpoint {
  commit: number;
  event_id: string;
  hash: string;
  key_id: string;
  log_id: string;
  /** Standard base64 of the Ed25519 signature over the JSON of the other members. */
  signature: string;
  time: string;
}

/** Where a copy goes on: the newest commit of the one before it. */
export type CopyBase = Pick<LogHead, 'commit' | 'hash'>;

/**
 * The log as it was at one moment, to be written elsewhere: its commits and what they name. What is folded from that is not in it.
 */
export interface LogCopy {
  /** Of the newest commit in it, signed now. */
  readonly checkpoint: Checkpoint;
  /**
   * The records in pieces of a quarter of a mebibyte, each looked at before it is handed on; behind a base, what was written since,
   * and the keys of what went. Throws IntegrityError for what is not as it was written.
   */
  rows(): AsyncGenerator<WriteOp[], void>;
  /** Lets go of the moment; reading ends with `service_unavailable`. */
  close(): Promise<void>;
}

/**
 * `ok`: serves. `truncated`: the store holds less than the signed checkpoint says; reads only, until
 * `log accept-truncation`. `damaged`: a record fails its hash.
 */
export type Integrity =
  | { status: 'ok' }
  | { status: 'truncated'; expected: LogHead; found: LogHead }
  | { status: 'damaged'; where: string; expected: string; observed: string };

/** What was found damaged so far; reads of it throw `resource_locked`. */
export interface FoundDamage {
  /** Ranges of keys that were lost with blocks of the store. */
  ranges: number;
  /** Single records that failed their hash since the start. */
  records: number;
}

/** What an operator says of a log that holds less than it did. */
export interface AcceptedBecause {
  reason: CleanText;
  /** Which backup it was restored from. */
  backup?: CleanObject;
}

/** `open`: takes transactions. `fenced`: a write failed and the store is being reopened; reads only. */
export type LogStatus = 'open' | 'fenced' | 'closing' | 'closed';

/** What one write of the log took, in milliseconds. */
export interface WrittenGroup {
  transactions: number;
  /** The write with its fsync. */
  writeMs: number;
  /** From the first of its transactions until it was durable. */
  commitMs: number;
}

/** What the log has done since the start. */
export interface LogStatistics {
  /** The parsed states in memory, and how often one was asked for that was, or was not, there. */
  states: { hits: number; misses: number; kept: number };
  /** Absent where the store does not say. */
  compaction?: StoreCompaction;
}

/** The commit log. Transactions decide one at a time and are written in groups. No caller is answered before fsync. */
export interface EventLog {
  readonly integrity: Integrity;
  /** Readiness is `status === 'open' && integrity.status === 'ok'`. */
  readonly status: LogStatus;
  readonly damage: FoundDamage;
  /** Set while the log is fenced because its disk is full. */
  readonly shortage: DiskShortage | undefined;
  /** Made at the first start; names the log in its checkpoints. */
  readonly logId: string;
  /** Time of the newest transaction, epoch milliseconds: never far behind the wall clock, and ahead of one that was set back. */
  readonly timeMs: number;
  /** Newest durable head. */
  readonly head: LogHead;
  /** Newest commit of the signed checkpoint, once its file is durable: behind the head by about a second, never ahead of it. */
  readonly checkpointed: number;
  /**
   * Runs `decide` at once on the newest state; what it appended and recorded becomes part of one atomic commit, and the
   * promise resolves with its result after fsync. A throw leaves nothing behind and rejects, also only
   * once all it could have read is durable. While fenced, closing or
   * not `ok` it rejects with `service_unavailable`. A transaction that appended nothing resolves once all it could have
   * read is durable.
   */
  transact<T>(origin: Origin, decide: (tx: Transaction) => T): Promise<T>;
  /** A durable state; throws `resource_locked` (details.reason `integrity`) when the stored bytes fail their hash. */
  state<S extends State>(key: string): S | undefined;
  /** Keys of an index range, durable ones only, at most `limit`. */
  indexKeys(range: {
    gt?: string;
    gte?: string;
    lt?: string;
    lte?: string;
    reverse?: boolean;
    limit: number;
  }): Promise<string[]>;
  /** A primary record, hash verified. */
  record(key: string): Buffer | undefined;
  /** One event with its stored bytes, checked. */
  event(id: string): StoredEvent | undefined;
  /** The stored segment that holds an event, checked. */
  segment(id: string): Segment | undefined;
  /**
   * Stored bytes of the events after `afterId` (exclusive, 20 digits) in order, at most `limit`. After 20 zeros it begins
   * with what retention left; rejects with `cursor_expired` when events after another `afterId` were removed.
   */
  range(scope: StreamScope, afterId: string, limit: number): Promise<Buffer[]>;
  /**
   * The events that `range` would give, parsed and at once, when all of them are among the newest in memory; undefined
   * otherwise, and for every scope over sessions.
   */
  recent(scope: StreamScope, afterId: string, limit: number): StoredEvent[] | undefined;
  /** Ids of the events of one stream after `afterId`, at most `limit`, whether their records can be read or not. */
  eventIds(scope: StreamOfOne, afterId: string, limit: number): Promise<string[]>;
  /** Whether the id is a durable event of the scope and all of the scope's events after it are kept: what a cursor has to be. */
  holds(scope: StreamScope, id: string): boolean;
  /** Derived keys with the prefix, which ends in `/`, to which events that retention removed had folded. Durable ones only. */
  baseKeys(prefix: string): AsyncIterable<string>;
  /** Whether retention has removed the beginning of this session, or the base holds what it folded to. */
  isCut(sessionId: string): boolean;
  /**
   * Removes the events of a session from its beginning through `throughId`, in one commit; each stream begins from then on
   * with a mark that has the id of the last one (`vendor.harn_gateway.history_removed`). What they had folded to stays. Returns how many
   * events went; 0 when they are gone already. Calls must not overlap.
   */
  removeHistory(removal: HistoryRemoval): Promise<number>;
  /**
   * Takes what events of a session said out of the log, in one commit; ids, kinds, order and links stay, and cursors hold on. What all
   * events of the range had folded to becomes the base, which `removeRows` can then remove. Returns how many events lost
   * their words. Calls must not overlap, nor with `removeHistory`. A session is folded from its beginning on: the first range
   * begins behind `NO_EVENT`, the next one where that ended.
   */
  eraseHistory(erasure: HistoryErasure): Promise<number>;
  /**
   * Takes what single events said out of the log; ids, kinds, order and links stay. `also` is recorded in the same transaction: after
   * it the events that are left have to fold to what is stored. Calls must not overlap with `eraseHistory` and `removeHistory`.
   */
  eraseWords(
    ids: readonly string[],
    left: HistoryErasure['left'],
    also: (tx: Transaction) => void,
  ): Promise<void>;
  /** Id of the newest durable event of a resource. */
  newestEventOf(resource: ResourcePointer): string | undefined;
  /**
   * Puts a signed summary in the place of the records of commits of whose events none is left, in small commits, as long as
   * `goesOn` says so (default: to the end). Looked at are those up to the newest removed event, and of `spans`, first and last
   * number, those that did nothing but remove (default: none). Returns how many commits that were. Calls must not overlap.
   */
  summariseCommits(goesOn?: () => boolean, spans?: readonly CommitSpan[]): Promise<number>;
  /**
   * Removes derived rows of which all events were removed, in one commit: the rows, the base they were folded to and what lies
   * beside them. False, and nothing is removed, where an event that is kept has changed one of the rows since, or `isKept`.
   */
  removeRows(removal: RowRemoval): Promise<boolean>;
  /**
   * Takes the log as it is durable now, for a backup; `since`: only what was written behind that commit. Writes go on beside it.
   * Rejects with `conflict` as `openLogCopy` does, and with `service_unavailable` where transactions would. Close it.
   */
  copy(since?: CopyBase): Promise<LogCopy>;
  /** Frees the space of what was removed in a range of keys. */
  compact(range: { gte: string; lte: string }): Promise<void>;
  /** Takes what was deleted or written over off the disk, in the whole store. */
  purge(): Promise<void>;
  /**
   * Calls back with each group of committed events, in order, after fsync. A group whose write failed but which is found
   * after the reopen comes too, late and without what its write took. Returns the unsubscriber.
   */
  tail(listener: (events: readonly StoredEvent[], group?: WrittenGroup) => void): () => void;
  /** Counts for the operator; asked at each scrape. */
  statistics(): LogStatistics;
  /**
   * Calls back after a failed write once the store is open and verified again. States may then hold what its transaction
   * had been reported as failed (the outcome of a failed fsync is unknown), so code that reacts to commits looks again.
   */
  onReopen(listener: () => void): () => void;
  /**
   * Takes a `truncated` store (or a bad checkpoint file) as it is: records `vendor.harn_gateway.truncation_accepted`, writes
   * a new checkpoint and serves writes again. Event ids begin a new epoch, far above any that was given, so that none is
   * given again. Rejects with `conflict` when there is nothing to accept.
   */
  acceptTruncation(origin: Origin, why?: AcceptedBecause): Promise<void>;
  /**
   * The same for a whole data directory that was restored from a backup, which looks like one that lost nothing. The epoch begins
   * above what any other restore of that backup has given by now. Rejects with `conflict` when the log fails its check for another
   * reason than a truncation.
   */
  acceptRestore(origin: Origin, why?: AcceptedBecause): Promise<void>;
  /** Flushes, writes the checkpoint, closes the store. */
  close(): Promise<void>;
}
