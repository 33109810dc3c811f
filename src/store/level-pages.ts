import { readFailure } from './level-errors.ts';
import type { Damage } from './sealed-record.ts';
import type { KeyRange } from './store.ts';

const PAGE_ENTRIES = 1_000;

/** A closed iterator that keeps no more than this is let be: another read takes longer. */
const KEPT_BYTES = 16 * 1024;
/** Of LevelDB, for each entry, beside its key and its value. */
const ENTRY_BYTES = 64;

/** Of `level`, without a limit of its own. */
export interface PagedIterator<T> {
  nextv(size: number): Promise<T[]>;
  seek(target: string): void;
  close(): Promise<void>;
}

/** What is read of the entries of a range. */
export interface Reading<T> {
  /** `limit` is none of its business. */
  start(range: Omit<KeyRange, 'limit'>): PagedIterator<T>;
  keyOf(entry: T): string;
  /** Of its key and its value. */
  bytesOf(entry: T): number;
}

/**
 * The pages of a range. Throws IntegrityError where the keys passed over may lie in a damaged block: an absent entry would
 * be as wrong as a false one.
 */
export async function* pagesOf<T>(
  { start, keyOf, bytesOf }: Reading<T>,
  range: KeyRange,
  damage: Damage,
): AsyncGenerator<T[], void> {
  const { limit = Number.POSITIVE_INFINITY, ...bounds } = range;
  const where = `in the range from ${range.gte ?? range.gt ?? 'the start'}`;
  const passed = new Passage(range, damage);
  let iterator: PagedIterator<T> | undefined;
  let held: T[] = [];
  try {
    iterator = start(bounds);
    for (let left = limit; left > 0; left -= held.length) {
      const page = await iterator.nextv(Math.min(left, PAGE_ENTRIES));
      const last = page.at(-1);
      passed.upTo(last === undefined ? undefined : keyOf(last), page.length);
      if (last === undefined) return;
      held = page;
      yield page;
    }
  } catch (error) {
    throw readFailure(error, where);
  } finally {
    const last = held.at(-1);
    if (last !== undefined && weight(held, bytesOf) > KEPT_BYTES) await letGo(iterator, keyOf(last));
    await iterator?.close();
  }
}

function weight<T>(page: readonly T[], bytesOf: (entry: T) => number): number {
  return page.reduce((sum, entry) => sum + bytesOf(entry) + ENTRY_BYTES, 0);
}

/**
 * Until the whole heap is collected a closed iterator keeps the page that it read last, outside of the heap, where nothing
 * makes that happen sooner: hundreds of megabytes. One entry more takes the place of that page.
 */
async function letGo<T>(iterator: PagedIterator<T> | undefined, last: string): Promise<void> {
  const readOne = async () => {
    iterator?.seek(last);
    await iterator?.nextv(1);
  };
  // Everything that was asked for was read; a handle that was closed meanwhile lets go by itself.
  await readOne().catch(() => undefined);
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
