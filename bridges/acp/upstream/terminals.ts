/** The terminals of a session of an agent: which tool call each one is, until it has ended. */
export class Terminals {
  readonly #calls = new Map<string, string>();

  /** `key`: the request that made it. */
  made(id: string, key: string): void {
    this.#calls.set(id, key);
  }

  /** The call of a terminal that has ended just now; undefined when it had before. */
  ended(id: string): string | undefined {
    const key = this.#calls.get(id);
    this.#calls.delete(id);
    return key;
  }
}
