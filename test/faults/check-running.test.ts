import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
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
