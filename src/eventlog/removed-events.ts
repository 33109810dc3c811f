import { KEY_KINDS, keysUnder } from '../store/keys.ts';
import { SEAL_BYTES } from '../store/sealed-record.ts';
import type { Store } from '../store/store.ts';
import { type CommitRecord, parseCommit } from './commit-record.ts';
import type { Finding } from './finding.ts';

/**
 * The events that commits removed, or put a mark in the place of, by their keys. Read before the log is checked, because
 * an event that is to be folded has to be told from one that the base holds already.
 */
export class RemovedEvents {
  /** True for those that have to be gone. */
  readonly #keys = new Map<string, boolean>();
  readonly #store: Store;

  private constructor(store: Store) {
    this.#store = store;
  }

  static async read(store: Store): Promise<RemovedEvents> {
    const removed = new RemovedEvents(store);
    for await (const page of store.entries(keysUnder(KEY_KINDS.commit.prefix)))
      for (const [, sealed] of page) removed.#take(sealed.subarray(SEAL_BYTES));
    return removed;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** A removed event that is there again. */
  check(key: string): Finding[] {
    if (this.#keys.get(key) !== true || this.#store.get(key) === undefined) return [];
    return [{ problem: 'extra', where: key, expected: 'no record', observed: 'an event that was removed' }];
  }

  #take(content: Buffer): void {
    const commit = readable(content);
    if (commit === undefined) return;
    for (const [key] of commit.records) if (isEvent(key)) this.#keys.set(key, false);
    for (const key of commit.erased) if (isEvent(key)) this.#keys.set(key, true);
  }
}

function isEvent(key: string): boolean {
  return key.startsWith(KEY_KINDS.event.prefix);
}

function readable(content: Buffer): CommitRecord | undefined {
  try {
    return parseCommit(content);
  } catch {
    // The walk over the commits names it.
    return undefined;
  }
}
