import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';

const RECORDS = 400;
const FLIPS = 50;
const key = (n: number) => `k/${String(n).padStart(5, '0')}`;
const content = (n: number) => `record ${n} `.repeat(20);

describe('a table file with one flipped bit', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'harn-damage-'));
  });
  afterEach(() => rmSync(path, { recursive: true }));

  /** All records in one table file, which is returned. */
  async function tableFile(): Promise<string> {
    const store = await openLevelStore({ path });
    await store.write(
      Array.from({ length: RECORDS }, (_, n) => ({
        type: 'put',
        key: key(n),
        value: seal(content(n), key(n)),
      })),
    );
    await store.compact({ gte: 'k/', lte: 'k0' });
    await store.close();
    const name = readdirSync(path).find((file) => file.endsWith('.ldb'));
    if (name === undefined) throw new Error('LevelDB wrote no table');
    return join(path, name);
  }

  /** What a verified read says of a record. */
  function verdict(store: Store, n: number): 'right' | 'wrong' | 'missing' | 'refused' {
    try {
      const record = store.get(key(n));
      if (record === undefined) return 'missing';
      return unseal(record, key(n)).toString() === content(n) ? 'right' : 'wrong';
    } catch (error) {
      if (error instanceof IntegrityError) return 'refused';
      throw error;
    }
  }

  it(`never makes a sealed record read as another value, at ${FLIPS} places over the file`, async () => {
    const file = await tableFile();
    const good = readFileSync(file);
    const seen = new Set<string>();
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const damaged = Buffer.from(good);
      // Footer damage fails the open as a whole; the data blocks before it are what reads can get wrong.
      const at = Math.floor((flip / FLIPS) * (good.length * 0.9));
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (flip % 8)), at);
      writeFileSync(file, damaged);
      const store = await openLevelStore({ path });
      for (let n = 0; n < RECORDS; n += 1) seen.add(verdict(store, n));
      await store.close();
    }
    expect(seen).toContain('right');
    expect(seen).toContain('refused');
    expect(seen).not.toContain('wrong');
  });
});
