import type { Store, WriteOp } from '#store/store.ts';

export interface Recording {
  store: Store;
  /** From now on keeps what the store is told to write. */
  start(): void;
  /** The batches since `start`. */
  stop(): WriteOp[][];
}

/** A store that can keep what it is told to write, batch by batch, so that the bare run repeats it. */
export function recordingStore(store: Store): Recording {
  let batches: WriteOp[][] | undefined;
  const recording: Store = {
    get health() {
      return store.health;
    },
    get shortage() {
      return store.shortage;
    },
    get lost() {
      return store.lost;
    },
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    entries: (range) => store.entries(range),
    keys: (range) => store.keys(range),
    snapshot: () => store.snapshot(),
    write: (ops) => {
      batches?.push([...ops]);
      return store.write(ops);
    },
    onFence: (listener) => store.onFence(listener),
    reopen: () => store.reopen(),
    compact: (range) => store.compact(range),
    purge: () => store.purge(),
    close: () => store.close(),
  };
  return {
    store: recording,
    start: () => {
      batches = [];
    },
    stop: () => {
      const taken = batches ?? [];
      batches = undefined;
      return taken;
    },
  };
}
