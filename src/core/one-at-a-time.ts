/** Runs work of one lane in the order it came, work of other lanes beside it. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as the work does; a failure does not stop what waits behind it. */
  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(lane);
    const done = before === undefined ? work() : before.then(work, work);
    this.#last.set(lane, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(lane) === done) this.#last.delete(lane);
    }
  }
}
