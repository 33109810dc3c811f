import { describe, expect, it } from 'vitest';
import { pagesOf, type Reading } from '#store/level-pages.ts';
import { Damage } from '#store/sealed-record.ts';

const LARGE = Buffer.alloc(1_000);

/** Reads like LevelDB, which keeps in a closed iterator what it read last; an iterator at its end reads nothing. */
class KeepingIterator {
  readonly #entries: [string, Buffer][];
  readonly #pageSize: number;
  #at = 0;
  kept = 0;
  closed = false;

  constructor(entries: [string, Buffer][], pageSize: number) {
    this.#entries = entries;
    this.#pageSize = pageSize;
  }

  async nextv(size: number): Promise<[string, Buffer][]> {
    if (this.closed) throw new Error('the iterator is closed');
    if (this.#at === this.#entries.length) return [];
    const page = this.#entries.slice(this.#at, this.#at + Math.min(size, this.#pageSize));
    this.#at += page.length;
    this.kept = page.length;
    return page;
  }

  seek(target: string): void {
    this.#at = this.#entries.findIndex(([key]) => key === target);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

function entriesOf(count: number, value = LARGE): [string, Buffer][] {
  return Array.from({ length: count }, (_, n) => [`k/${String(n).padStart(5, '0')}`, value]);
}

function readingOf(iterator: KeepingIterator): Reading<[string, Buffer]> {
  return {
    start: () => iterator,
    keyOf: ([key]) => key,
    bytesOf: ([key, value]) => key.length + value.length,
  };
}

async function read(iterator: KeepingIterator, limit?: number, pages = Number.POSITIVE_INFINITY) {
  const found: string[] = [];
  let left = pages;
  const range = { gte: 'k/', lt: 'k0', ...(limit === undefined ? {} : { limit }) };
  for await (const page of pagesOf(readingOf(iterator), range, new Damage())) {
    found.push(...page.map(([key]) => key));
    left -= 1;
    if (left === 0) break;
  }
  return found;
}

describe('the iterator of a range that was read', () => {
  it.each([
    ['to its end', 1_000, undefined],
    ['up to its limit', 1_000, 500],
    ['to its end in several pages', 300, undefined],
    ['up to its limit in several pages', 300, 700],
  ])('keeps one entry and not the last page, %s', async (_, pageSize, limit) => {
    const entries = entriesOf(900);
    const iterator = new KeepingIterator(entries, pageSize);
    expect(await read(iterator, limit)).toEqual(entries.slice(0, limit ?? 900).map(([key]) => key));
    expect(iterator).toMatchObject({ kept: 1, closed: true });
  });

  it('keeps one entry where the reader left early', async () => {
    const iterator = new KeepingIterator(entriesOf(900), 300);
    expect(await read(iterator, undefined, 1)).toHaveLength(300);
    expect(iterator).toMatchObject({ kept: 1, closed: true });
  });

  it('is not read again for a page that is small', async () => {
    const iterator = new KeepingIterator(entriesOf(10), 1_000);
    expect(await read(iterator, 10)).toHaveLength(10);
    expect(iterator).toMatchObject({ kept: 10, closed: true });
  });

  it('was read all the same where it can no more be read then', async () => {
    const iterator = new KeepingIterator(entriesOf(900), 1_000);
    iterator.seek = () => {
      throw new Error('the handle was closed');
    };
    expect(await read(iterator)).toHaveLength(900);
    expect(iterator.closed).toBe(true);
  });
});
