import { timestamp } from '../protocol/ports.ts';
import { commitKey, eventIdOf } from '../store/keys.ts';
import { SEAL_BYTES, seal, sealedHash } from '../store/sealed-record.ts';
import type { WriteOp } from '../store/store.ts';
import { type CommitEntry, type CommitRecord, joinEventHashes } from './commit-record.ts';
import { eventNumberOf } from './event-id.ts';
import type { LogHead, Origin, State, StoredEvent } from './event-log.ts';
import type { LogReader } from './log-reader.ts';
import { StagedChanges } from './staged-changes.ts';
import type { EarlierState } from './staged-transaction.ts';
import type { StateCache } from './state-cache.ts';

const MARKER = Buffer.alloc(0);

interface FoldedState {
  key: string;
  state: State | undefined;
  chars: number;
}

/** A group whose operations are being written. */
interface SealedGroup {
  changes: StagedChanges;
  folds: FoldedState[];
  head: LogHead;
}

/**
 * Everything that is not durable yet: the open group, which takes transactions, and the sealed one, which is being
 * fsynced. Reads see the open group first, then the sealed one, then the store.
 */
export class GroupStaging implements EarlierState {
  readonly #reader: LogReader;
  readonly #cache: StateCache;
  #durable: LogHead;
  #eventNumber: number;
  #timeMs: number;
  #time: string;
  #open = new StagedChanges();
  #entries: CommitEntry[] = [];
  #sealed: SealedGroup | undefined;

  constructor(reader: LogReader, cache: StateCache, start: { head: LogHead; timeMs: number }) {
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

  /** Time of the next transaction: the wall clock, but never before an earlier transaction. */
  timeAt(wallMs: number): string {
    if (wallMs > this.#timeMs) {
      this.#timeMs = wallMs;
      this.#time = timestamp(wallMs);
    }
    return this.#time;
  }

  state(key: string): State | undefined {
    if (this.#open.states.has(key)) return this.#open.states.get(key);
    if (this.#sealed?.changes.states.has(key)) return this.#sealed.changes.states.get(key);
    return this.#reader.state(key);
  }

  record(key: string): Buffer | undefined {
    for (const changes of [this.#open, this.#sealed?.changes]) {
      if (changes?.erased.has(key)) return undefined;
      const staged = changes?.records.get(key);
      if (staged !== undefined) return staged;
    }
    return this.#reader.sealed(key);
  }

  /** Takes over a transaction whose decision returned. */
  merge(origin: Origin, changes: StagedChanges): void {
    this.#entries.push({
      actor: origin.actor,
      trace_id: origin.traceId ?? null,
      events: changes.events.length,
    });
    this.#eventNumber += changes.events.length;
    this.#open.merge(changes);
  }

  /** Turns the open group into one commit and its operations; none when nothing was staged. */
  seal(): WriteOp[] {
    if (this.#open.isEmpty) return [];
    const changes = this.#open;
    const ops: WriteOp[] = [];
    const records = putRecords(changes, ops);
    const folds = putFolds(changes, ops);
    const commit: CommitRecord = {
      n: this.#durable.commit + 1,
      prev_hash: this.#durable.hash,
      time: this.#time,
      event_id: eventIdOf(this.#eventNumber),
      entries: this.#entries,
      event_hashes: joinEventHashes(changes.events.map(({ sealed }) => sealed)),
      records,
      erased: [...changes.erased],
    };
    const key = commitKey(commit.n);
    const sealed = seal(JSON.stringify(commit), key);
    ops.push({ type: 'put', key, value: sealed });
    const head = { commit: commit.n, hash: sealedHash(sealed), eventId: commit.event_id };
    this.#sealed = { changes, folds, head };
    this.#open = new StagedChanges();
    this.#entries = [];
    return ops;
  }

  /** The sealed group is durable: its states move to the cache. Returns its events in order. */
  settle(): StoredEvent[] {
    const group = this.#sealed;
    if (group === undefined) return [];
    for (const { key, state, chars } of group.folds) {
      if (state === undefined) this.#cache.delete(key);
      else this.#cache.set(key, state, chars);
    }
    this.#durable = group.head;
    this.#sealed = undefined;
    return group.changes.events.map(({ event, sealed }) => ({ event, bytes: sealed.subarray(SEAL_BYTES) }));
  }

  /** Forgets everything that is not durable and starts again from what the store holds. */
  restart(head: LogHead): void {
    this.#open = new StagedChanges();
    this.#entries = [];
    this.#sealed = undefined;
    this.#cache.clear();
    this.#durable = head;
    this.#eventNumber = eventNumberOf(head.eventId);
  }
}

function putRecords(changes: StagedChanges, ops: WriteOp[]): [string, string][] {
  const records: [string, string][] = [];
  for (const { key, sealed } of changes.events) ops.push({ type: 'put', key, value: sealed });
  for (const [key, sealed] of changes.records) {
    ops.push({ type: 'put', key, value: sealed });
    records.push([key, sealedHash(sealed)]);
  }
  for (const key of changes.erased) ops.push({ type: 'del', key });
  return records;
}

function putFolds(changes: StagedChanges, ops: WriteOp[]): FoldedState[] {
  const folds: FoldedState[] = [];
  for (const [key, state] of changes.states) {
    const json = state === undefined ? undefined : JSON.stringify(state);
    ops.push(json === undefined ? { type: 'del', key } : { type: 'put', key, value: seal(json, key) });
    folds.push({ key, state, chars: json?.length ?? 0 });
  }
  for (const [key, present] of changes.markers)
    ops.push(present ? { type: 'put', key, value: MARKER } : { type: 'del', key });
  return folds;
}
