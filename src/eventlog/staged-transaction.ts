import { type CleanText, own } from '#protocol/clean.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { baseKey, isWrittenOnce, KEY_KINDS } from '#store/keys.ts';
import { SEAL_BYTES, seal, unseal } from '#store/sealed-record.ts';
import { BASE_MARKER, isDerivedRow } from './base-row.ts';
import type {
  Event,
  NewEvent,
  Origin,
  Projection,
  RecordedOrigin,
  State,
  StateWriter,
  Transaction,
} from './event-log.ts';
import {
  buildEvent,
  copyOf,
  type Drafts,
  type FoldCodec,
  type FoldRecord,
  isResource,
  type ResourceHead,
  recordOf,
} from './fold-record.ts';
import { lockedOnDamage } from './log-reader.ts';
import { type SealedSegment, SegmentWriter, saidBy, streamRows } from './segment.ts';

/** What the transactions before this one left behind, durable or not. */
export interface EarlierState {
  /** Number of the newest event. */
  readonly eventNumber: number;
  /** Of the log; event ids begin with it. */
  readonly partition: string;
  /** The record of a derived key. */
  fold(key: string): FoldRecord | undefined;
  /** Whether a list has this key. */
  hasMarker(key: string): boolean;
  /** False as long as nothing was removed from the log: then no derived row is the base. */
  readonly mayHaveBases: boolean;
  /** The base entry of a derived row that is the base itself. Undefined for others. */
  baseEntryAt(key: string): string | undefined;
  /** The hash by which a commit before the open one names a derived row, being the base; undefined for others. */
  baseHashBefore(key: string): string | undefined;
  /** A sealed primary record. */
  record(key: string): Buffer | undefined;
  event(id: string): Event | undefined;
  /** Hash of the record under a key as the commits before the open one left it. */
  hashBefore(key: string): string | undefined;
}

interface TransactionParts {
  origin: Origin;
  time: CleanText;
  earlier: EarlierState;
  projection: Projection;
  codec: FoldCodec;
}

const MARKER = '';
/** Of a key that has no record. */
const NONE: FoldRecord = {};

/**
 * One transaction while its decision runs. Nothing leaves it before the log merges `changes`. The folds write to it too; a
 * decision sees it as a Transaction only.
 */
export class StagedTransaction implements Transaction, StateWriter {
  readonly changes = new StagedChanges();
  readonly actions: (() => void)[] = [];
  readonly #lastActions: (() => void)[] = [];
  readonly #segments = new SegmentWriter();
  /** Records of earlier transactions that were looked for; they cannot change while this one decides. */
  readonly #seen = new Map<string, FoldRecord>();
  /** Records that are not made yet. */
  readonly #later = new Map<string, () => string>();
  readonly time: CleanText;
  readonly #parts: TransactionParts;
  /** Number of the newest event before this transaction. */
  readonly #eventNumber: number;
  readonly #partition: string;
  readonly #drafts: Drafts = new Map();
  /** Derived rows that go for good, and their base with them. */
  readonly #dropped = new Set<string>();
  #isFolding = false;

  constructor(parts: TransactionParts) {
    this.time = parts.time;
    this.#parts = parts;
    this.#eventNumber = parts.earlier.eventNumber;
    this.#partition = parts.earlier.partition;
  }

