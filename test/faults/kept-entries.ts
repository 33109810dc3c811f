import type { KeyRange, Store } from '#store/store.ts';

type Entry = [key: string, value: Buffer];

/** What a store held, in memory, for readers that are run a million times; a value may be damaged in place. */
export class KeptEntries implements Pick<Store, 'get' | 'getMany' | 'entries' | 'keys'> {
  readonly all: readonly Entry[];
  readonly #byKey: ReadonlyMap<string, Buffer>;

  private constructor(all: readonly Entry[]) {
    this.all = all;
    this.#byKey = new Map(all);
  }

  static async of(store: Pick<Store, 'entries'>): Promise<KeptEntries> {
    const all: Entry[] = [];
    // Copies: what a store hands out may be a view of something larger.
    for await (const page of store.entries({}))
      for (const [key, value] of page) all.push([key, Buffer.from(value)]);
    return new KeptEntries(all);
  }

  /** As the whole port, of which readers call nothing else. */
  get store(): Store {
    return this as unknown as Store;
  }

  get(key: string): Buffer | undefined {
    return this.#byKey.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    return keys.map((key) => this.#byKey.get(key));
  }

  async *entries(range: KeyRange): AsyncGenerator<Entry[], void> {
    const found = this.#within(range);
    if (found.length > 0) yield found;
  }

  async *keys(range: KeyRange): AsyncGenerator<string[], void> {
    const found = this.#within(range);
    if (found.length > 0) yield found.map(([key]) => key);
  }

  #within({ gt, gte, lt, lte, reverse = false, limit }: KeyRange): Entry[] {
    const [low, high] = [gt ?? gte ?? '', lt ?? lte];
    let from = this.#firstFrom(low);
    if (gt !== undefined && this.all[from]?.[0] === gt) from += 1;
    let to = high === undefined ? this.all.length : this.#firstFrom(high);
    if (lt === undefined && lte !== undefined && this.all[to]?.[0] === lte) to += 1;
    const found = this.all.slice(from, to);
    return (reverse ? found.reverse() : found).slice(0, limit);
  }

  /** Place of the first key that is not below this one. */
  #firstFrom(key: string): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.[0] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
