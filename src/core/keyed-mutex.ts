/** A mutex for each key: work of one key runs in the order it came, work of other keys beside it. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as the work does; a failure does not stop what waits behind it. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
