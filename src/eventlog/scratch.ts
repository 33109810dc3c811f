import type { Store, WriteOp } from '#store/store.ts';

/** A second key space that a rebuild writes to, thrown away afterwards. Reads see everything put before. */
export interface Scratch {
  get(key: string): Buffer | undefined;
  put(key: string, value: Buffer | string): void;
  delete(key: string): void;
  /** Called between commits; a scratch on disk writes its changes. */
  flush(): Promise<void>;
  /** Everything it holds, in key order. */
  entries(): AsyncIterable<[string, Buffer][]>;
}

/** For logs that fit into memory twice. */
export class MemoryScratch implements Scratch {
  readonly #values = new Map<string, Buffer>();

  get(key: string): Buffer | undefined {
    return this.#values.get(key);
  }

  put(key: string, value: Buffer | string): void {
    this.#values.set(key, Buffer.from(value));
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  async flush(): Promise<void> {}

  async *entries(): AsyncIterable<[string, Buffer][]> {
    yield [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

const FLUSH_AT = 5_000;

/** For any size: changes are kept up to a bound, then written to a store that the caller opened in an empty directory. */
export class StoreScratch implements Scratch {
  readonly #store: Store;
  readonly #changes = new Map<string, Buffer | undefined>();

  constructor(store: Store) {
    this.#store = store;
  }

  get(key: string): Buffer | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#store.get(key);
  }

  put(key: string, value: Buffer | string): void {
    this.#changes.set(key, Buffer.from(value));
  }

  delete(key: string): void {
    this.#changes.set(key, undefined);
  }

  async flush(): Promise<void> {
    if (this.#changes.size >= FLUSH_AT) await this.write();
  }

  async *entries(): AsyncIterable<[string, Buffer][]> {
    await this.write();
    yield* this.#store.entries({});
  }

  /** Writes what is kept so far. */
  async write(): Promise<void> {
    const ops = [...this.#changes].map(
      ([key, value]): WriteOp => (value === undefined ? { type: 'del', key } : { type: 'put', key, value }),
    );
    if (ops.length > 0) await this.#store.write(ops);
    this.#changes.clear();
  }
}
