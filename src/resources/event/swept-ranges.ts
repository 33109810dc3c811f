import { KEY_KINDS, keysUnder } from '#store/keys.ts';

/** The key ranges in which a sweep removed something: what is compacted, so that the rest of a large store is left alone. */
export class SweptRanges {
  readonly #ranges = new Map<string, { first: string; last: string }>();

  session(id: string, firstEventId: string, lastEventId: string): void {
    this.#note(KEY_KINDS.event.prefix, firstEventId);
    this.#note(KEY_KINDS.event.prefix, lastEventId);
    this.#note(KEY_KINDS.sessionEvent.prefix, id);
  }

  /** Their records go from the beginning of the log, wherever events are left. */
  commits(): void {
    this.#note(KEY_KINDS.commit.prefix, '0');
    this.#note(KEY_KINDS.commit.prefix, '9');
  }

  task(id: string): void {
    this.#note(KEY_KINDS.taskEvent.prefix, id);
    this.#note(KEY_KINDS.frame.prefix, id);
  }

  /** A key, by what stands before its ids. */
  row(key: string): void {
    const [prefix = ''] = /^(p\/)?[^/]+\/([^/]+\/)?/.exec(key) ?? [];
    this.#note(prefix, key.slice(prefix.length));
  }

  *[Symbol.iterator](): Generator<{ gte: string; lte: string }, void> {
    for (const [prefix, { first, last }] of this.#ranges)
      yield { gte: prefix + first, lte: keysUnder(`${prefix}${last}/`).lt };
  }

  #note(prefix: string, id: string): void {
    const { first = id, last = id } = this.#ranges.get(prefix) ?? {};
    this.#ranges.set(prefix, { first: id < first ? id : first, last: id > last ? id : last });
  }
}
