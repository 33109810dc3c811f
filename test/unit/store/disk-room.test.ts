import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskRoom, isDiskFull, openLevelStore } from '#store/level-store.ts';

const MIB = 1024 * 1024;

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'harn-room-'));
});
afterEach(() => rmSync(path, { recursive: true }));

describe('the reserve of a store', () => {
  it('grows with the write-ahead log, so that reopening never needs much more, and goes when the store opens', async () => {
    const store = await openLevelStore({ path });
    expect(existsSync(join(path, 'reserve'))).toBe(false);
    for (let n = 0; n < 20; n += 1)
      await store.write([{ type: 'put', key: `k/${n}`, value: Buffer.alloc(MIB, n) }]);
    const room = new DiskRoom(path);
    const log = readdirSync(path).find((name) => name.endsWith('.log')) ?? '';
    expect(statSync(join(path, log)).size).toBeGreaterThan(19 * MIB);
    await expect.poll(() => room.balance().neededBytes).toBeLessThan(12 * MIB);
    await store.reopen();
    expect(existsSync(join(path, 'reserve'))).toBe(false);
    await store.close();
  });

  it('is not made for a little', async () => {
    const store = await openLevelStore({ path });
    await store.write([{ type: 'put', key: 'k', value: Buffer.alloc(MIB) }]);
    await store.close();
    expect(existsSync(join(path, 'reserve'))).toBe(false);
  });
});

describe('a full disk', () => {
  it('is known by what the system says, wherever in the causes it stands', () => {
    const system = new Error('IO error: /x/000003.log: No space left on device');
    expect(isDiskFull(new Error('batch failed', { cause: system }))).toBe(true);
    expect(isDiskFull(new Error('IO error: /x/000003.log: Input/output error'))).toBe(false);
  });

  it('is told with what is free and what is needed', () => {
    expect(new DiskRoom(path).balance().reason).toMatch(
      /^The disk is full: [\d.]+ MiB are free and 2\.0 MiB are needed\.$/,
    );
  });
});
