import { isEventKey, KEY_KINDS, keysUnder } from '#store/keys.ts';
import { SEAL_BYTES, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { type CommitRecord, parseCommit } from './commit-record.ts';

/**
 * The segments that commits erased, or cut: written again with the events that were left. Read before the log is checked,
 * because an event that is to be folded must not be taken for one that the base holds already.
 */
export class RemovedSegments {
  readonly #erased = new Set<string>();
  readonly #cut = new Set<string>();
  readonly #store: Store;

  private constructor(store: Store) {
    this.#store = store;
  }

  static async read(store: Store): Promise<RemovedSegments> {
    const removed = new RemovedSegments(store);
    const written = { through: '' };
    for await (const page of store.entries(keysUnder(KEY_KINDS.commit.prefix)))
      for (const [, sealed] of page) removed.#take(sealed.subarray(SEAL_BYTES), written);
    return removed;
  }

  isErased(key: string): boolean {
    return this.#erased.has(key);
  }

  /** What is left of a segment that was cut, whose commit vouches for another content; undefined for others. */
  leftOf(key: string): Buffer | undefined {
    if (!this.#cut.has(key)) return undefined;
    const sealed = this.#store.get(key);
    try {
      return sealed && unseal(sealed, key);
    } catch (error) {
      // The commit that cut it says so.
      if (error instanceof IntegrityError) return undefined;
      throw error;
    }
  }

  #take(content: Buffer, newest: { through: string }): void {
    const commit = readable(content);
    if (commit === undefined) return;
    for (const [key] of commit.records) {
      if (!isEventKey(key)) continue;
      if (key <= newest.through) this.#cut.add(key);
      else newest.through = key;
    }
    const written = new Set(commit.records.map(([key]) => key));
    for (const [key] of commit.erased) if (isEventKey(key) && !written.has(key)) this.#erased.add(key);
  }
}

function readable(content: Buffer): CommitRecord | undefined {
  try {
    return parseCommit(content);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
