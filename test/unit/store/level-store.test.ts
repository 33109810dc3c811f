import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';

const SMALL_BUFFER = 64 * 1024;

describe('opening the LevelDB store', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-level-'));
    path = join(dir, 'store');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function written(): Promise<void> {
    const store = await openLevelStore({ path });
    await store.write([{ type: 'put', key: 'a', value: '1' }]);
    await store.close();
  }

  it('makes the directory, for its owner only', async () => {
    await written();
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('refuses a path that is no directory as unreadable, naming it', async () => {
    writeFileSync(path, 'a file');
    await expect(openLevelStore({ path })).rejects.toMatchObject({
      name: 'StoreOpenError',
      reason: 'unreadable',
      path,
    });
    await expect(openLevelStore({ path })).rejects.toThrow(path);
  });

  it('refuses a damaged manifest as corrupt and opens again once it is mended', async () => {
    await written();
    const current = join(path, 'CURRENT');
    const aside = join(dir, 'CURRENT');
    renameSync(current, aside);
    writeFileSync(current, 'MANIFEST-without-end-of-line');
    await expect(openLevelStore({ path })).rejects.toMatchObject({
      name: 'StoreOpenError',
      reason: 'corrupt',
      path,
    });
    renameSync(aside, current);
    await written();
  });

  it('refuses data without a CURRENT file instead of starting empty and deleting it', async () => {
    await written();
    rmSync(join(path, 'CURRENT'));
    const before = readdirSync(path).sort();
    await expect(openLevelStore({ path })).rejects.toMatchObject({ reason: 'corrupt' });
    expect(readdirSync(path).sort()).toEqual(before);
  });

  it('starts over when a first start was cut before it held data', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'MANIFEST-000001'), '');
    writeFileSync(join(path, 'LOG'), '');
    await written();
  });

  it('refuses a second open in the same process and leaves the first at work', async () => {
    const store = await openLevelStore({ path });
    await expect(openLevelStore({ path })).rejects.toMatchObject({ reason: 'locked', ownerPid: process.pid });
    await store.write([{ type: 'put', key: 'a', value: '1' }]);
    await store.close();
    await written();
  });
});

describe('a LevelDB store whose disk fails', () => {
  let dir: string;
  let path: string;
  let store: Store;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'harn-level-'));
    path = join(dir, 'store');
    store = await openLevelStore({ path, writeBufferBytes: SMALL_BUFFER });
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });

  /** The directory is moved away, so that LevelDB cannot start its next log file. Returns the keys that were acknowledged. */
  async function writeUntilFenced(): Promise<string[]> {
    renameSync(path, `${path}.away`);
    const acked: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      const failure = await writeOne(`k/${n}`).catch((error: unknown) => error);
      if (failure !== undefined) {
        expect(failure).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
        return acked;
      }
      acked.push(`k/${n}`);
    }
    throw new Error('the store never failed');
  }
  const writeOne = (key: string) => store.write([{ type: 'put', key, value: key.repeat(2_000) }]);

  it('is fenced by the first failed write, says so once, and refuses every later write', async () => {
    const causes: unknown[] = [];
    store.onFence((cause) => causes.push(cause));
    await writeUntilFenced();
    expect(store.health).toBe('fenced');
    renameSync(`${path}.away`, path);
    await expect(writeOne('later')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(causes).toEqual([expect.objectContaining({ code: 'LEVEL_IO_ERROR' })]);
  });

  it('refuses the writes that were already waiting behind the failed one', async () => {
    renameSync(path, `${path}.away`);
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => writeOne(`k/${n}`)));
    const firstFailure = results.findIndex((result) => result.status === 'rejected');
    expect(firstFailure).toBeGreaterThan(0);
    expect(results.slice(firstFailure).every((result) => result.status === 'rejected')).toBe(true);
    renameSync(`${path}.away`, path);
  });

  it('goes on reading what was acknowledged, also after a reopen that failed', async () => {
    const acked = await writeUntilFenced();
    await expect(store.reopen()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(store.health).toBe('fenced');
    expect(acked.filter((key) => store.get(key) === undefined)).toEqual([]);
    renameSync(`${path}.away`, path);
  });

  it('refuses reads at the moment of a reopen, says when to come again, and then reads on', async () => {
    const [key = ''] = await writeUntilFenced();
    renameSync(`${path}.away`, path);
    const refused: unknown[] = [];
    let isOver = false;
    const reopening = store.reopen().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      try {
        store.get(key);
      } catch (error) {
        refused.push(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await reopening;
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(store.get(key)).toBeDefined();
  });

  it('loses no acknowledged write over fence and reopen, before or after', async () => {
    const acked = await writeUntilFenced();
    renameSync(`${path}.away`, path);
    await store.reopen();
    expect(store.health).toBe('open');
    await writeOne('after');
    await store.close();
    store = await openLevelStore({ path });
    expect([...acked, 'after'].filter((key) => store.get(key) === undefined)).toEqual([]);
  });

  it('does not come back empty when the data vanished', async () => {
    await writeUntilFenced();
    mkdirSync(path);
    await expect(store.reopen()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(store.health).toBe('fenced');
    rmSync(path, { recursive: true });
    renameSync(`${path}.away`, path);
  });
});
