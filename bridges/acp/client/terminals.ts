import type { Host } from '../host.ts';

/** The terminals of a session of an agent: which tool call each one is until it has ended, and whose machine it is on. */
export class Terminals {
  readonly #calls = new Map<string, string>();
  /** Those that the agent has not released. */
  readonly #held = new Map<string, Host>();

  /** `key`: the request that made it. */
  made(id: string, key: string, host: Host | undefined): void {
    this.#calls.set(id, key);
    if (host !== undefined) this.#held.set(id, host);
  }

  /** The call of a terminal that has ended just now; undefined when it had before. */
  ended(id: string): string | undefined {
    const key = this.#calls.get(id);
    this.#calls.delete(id);
    return key;
  }

  released(id: string): void {
    this.#held.delete(id);
  }

  /** The agent is gone and releases nothing any more; its commands would run on at the machine of the editor. */
  abandon(): void {
    for (const [terminalId, host] of this.#held) {
      // An editor that is gone too has ended them itself.
      host.ask('terminal/release', { terminalId }).catch(() => undefined);
    }
    this.#held.clear();
    this.#calls.clear();
  }
}
