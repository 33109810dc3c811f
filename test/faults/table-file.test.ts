import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import { damagedSpansOf, isWhole } from '#store/table-file.ts';

const RECORDS = 300;
const FLIPS = 120;
const key = (n: number) => `k/${String(n).padStart(5, '0')}`;
const content = (n: number, version: string) => `${version} record ${n} `.repeat(10);

let path: string;
let file: string;
let good: Buffer;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'harn-table-'));
  const store = await openLevelStore({ path });
  // Both versions end up in one table, as after any restart.
  for (const version of ['old', 'new'])
    await store.write(
      Array.from({ length: RECORDS }, (_, n) => ({
        type: 'put',
        key: key(n),
        value: seal(content(n, version), key(n)),
      })),
    );
  await store.close();
  await (await openLevelStore({ path })).close();
  const name = readdirSync(path).find((entry) => entry.endsWith('.ldb'));
  if (name === undefined) throw new Error('LevelDB wrote no table');
  file = join(path, name);
  good = readFileSync(file);
});
afterEach(() => rmSync(path, { recursive: true }));

function flipped(at: number): Buffer {
  const damaged = Buffer.from(good);
  damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (at % 8)), at);
  return damaged;
}

function verdict(read: () => Buffer | undefined, n: number): 'right' | 'wrong' | 'missing' | 'refused' {
  try {
    const record = read();
    if (record === undefined) return 'missing';
    return unseal(record, key(n)).toString() === content(n, 'new') ? 'right' : 'wrong';
  } catch (error) {
    // A table whose very end is damaged is not known as one: LevelDB itself cannot read it.
    const isUnreadable = error instanceof ProtocolError && error.code === 'service_unavailable';
    if (error instanceof IntegrityError || isUnreadable) return 'refused';
    throw error;
  }
}

async function verdictsOf(store: Store): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let n = 0; n < RECORDS; n += 1) seen.add(verdict(() => store.get(key(n)), n));
  try {
    let count = 0;
    for await (const page of store.keys({ gte: 'k/', lt: 'k0' })) count += page.length;
    seen.add(count === RECORDS ? 'right' : 'missing');
  } catch (error) {
    if (!(error instanceof IntegrityError) && !(error instanceof ProtocolError)) throw error;
    seen.add('refused');
  }
  return seen;
}

describe('a table', () => {
  it('that is whole has no damage', () => {
    expect(damagedSpansOf(good)).toEqual([]);
    expect(isWhole(good)).toBe(true);
  });

  it('is whole exactly where its layout names no damage, at places over the whole file', () => {
    for (let at = 0; at < good.length; at += at < good.length - 400 ? 97 : 1) {
      const table = flipped(at);
      expect(isWhole(table), `byte ${at}`).toBe(damagedSpansOf(table)?.length === 0);
    }
    expect(isWhole(good.subarray(0, 1_000))).toBe(false);
    expect(isWhole(Buffer.alloc(0))).toBe(false);
  });

  it('with a flipped bit names the keys its block may hold, and those alone', () => {
    const spans = damagedSpansOf(flipped(1_000));
    expect(spans).toHaveLength(1);
    const [{ after, upTo } = { after: '', upTo: '' }] = spans ?? [];
    expect(after < upTo && upTo < key(RECORDS - 1)).toBe(true);
    const next = damagedSpansOf(flipped(6_000))?.[0];
    expect(next?.after !== undefined && next.after >= upTo).toBe(true);
  });

  it('with a damaged filter, which may hide any key, names all of them', () => {
    const whole = { after: '', upTo: expect.stringMatching(/^(k\/00299|l)$/) };
    const last = Array.from({ length: good.length - 60 }, (_, at) => at).findLast(
      (at) => damagedSpansOf(flipped(at))?.length === 1,
    );
    expect(damagedSpansOf(flipped(last ?? 0))).toEqual([whole]);
  });

  it('without its footer, or with nonsense in its index, cannot be read', () => {
    expect(damagedSpansOf(good.subarray(0, 1_000))).toBeUndefined();
    expect(damagedSpansOf(Buffer.alloc(0))).toBeUndefined();
    expect(damagedSpansOf(flipped(good.length - 5))).toBeUndefined();
    expect(damagedSpansOf(flipped(good.length - 60))).toBeUndefined();
  });

  it(`never shows an older value or a gap, at ${FLIPS} places over the file`, async () => {
    const seen = new Set<string>();
    let refusedWhole = 0;
    for (let flip = 0; flip < FLIPS; flip += 1) {
      // A copy of its own, because LevelDB may rewrite what it reads.
      const copy = `${path}-copy-${flip}`;
      cpSync(path, copy, { recursive: true });
      writeFileSync(join(copy, basename(file)), flipped(Math.floor((flip / FLIPS) * good.length)));
      try {
        const store = await openLevelStore({ path: copy });
        for (const found of await verdictsOf(store)) seen.add(found);
        await store.close();
      } catch (error) {
        if (!(error instanceof StoreOpenError)) throw error;
        refusedWhole += 1;
      } finally {
        rmSync(copy, { recursive: true });
      }
    }
    expect([...seen].sort()).toEqual(['refused', 'right']);
    expect(refusedWhole).toBe(0);
  });

  it('stays refused over a restart, although LevelDB may have rewritten it in good order', async () => {
    writeFileSync(file, flipped(1_000));
    await (await openLevelStore({ path })).close();
    writeFileSync(file, good);
    const store = await openLevelStore({ path });
    expect([...(await verdictsOf(store))].sort()).toEqual(['refused', 'right']);
    await store.write([{ type: 'put', key: 'z', value: 'z' }]);
    expect(store.get('z')?.toString()).toBe('z');
    await store.close();
  });
});

describe('a table that a killed process left half written', () => {
  it('is no damage, because the database never knew it', async () => {
    writeFileSync(join(path, '000099.ldb'), good.subarray(0, 5_000));
    const store = await openLevelStore({ path });
    expect([...(await verdictsOf(store))]).toEqual(['right']);
    await store.close();
    expect(readdirSync(path)).not.toContain('000099.ldb');
  });

  it('is damage when the database knows it: what is left of it is served, and the rest is refused', async () => {
    writeFileSync(file, good.subarray(0, 5_000));
    const store = await openLevelStore({ path });
    expect([...(await verdictsOf(store))].sort()).toEqual(['refused', 'right']);
    await store.close();
  });
});
