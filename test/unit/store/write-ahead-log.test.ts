import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crc32c } from '#store/crc32c.ts';
import { openLevelStore } from '#store/level-store.ts';
import { findLogHole } from '#store/write-ahead-log.ts';

const key = (n: number) => `k/${String(n).padStart(5, '0')}`;
const BATCHES = 60;

describe('CRC-32C', () => {
  it('agrees with the check value of the standard and with every length of a remainder', () => {
    expect(crc32c(Buffer.from('123456789'), 0, 9)).toBe(0xe3069283);
    // RFC 3720, B.4: 32 bytes of zeros, of ones, and rising.
    expect(crc32c(Buffer.alloc(32), 0, 32)).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 0xff), 0, 32)).toBe(0x62a8ab43);
    const rising = Buffer.from(Array.from({ length: 34 }, (_, n) => n - 1));
    expect(crc32c(rising, 1, 33)).toBe(0x46dd794e);
  });
});

describe('a write-ahead log', () => {
  let path: string;
  let file: string;
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'harn-wal-'));
    const store = await openLevelStore({ path });
    for (let n = 0; n < BATCHES; n += 1)
      await store.write([{ type: 'put', key: key(n), value: String(n).repeat(900) }]);
    await store.close();
    const name = readdirSync(path).find((entry) => entry.endsWith('.log'));
    if (name === undefined) throw new Error('LevelDB wrote no log');
    file = join(path, name);
  });
  afterEach(() => rmSync(path, { recursive: true }));

  function flip(at: number): void {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    writeFileSync(file, bytes);
  }

  async function readable(): Promise<number> {
    const store = await openLevelStore({ path });
    let count = 0;
    for (let n = 0; n < BATCHES; n += 1) if (store.get(key(n)) !== undefined) count += 1;
    await store.close();
    return count;
  }

  it('that is whole has no hole', async () => {
    expect(readFileSync(file).length).toBeGreaterThan(64 * 1024);
    expect(findLogHole(path)).toBeUndefined();
    expect(await readable()).toBe(BATCHES);
  });

  it.each([0, 4, 5, 6, 7, 500, 30_000, 32_768, 40_000])(
    'with a flipped bit at byte %i is refused, and says where it may be cut',
    async (at) => {
      flip(at);
      const refusal = await openLevelStore({ path }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: 'StoreOpenError', reason: 'corrupt' });
      const offset = findLogHole(path)?.offset ?? Number.NaN;
      expect(offset).toBeLessThanOrEqual(at);
      expect(String(refusal)).toContain(`truncate -s ${offset} `);
      writeFileSync(file, readFileSync(file).subarray(0, offset));
      expect(await readable()).toBeLessThan(BATCHES);
    },
  );

  it('of several megabytes names a hole by its place in the whole file', async () => {
    const store = await openLevelStore({ path });
    for (let n = 0; n < 5; n += 1)
      await store.write([{ type: 'put', key: key(n), value: String(n).repeat(500_000) }]);
    await store.close();
    file = join(path, readdirSync(path).find((entry) => entry.endsWith('.log')) ?? '');
    expect(findLogHole(path)).toBeUndefined();
    const at = 1_600_000;
    flip(at);
    const offset = findLogHole(path)?.offset ?? Number.NaN;
    // A record ends with its block of 32 KiB.
    expect(at - offset).toBeGreaterThanOrEqual(0);
    expect(at - offset).toBeLessThan(32 * 1024);
  });

  it('with an unreadable end opens: that is how a crash leaves it', async () => {
    flip(readFileSync(file).length - 20);
    expect(findLogHole(path)).toBeUndefined();
    expect(await readable()).toBe(BATCHES - 1);
  });

  it('cut at any byte opens with the batches before the cut', async () => {
    const whole = readFileSync(file);
    for (const size of [whole.length - 1, 70_000, 65_536, 50_001, 32_770, 32_768, 7, 1, 0]) {
      writeFileSync(file, whole.subarray(0, size));
      expect(findLogHole(path), `cut at ${size}`).toBeUndefined();
    }
  });
});
