/** Lets so many works run at a time; the others wait in the order they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #places: number;
  #free: number;

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /** Nothing runs, and nothing waits. */
  get isIdle(): boolean {
    return this.#free === this.#places;
  }

  /** Resolves or rejects as the work does; a failure gives its place back. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // A place is handed over, so nobody can slip in between.
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** A semaphore for each key: so many works of one key run at a time, those of other keys beside them. */
export class KeyedSemaphore {
  readonly #places: number;
  readonly #of = new Map<string, Semaphore>();

  constructor(places: number) {
    this.#places = places;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const semaphore = this.#of.get(key) ?? new Semaphore(this.#places);
    this.#of.set(key, semaphore);
    try {
      return await semaphore.run(work);
    } finally {
      if (semaphore.isIdle) this.#of.delete(key);
    }
  }
}