  get position(): CleanText {
    return own(eventIdOf(this.#eventNumber + this.#segments.events, this.#partition));
  }

  get<S extends State>(key: string): S | undefined {
    // A decision may hold what it has read while more is appended.
    if (!this.#isFolding) this.#drafts.delete(key);
    const { states } = this.changes;
    // The caller names the type of the states under its own keys.
    if (states.has(key)) return states.get(key) as S | undefined;
    const { state } = this.#seen.get(key) ?? this.#look(key);
    return state as S | undefined;
  }

  #look(key: string): FoldRecord {
    const found = this.#parts.earlier.fold(key) ?? NONE;
    this.#seen.set(key, found);
    return found;
  }

  draft<S extends State>(key: string): S | undefined {
    const open = this.#drafts.get(key) as S | undefined;
    if (open !== undefined) return open;
    const state = this.get<S>(key);
    if (state === undefined) return undefined;
    const draft = copyOf(state);
    this.#drafts.set(key, draft);
    this.changes.states.set(key, draft);
    return draft;
  }

  set(key: string, state: State | undefined): void {
    this.#drafts.delete(key);
    this.changes.states.set(key, state);
  }

  said<Value extends object>(event: Event, value: Value): Value {
    return saidBy(event, value);
  }

  index(key: string): void {
    this.changes.markers.set(key, MARKER);
  }

  unindex(key: string): void {
    this.changes.markers.set(key, undefined);
  }

  /** Writes or deletes a row of a stream. */
  putRow(key: string, row: string | undefined): void {
    this.changes.markers.set(key, row);
  }

  /** Head of the resource that has this key. */
  headAt(key: string): ResourceHead | undefined {
    const staged = this.changes.heads;
    return staged.has(key) ? staged.get(key) : (this.#seen.get(key) ?? this.#look(key)).head;
  }

  /** Whether a list has this key, by this transaction and those before it. */
  hasMarker(key: string): boolean {
    const { markers } = this.changes;
    return markers.has(key) ? markers.get(key) !== undefined : this.#parts.earlier.hasMarker(key);
  }

  /** Whether the transactions before this one left a derived row that is the base. */
  isBase(key: string): boolean {
    return this.#parts.earlier.baseEntryAt(key) !== undefined;
  }

  /** Removes a derived row for good. */
  dropRow(key: string): void {
    this.#dropped.add(key);
    if (key.startsWith(KEY_KINDS.list.prefix)) this.unindex(key);
    else this.set(key, undefined);
    if (isResource(key)) this.changes.heads.set(key, undefined);
  }

  /** Lets the decision decide, and makes what it changed whole. */
  run<T>(decide: (tx: StagedTransaction) => T): T {
    const result = decide(this);
    for (const action of this.#lastActions) action();
    for (const key of this.#later.keys()) this.#makeLater(key);
    this.#complete();
    this.#sealSegments();
    return result;
  }

  /**
   * Adds the other half of every resource of which only the state or only the head changed: both are one record. Read here
   * and not when the group is sealed, so that a damaged record refuses this transaction alone.
   */
  #complete(): void {
    const { states, heads } = this.changes;
    for (const key of states.keys()) {
      const head = !heads.has(key) && isResource(key) ? this.headAt(key) : undefined;
      if (head !== undefined) heads.set(key, head);
    }
    for (const key of heads.keys()) {
      const state = states.has(key) ? undefined : this.get(key);
      if (state !== undefined) states.set(key, state);
    }
    if (this.#parts.earlier.mayHaveBases) this.#keepBases();
  }

  #keepBases(): void {
    const { states, heads, markers } = this.changes;
    const before = eventIdOf(this.#eventNumber, this.#partition);
    const isNew = (head?: ResourceHead) => head?.sequence === 1 && head.event_id > before;
    for (const key of new Set([...states.keys(), ...heads.keys(), ...markers.keys()]))
      if (isDerivedRow(key) && !isNew(heads.get(key))) this.#keepBase(key);
  }

  /** Of a row that is the base and changes, what it was is kept for the rebuild of the folds. */
  #keepBase(key: string): void {
    const entry = this.#parts.earlier.baseEntryAt(key);
    if (entry === undefined) return;
    const { bases, records, replaced } = this.changes;
    const hash = this.#parts.earlier.baseHashBefore(key);
    if (hash !== undefined) replaced.set(key, hash);
    // A removal of events says itself what the base is from now on.
    if (bases.has(key) || this.#dropped.has(key) || records.has(baseKey(key))) return;
    this.record(baseKey(key), entry);
  }

  /** Says that a fold, as it is after this transaction, is the base of what was removed. */
  makeBase(key: string, { head, state }: FoldRecord): void {
    if (head !== undefined) this.changes.heads.set(key, head);
    this.changes.states.set(key, state);
    this.changes.bases.add(key);
  }

  /** The same for a list key that is there. */
  makeBaseMarker(key: string): void {
    this.changes.markers.set(key, BASE_MARKER);
    this.changes.bases.add(key);
  }

  #sealSegments(): void {
    this.changes.segments.push(...this.#segments.seal());
    for (const { key, events } of this.changes.segments)
      for (const [row, value] of streamRows(key, events)) this.putRow(row, value);
  }

  append(input: NewEvent): Event {
    const { origin, time, projection } = this.#parts;
    const record = recordOf(input.resource);
    const head = input.isFirst ? undefined : this.headAt(record);
    const content = { payload: input.payload, metadata: input.metadata ?? {} };
    const number = this.#eventNumber + this.#segments.events + 1;
    const event = buildEvent(input, content, input.recorded ? originOf(input.recorded) : origin, {
      id: eventIdOf(number, this.#partition),
      sequence: (head?.sequence ?? 0) + 1,
      previousEventId: head?.event_id ?? null,
      time: input.recorded?.created_at ?? time,
    });
    this.#segments.add(event);
    this.changes.heads.set(record, { event_id: event.id, sequence: event.sequence });
    this.#isFolding = true;
    try {
      projection(event, this);
    } finally {
      this.#isFolding = false;
    }
    return event;
  }

  record(key: string, value: Buffer | string): void {
    if (!isWrittenOnce(key)) this.#replace(key);
    this.changes.record(key, seal(value, key));
  }

  recordLater(key: string, make: () => string): void {
    this.#later.set(key, make);
  }

  #makeLater(key: string): void {
    const make = this.#later.get(key);
    if (make === undefined) return;
    this.#later.delete(key);
    this.record(key, make());
  }

  erase(key: string): void {
    this.#later.delete(key);
    this.#replace(key);
    this.changes.erase(key);
  }

  #replace(key: string): void {
    const before = this.#parts.earlier.hashBefore(key);
    if (before !== undefined) this.changes.replaced.set(key, before);
  }

  recorded(key: string): Buffer | undefined {
    this.#makeLater(key);
    if (this.changes.erased.has(key)) return undefined;
    const staged = this.changes.records.get(key);
    // It was sealed in this very transaction.
    if (staged !== undefined) return staged.subarray(SEAL_BYTES);
    const sealed = this.#parts.earlier.record(key);
    return sealed === undefined ? undefined : lockedOnDamage(() => unseal(sealed, key));
  }

  eventsBehind(position: string): Event[] {
    return this.#segments.behind(position);
  }

  event(id: string): Event | undefined {
    return this.#segments.find(id) ?? lockedOnDamage(() => this.#parts.earlier.event(id));
  }

  atEnd(action: () => void): void {
    this.#lastActions.push(action);
  }

  afterCommit(action: () => void): void {
    this.actions.push(action);
  }
}

function originOf({ actor, trace_id, span_id }: RecordedOrigin): Origin {
  return { actor, ...(trace_id ? { traceId: trace_id } : {}), ...(span_id ? { spanId: span_id } : {}) };
}

/** A primary record as it will be stored: 32-byte hash, then the content. */
type SealedRecord = Buffer;

/**
 * Changes not durable yet: of one transaction, or merged of a group. States stay objects and are serialised once, when the
 * group is sealed, so that ten transactions on one task cost one serialisation.
 */
export class StagedChanges {
  readonly segments: SealedSegment[] = [];
  readonly states = new Map<string, State | undefined>();
  /** Keys of derived rows that are the base from now on. */
  readonly bases = new Set<string>();
  /** By the key of the resource's record; undefined for one whose record goes whole. */
  readonly heads = new Map<string, ResourceHead | undefined>();
  /** Index keys and rows of streams; undefined deletes the key. */
  readonly markers = new Map<string, string | undefined>();
  readonly records = new Map<string, SealedRecord>();
  readonly erased = new Set<string>();
  /** Hashes of the records before the open group that were erased or written over. */
  readonly replaced = new Map<string, string>();

  record(key: string, sealed: SealedRecord): void {
    this.erased.delete(key);
    this.records.set(key, sealed);
  }

  erase(key: string): void {
    this.records.delete(key);
    this.erased.add(key);
  }

  /** Whether a derived row is written or deleted. */
  touches(key: string): boolean {
    return this.states.has(key) || this.heads.has(key) || this.markers.has(key);
  }

  get events(): number {
    return this.segments.reduce((sum, { events }) => sum + events.length, 0);
  }

  get isEmpty(): boolean {
    const { segments, records, erased, replaced, bases } = this;
    return segments.length === 0 && [records, erased, replaced, bases].every(({ size }) => size === 0);
  }

  /** Takes over the later changes of `other`. */
  merge(other: StagedChanges): void {
    this.segments.push(...other.segments);
    for (const [key, state] of other.states) {
      this.states.set(key, state);
      this.bases.delete(key);
    }
    for (const [key, head] of other.heads) {
      this.heads.set(key, head);
      this.bases.delete(key);
    }
    for (const [key, marker] of other.markers) {
      this.markers.set(key, marker);
      this.bases.delete(key);
    }
    for (const key of other.bases) this.bases.add(key);
    for (const [key, sealed] of other.records) this.record(key, sealed);
    for (const key of other.erased) this.erase(key);
    for (const [key, sha256] of other.replaced) this.replaced.set(key, sha256);
  }
}
