import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metaKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal } from '#store/sealed-record.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

let place: GatewayPlace;
beforeEach(() => {
  place = new GatewayPlace();
});
afterEach(() => place.remove());
afterAll(killChildren);

describe('log check on the data of a running gateway', () => {
  it('checks a snapshot while the gateway goes on writing, and leaves nothing behind', async () => {
    const gateway = await place.start();
    const before = 20;
    for (let n = 0; n < before; n += 1) await gateway.client.session();
    // Behind the checkpoint, which is written every second.
    await pause(1_500);
    let writing = true;
    const load = (async () => {
      let made = 0;
      for (; writing; made += 1) await gateway.client.session();
      return made;
    })();
    for (let check = 0; check < 2; check += 1) {
      const { code, stdout, stderr } = await place.check();
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('a snapshot of its log') });
      expect(stderr).toContain(String(gateway.child.process.pid));
      const [, events = '0'] = /(\d+) events, 0 findings/.exec(stdout) ?? [];
      expect(Number(events)).toBeGreaterThanOrEqual(before);
    }
    writing = false;
    expect(await load).toBeGreaterThan(0);
    expect(readdirSync(place.data).filter((name) => name.startsWith('snapshot'))).toEqual([]);
    expect((await gateway.stop()).code).toBe(0);
    expect((await place.check()).code).toBe(0);
  }, 60_000);
});

describe('log check on the data of another version', () => {
  it.each([
    { schema: 99, code: 5, words: /newer version .* Start that version/ },
    { schema: 1, code: 3, words: /older version .* run ".* session export"/ },
  ])(
    'ends with $code for schema $schema, and says what to do',
    async ({ schema, code, words }) => {
      const gateway = await place.start();
      await gateway.stop();
      const store = await openLevelStore({ path: `${place.data}/store` });
      const key = metaKey('schema');
      const value = seal(JSON.stringify({ log_id: 'log_of_another_day', schema }), key);
      await store.write([{ type: 'put', key, value }]);
      await store.close();
      expect(await place.check()).toEqual(
        expect.objectContaining({ code, stdout: '', stderr: expect.stringMatching(words) }),
      );
    },
    30_000,
  );
});
