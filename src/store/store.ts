/** Bounds of a key range; keys are ASCII strings ordered bytewise. `limit` counts entries (default: no limit). */
export interface KeyRange {
  gt?: string;
  gte?: string;
  lt?: string;
  lte?: string;
  reverse?: boolean;
  limit?: number;
}

export type WriteOp = { type: 'put'; key: string; value: Buffer | string } | { type: 'del'; key: string };

/**
 * `open`: serves and writes. `fenced`: a write failed, so nothing is written on this handle any more and every write is
 * refused with `service_unavailable` until `reopen` succeeded; reads go on, but for those at the moment in which `reopen` has closed
 * the old handle and opens the new one. `closed`: nothing works.
 */
export type StoreHealth = 'open' | 'fenced' | 'closed';

/** Keys behind `after` up to and including `upTo`. */
export interface LostKeys {
  after: string;
  upTo: string;
}

/** Why a fenced store is not reopened: the disk has less free than that needs. */
export interface DiskShortage {
  freeBytes: number;
  neededBytes: number;
  /** The same for people. */
  reason: string;
}

/** What a store did to keep its tables in order, since it was opened. */
export interface StoreCompaction {
  seconds: number;
  readBytes: number;
  writtenBytes: number;
}

/** The store as it was at one moment, however much is written meanwhile. Its reads fail once it, or the store, is closed. */
export interface StoreSnapshot {
  get(key: string): Buffer | undefined;
  getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  /** Entries of the range in order, in pages of at most 1,000. */
  entries(range: KeyRange): AsyncIterable<[string, Buffer][]>;
  /** What it holds is kept on the disk until then. */
  close(): Promise<void>;
}

/**
 * The ordered key-value port under the event log. Reads see durable data only: a written value is visible once it is
 * fsynced. Every implementation passes test/contracts/store-contract.ts.
 */
export interface Store {
  readonly health: StoreHealth;
  /** Set while the store is fenced because its disk is full. */
  readonly shortage: DiskShortage | undefined;
  /** Keys whose values were found damaged; reading them throws IntegrityError. Almost always none. */
  readonly lost: readonly LostKeys[];
  /** The durable value, or undefined. Synchronous: for small hot look-ups. */
  get(key: string): Buffer | undefined;
  getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  /** Entries of the range in order, in pages of at most 1,000. */
  entries(range: KeyRange): AsyncIterable<[string, Buffer][]>;
  /** Keys of the range in order, in pages of at most 1,000. */
  keys(range: KeyRange): AsyncIterable<string[]>;
  /** All that is durable now, to read for as long as it takes. Writes go on beside it. */
  snapshot(): StoreSnapshot;
  /**
   * Writes all operations as one atomic batch and resolves after fsync. The first failure fences the store
   * (a LevelDB handle that failed once loses later acknowledged writes) and rejects with `service_unavailable`.
   */
  write(ops: readonly WriteOp[]): Promise<void>;
  /** Calls back when the store is fenced; returns the unsubscriber. */
  onFence(listener: (cause: unknown) => void): () => void;
  /** Closes the handle and opens a new one (new write-ahead log). Health is `open` when it resolves. */
  reopen(): Promise<void>;
  /** Frees the space of deleted keys in the range. */
  compact(range: { gte: string; lte: string }): Promise<void>;
  /** Afterwards nothing that was deleted or written over before is left in the files of the store. Takes as long as writing it all. */
  purge(): Promise<void>;
  /** What rewriting its tables has cost since it was opened; left out by a store that does not know. */
  compaction?(): StoreCompaction;
  /**
   * Resolves once this process may act on what it has committed, or when the signal aborts. Rejects with `service_unavailable` where
   * another one decides. Left out by a store that no other process can have.
   */
  mayAct?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
