import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { FaultyStore, type StoreFault } from '../harness/faulty-store.ts';
import { describeStoreContract } from './store-contract.ts';

describeStoreContract(
  'the faulty store without a fault',
  async (path) => new FaultyStore(await openLevelStore({ path })),
);

describe('the faulty store', () => {
  async function withFault(fault: StoreFault, run: (store: FaultyStore) => Promise<void>): Promise<void> {
    const path = mkdtempSync(join(tmpdir(), 'harn-faulty-'));
    const store = new FaultyStore(await openLevelStore({ path }), fault);
    try {
      await run(store);
    } finally {
      await store.close();
      rmSync(path, { recursive: true });
    }
  }
  const write = (store: FaultyStore, key: string) => store.write([{ type: 'put', key, value: key }]);

  it('fails the n-th write only, and refuses writes until it was reopened', () =>
    withFault({ call: 'write', nth: 2 }, async (store) => {
      const causes: unknown[] = [];
      store.onFence((cause) => causes.push(cause));
      await write(store, 'a');
      await expect(write(store, 'b')).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(store.health).toBe('fenced');
      await expect(write(store, 'c')).rejects.toMatchObject({ code: 'service_unavailable' });
      await store.reopen();
      await write(store, 'd');
      expect(['a', 'b', 'c', 'd'].map((key) => store.get(key)?.toString())).toEqual([
        'a',
        undefined,
        undefined,
        'd',
      ]);
      expect([store.happened, causes.length, store.calls('write')]).toEqual([true, 1, 3]);
    }));

  it('leaves a ghost where asked: the write was refused and is there', () =>
    withFault({ call: 'write', nth: 1, write: 'ghost' }, async (store) => {
      await expect(write(store, 'a')).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(store.get('a')?.toString()).toBe('a');
    }));

  it('fails a planned read once', () =>
    withFault({ call: 'get', nth: 1 }, async (store) => {
      expect(() => store.get('a')).toThrow('planned fault of get');
      expect(store.get('a')).toBeUndefined();
    }));
});
