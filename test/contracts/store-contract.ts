import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRange, Store, WriteOp } from '#store/store.ts';

const put = (key: string, value: Buffer | string = key): WriteOp => ({ type: 'put', key, value });
const numbered = (n: number): string => `k/${String(n).padStart(5, '0')}`;

/** But for what a store notes of itself, under `m/`. */
async function keysOf(store: Store, range: KeyRange): Promise<string[]> {
  const found: string[] = [];
  for await (const page of store.keys(range)) found.push(...page.filter((key) => !key.startsWith('m/')));
  return found;
}

/** What every Store must do. `open` opens (or opens again) the store that lives in the directory. */
export function describeStoreContract(name: string, open: (dir: string) => Promise<Store>): void {
  describe(`the store contract, kept by ${name}`, () => {
    let dir: string;
    let store: Store;

    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'harn-store-'));
      store = await open(join(dir, 'store'));
    });

    afterEach(async () => {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    });

    async function openAgain(): Promise<void> {
      await store.close();
      store = await open(join(dir, 'store'));
    }

    describe('reads', () => {
      it('answers undefined for a key that was never written', async () => {
        expect(store.get('absent')).toBeUndefined();
        expect(await store.getMany(['absent'])).toEqual([undefined]);
      });

      it('returns exactly the bytes that were written, also none and non-text ones', async () => {
        const bytes = Buffer.from([0, 255, 10, 0, 128]);
        await store.write([put('bytes', bytes), put('empty', ''), put('text', 'grün')]);
        expect(store.get('bytes')).toEqual(bytes);
        expect(store.get('empty')).toEqual(Buffer.alloc(0));
        expect(store.get('text')).toEqual(Buffer.from('grün'));
      });

      it('returns many values in the order of the asked keys', async () => {
        await store.write([put('a'), put('b')]);
        expect(await store.getMany(['b', 'absent', 'a'])).toEqual([
          Buffer.from('b'),
          undefined,
          Buffer.from('a'),
        ]);
      });

      it('hands out a copy: changing a value that was read changes nothing stored', async () => {
        await store.write([put('a', 'abc')]);
        store.get('a')?.fill(0);
        expect(store.get('a')).toEqual(Buffer.from('abc'));
      });
    });

    describe('snapshots', () => {
      it('go on showing what was durable when they were made, while others write', async () => {
        await store.write([put('a', 'old'), put('b'), put('d')]);
        const snapshot = store.snapshot();
        await store.write([put('a', 'new'), put('c'), { type: 'del', key: 'b' }]);
        expect(snapshot.get('a')).toEqual(Buffer.from('old'));
        expect(await snapshot.getMany(['b', 'c'])).toEqual([Buffer.from('b'), undefined]);
        const seen: string[] = [];
        for await (const page of snapshot.entries({ gte: 'a', lt: 'm' }))
          seen.push(...page.map(([key]) => key));
        expect(seen).toEqual(['a', 'b', 'd']);
        expect(store.get('a')).toEqual(Buffer.from('new'));
        await snapshot.close();
        await snapshot.close();
      });

      it('refuse to be read once they, or the store, are closed', async () => {
        await store.write([put('a')]);
        const snapshot = store.snapshot();
        const other = store.snapshot();
        await snapshot.close();
        expect(() => snapshot.get('a')).toThrow(/not open/);
        await store.close();
        expect(() => other.get('a')).toThrow(/not open/);
        await expect(other.getMany(['a'])).rejects.toThrow(/not open/);
        expect(() => store.snapshot()).toThrow(/not open/);
        await other.close();
      });
    });

    describe('ranges', () => {
      beforeEach(async () => {
        await store.write(['a', 'b', 'b/1', 'b/2', 'b0', 'c'].map((key) => put(key)));
      });

      it('gives keys in byte order', async () => {
        expect(await keysOf(store, {})).toEqual(['a', 'b', 'b/1', 'b/2', 'b0', 'c']);
      });

      it('keeps exclusive and inclusive bounds apart', async () => {
        expect(await keysOf(store, { gt: 'b', lt: 'b0' })).toEqual(['b/1', 'b/2']);
        expect(await keysOf(store, { gte: 'b', lte: 'b0' })).toEqual(['b', 'b/1', 'b/2', 'b0']);
      });

      it('reads backwards and takes the limit from that end', async () => {
        expect(await keysOf(store, { gte: 'b', lt: 'm', reverse: true, limit: 2 })).toEqual(['c', 'b0']);
      });

      it('gives nothing, and no empty page, for an empty range', async () => {
        expect(await keysOf(store, { gt: 'x' })).toEqual([]);
      });

      it('gives entries as key and value', async () => {
        const pages: [string, Buffer][][] = [];
        for await (const page of store.entries({ gte: 'b/', lt: 'b0' })) pages.push(page);
        expect(pages.flat()).toEqual([
          ['b/1', Buffer.from('b/1')],
          ['b/2', Buffer.from('b/2')],
        ]);
      });

      it('pages by at most 1,000 and loses nothing between pages', async () => {
        const all = Array.from({ length: 2_500 }, (_, n) => numbered(n));
        await store.write(all.map((key) => put(key, 'x'.repeat(300))));
        const pages: [string, Buffer][][] = [];
        for await (const page of store.entries({ gte: 'k/', lt: 'k0' })) pages.push(page);
        expect(pages.flat().map(([key]) => key)).toEqual(all);
        expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(1_000);
      });

      it('shows a range as it was when the reading began', async () => {
        await store.write(Array.from({ length: 1_500 }, (_, n) => put(numbered(n))));
        const seen: string[] = [];
        for await (const page of store.keys({ gte: 'k/', lt: 'k0' })) {
          seen.push(...page);
          await store.write([put(numbered(90_000 + seen.length))]);
        }
        expect(seen).toHaveLength(1_500);
      });

      it('can be left early', async () => {
        for await (const page of store.keys({})) {
          expect(page.length).toBeGreaterThan(0);
          break;
        }
        expect(await keysOf(store, { gte: 'c' })).toEqual(['c']);
      });
    });

    describe('writes', () => {
      it('applies the operations of one batch in order', async () => {
        await store.write([put('a', '1'), { type: 'del', key: 'a' }, put('b', '1'), put('b', '2')]);
        expect(store.get('a')).toBeUndefined();
        expect(store.get('b')).toEqual(Buffer.from('2'));
      });

      it('deletes, and a delete of an absent key is no error', async () => {
        await store.write([put('a')]);
        await store.write([
          { type: 'del', key: 'a' },
          { type: 'del', key: 'never' },
        ]);
        expect(await keysOf(store, {})).toEqual([]);
      });

      it('accepts a batch without operations', async () => {
        await expect(store.write([])).resolves.toBeUndefined();
      });

      it('shows a write to readers only once it is durable', async () => {
        const written = store.write([put('a')]);
        expect(store.get('a')).toBeUndefined();
        await written;
        expect(store.get('a')).toEqual(Buffer.from('a'));
      });

      it('applies concurrent writes in the order of the calls', async () => {
        await Promise.all(
          Array.from({ length: 50 }, (_, n) => store.write([put('last', String(n)), put(numbered(n))])),
        );
        expect(store.get('last')).toEqual(Buffer.from('49'));
        expect(await keysOf(store, { gte: 'k/', lt: 'k0' })).toHaveLength(50);
      });

      it('keeps everything over close and open', async () => {
        await store.write([put('a'), put('b')]);
        await openAgain();
        expect(await keysOf(store, {})).toEqual(['a', 'b']);
      });
    });

    describe('health', () => {
      it('is open, stays open over a reopen that keeps every value, and is closed after close', async () => {
        expect(store.health).toBe('open');
        await store.write([put('a')]);
        await store.reopen();
        expect(store.health).toBe('open');
        expect(store.get('a')).toEqual(Buffer.from('a'));
        await store.write([put('b')]);
        expect(await keysOf(store, {})).toEqual(['a', 'b']);
        await store.close();
        expect(store.health).toBe('closed');
      });

      it('finishes the writes called before close and refuses the later ones', async () => {
        const before = store.write([put('a')]);
        const closed = store.close();
        const after = store.write([put('b')]);
        await before;
        await expect(after).rejects.toMatchObject({ code: 'service_unavailable' });
        await closed;
        store = await open(join(dir, 'store'));
        expect(await keysOf(store, {})).toEqual(['a']);
      });

      it('refuses reads, ranges and reopen with service_unavailable when closed', async () => {
        await store.close();
        expect(() => store.get('a')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
        await expect(store.getMany(['a'])).rejects.toMatchObject({ code: 'service_unavailable' });
        await expect(keysOf(store, {})).rejects.toMatchObject({ code: 'service_unavailable' });
        await expect(store.reopen()).rejects.toMatchObject({ code: 'service_unavailable' });
      });

      it('may be closed twice', async () => {
        await store.close();
        await expect(store.close()).resolves.toBeUndefined();
      });
    });

    it('compacts a range of deleted keys without touching the others', async () => {
      await store.write([put('a/1'), put('a/2'), put('b')]);
      await store.write([
        { type: 'del', key: 'a/1' },
        { type: 'del', key: 'a/2' },
      ]);
      await store.compact({ gte: 'a/', lte: 'a0' });
      expect(await keysOf(store, {})).toEqual(['b']);
    });
  });
}
