import type { Damage } from './damage.ts';
import { readFailure } from './level-errors.ts';
import type { KeyRange } from './store.ts';

const PAGE_ENTRIES = 1_000;

interface PagedIterator<T> {
  nextv(size: number): Promise<T[]>;
  close(): Promise<void>;
}

/**
 * The pages of a range. Throws IntegrityError where the keys passed over may lie in a damaged block: an absent entry would
 * be as wrong as a false one.
 */
export async function* pagesOf<T>(
  start: () => PagedIterator<T>,
  range: KeyRange,
  damage: Damage,
  keyOf: (entry: T) => string,
): AsyncGenerator<T[], void> {
  const where = `in the range from ${range.gte ?? range.gt ?? 'the start'}`;
  const passed = new Passage(range, damage);
  let iterator: PagedIterator<T> | undefined;
  try {
    iterator = start();
    for (let page = await iterator.nextv(PAGE_ENTRIES); ; page = await iterator.nextv(PAGE_ENTRIES)) {
      const last = page.at(-1);
      passed.upTo(last === undefined ? undefined : keyOf(last), page.length);
      if (last === undefined) return;
      yield page;
    }
  } catch (error) {
    throw readFailure(error, where);
  } finally {
    await iterator?.close();
  }
}

/** How far a walk over a range has come. */
class Passage {
  readonly #range: KeyRange;
  readonly #damage: Damage;
  #from: string | undefined;
  #count = 0;

  constructor(range: KeyRange, damage: Damage) {
    this.#range = range;
    this.#damage = damage;
    this.#from = range.reverse ? (range.lt ?? range.lte) : (range.gt ?? range.gte);
  }

  /** Checks what lies before the key; without one, the rest of the range, unless its limit ended the walk. */
  upTo(key: string | undefined, entries: number): void {
    const { reverse, gt, gte, lt, lte, limit = Number.POSITIVE_INFINITY } = this.#range;
    if (key === undefined && this.#count >= limit) return;
    const to = key ?? (reverse ? (gt ?? gte) : (lt ?? lte));
    if (reverse) this.#damage.check(to, this.#from);
    else this.#damage.check(this.#from, to);
    this.#from = to;
    this.#count += entries;
  }
}
