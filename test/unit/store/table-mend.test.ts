import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TableSeal } from '#store/checked-tables.ts';
import { openLevelStore } from '#store/level-store.ts';
import { liveTables } from '#store/manifest.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import type { DamagedTable } from '#store/table-check.ts';
import { damagedSpansOf, layoutOf } from '#store/table-file.ts';
import { type KnownTable, mendTable } from '#store/table-mend.ts';

const RECORDS = 600;
const key = (n: number) => `k/${String(n).padStart(5, '0')}`;
/** Seconds. */
const LONG_AGO = 1_000_000_000;
const SEAL: TableSeal = {
  sign: (bytes) => `signed ${bytes.length}`,
  verify: (bytes, signature) => signature === `signed ${bytes.length}`,
};

let path: string;
let file: string;
let good: Buffer;
let known: KnownTable;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'harn-mend-'));
  const store = await openLevelStore({ path });
  await store.write(
    Array.from({ length: RECORDS }, (_, n) => ({ type: 'put', key: key(n), value: `${n} `.repeat(60) })),
  );
  await store.compact({ gte: 'k/', lte: 'k0' });
  await store.close();
  const [[number, table] = []] = [...liveTables(path)];
  if (number === undefined || table === undefined) throw new Error('LevelDB wrote no table');
  file = join(path, readdirSync(path).find((name) => name.endsWith('.ldb')) ?? '');
  good = readFileSync(file);
  known = table;
});
afterEach(() => rmSync(path, { recursive: true }));

function flipped(at: number): Buffer {
  const bytes = Buffer.from(good);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
  return bytes;
}

describe('a damaged table', () => {
  it('is known to the manifest with its size and its keys', () => {
    expect(known).toMatchObject({ size: good.length, smallest: key(0), largest: key(RECORDS - 1) });
  });

  it('is mended at every place of it to one that is whole, of the same size, and loses a block at most', () => {
    const blocks = layoutOf(good)?.data.length ?? 0;
    expect(blocks).toBeGreaterThan(5);
    for (let at = 0; at < good.length; at += 37) {
      const mended = mendTable(flipped(at), known);
      // The padding of the footer means nothing.
      if (mended === undefined) expect(at).toBeGreaterThan(good.length - 48);
      else {
        expect(mended.bytes).toHaveLength(good.length);
        expect(damagedSpansOf(mended.bytes), `byte ${at}`).toEqual([]);
        expect(mended.lost.length, `byte ${at}`).toBeLessThanOrEqual(1);
      }
    }
  });

  it('without its index is found again by the checksums of its blocks, and loses nothing', () => {
    const index = layoutOf(good)?.index;
    const mended = mendTable(flipped((index?.offset ?? 0) + 3), known);
    expect(mended?.lost).toEqual([]);
    expect(layoutOf(mended?.bytes ?? Buffer.alloc(0))?.data).toHaveLength(layoutOf(good)?.data.length ?? -1);
  });

  it('that is nothing but noise gives an empty one, and all its keys are lost', () => {
    const mended = mendTable(Buffer.alloc(good.length, 0xa5), known);
    expect(mended?.lost).toEqual([{ after: 'k/0000', upTo: key(RECORDS - 1) }]);
    expect(damagedSpansOf(mended?.bytes ?? Buffer.alloc(0))).toEqual([]);
  });
});

describe('the check of the tables', () => {
  const found: DamagedTable[] = [];
  beforeEach(() => {
    found.length = 0;
  });
  const open = () => openLevelStore({ path, seal: SEAL, onDamaged: (table) => found.push(table) });
  /** Until the check beside the work is over. */
  const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

  it('sets a damaged table aside as it was found, tells it once, and goes on refusing what it lost', async () => {
    writeFileSync(file, flipped(20));
    for (let opening = 0; opening < 2; opening += 1) {
      const store = await open();
      expect(() => store.get(key(0))).toThrow('damaged');
      expect(store.get(key(RECORDS - 1))?.toString()).toContain(`${RECORDS - 1} `);
      await store.compact({ gte: 'k/', lte: 'k0' });
      await store.close();
    }
    const [table, ...others] = found;
    expect(others).toEqual([]);
    expect(table?.file).toBe(file);
    expect(readFileSync(table?.setAside ?? '').equals(flipped(20))).toBe(true);
  });

  it('after a clean stop believes its signed list, and finds what flipped since beside the work', async () => {
    utimesSync(file, LONG_AGO, LONG_AGO);
    await (await open()).close();
    writeFileSync(file, flipped(20));
    utimesSync(file, LONG_AGO, LONG_AGO);
    const store = await open();
    expect(found).toEqual([]);
    await settled();
    expect(found.map(({ setAside }) => setAside)).toEqual([expect.stringContaining('set-aside')]);
    expect(() => store.get(key(0))).toThrow('damaged');
    expect(store.get(key(RECORDS - 1))).toBeDefined();
    await store.write([{ type: 'put', key: 'z', value: 'z' }]);
    await store.close();
  });

  it('checks before the opening what changed since the list, and everything when its signature is wrong', async () => {
    await (await open()).close();
    writeFileSync(file, flipped(20));
    await (await open()).close();
    expect(found).toHaveLength(1);

    const list = join(path, 'checked-tables.json');
    const now = readdirSync(path).find((name) => name.endsWith('.ldb')) ?? '';
    utimesSync(join(path, now), LONG_AGO, LONG_AGO);
    await (await open()).close();
    const bytes = readFileSync(join(path, now));
    const at = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(join(path, now), bytes);
    utimesSync(join(path, now), LONG_AGO, LONG_AGO);
    writeFileSync(list, readFileSync(list, 'utf8').replace('signed ', 'forged '));
    await (await open()).close();
    expect(found).toHaveLength(2);
    expect(found[1]?.setAside).toBeDefined();
  });

  it('refuses to open when the record of lost keys cannot be read, naming the file', async () => {
    writeFileSync(join(path, 'damaged-spans.json'), '[{"after":1}]');
    await expect(open()).rejects.toThrow(StoreOpenError);
    await expect(open()).rejects.toThrow('damaged-spans.json is damaged');
  });
});
