import { afterAll, describe, expect, it } from 'vitest';
import type { Erasure } from '#resources/erasure/schema.ts';
import { userText } from '../harness/client.ts';
import { canariesIn, canary } from '../resources/erasure/canaries.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

/** Milliseconds after which the gateway is killed, from the moment at which the erasure is asked for. */
const KILLED_AFTER_MS = [4, 20, 60];
const MESSAGES = 60;

afterAll(killChildren);

describe('SIGKILL in the middle of an erasure', () => {
  it('leaves one that was never begun or one that ends by itself, and then nothing on the disk', async () => {
    const place = new GatewayPlace();
    const states: string[] = [];
    for (const [cycle, afterMs] of KILLED_AFTER_MS.entries()) {
      const gateway = await place.start();
      const { id } = await gateway.client.session({ note: canary(`metadata ${cycle}`) });
      for (let n = 0; n < MESSAGES; n += 1)
        await gateway.client.post(`/v1/sessions/${id}/messages`, {
          message: userText(canary(`message ${n}`)),
        });
      const asked = gateway.client.call('POST', '/v1/erasures', { body: { session_id: id, rule: 'a law' } });
      asked.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await gateway.kill();
      const again = await place.start();
      const newest = async () =>
        (await again.client.get<{ data: Erasure[] }>('/v1/erasures')).data.find(
          ({ subject }) => subject.id === id,
        );
      const found = await newest();
      states.push(found?.state ?? 'never begun');
      if (found === undefined) await again.client.post('/v1/erasures', { session_id: id, rule: 'a law' });
      await expect.poll(async () => (await newest())?.state, { timeout: 20_000 }).toBe('completed');
      expect((await again.client.call('GET', `/v1/sessions/${id}`)).status).toBe(404);
      await again.stop();
      expect(canariesIn(place.data), `after ${afterMs} ms`).toEqual([]);
      expect((await place.check()).code).toBe(0);
    }
    process.stderr.write(`killed erasures: ${states.join(', ')}\n`);
    expect(states).toContain('erasing');
    place.remove();
  }, 180_000);

  it('of an actor ends by itself too, and leaves nothing on the disk', async () => {
    const place = new GatewayPlace();
    const states: string[] = [];
    for (const [cycle, afterMs] of KILLED_AFTER_MS.entries()) {
      const gateway = await place.start();
      const { id } = await gateway.client.session();
      for (let n = 0; n < MESSAGES; n += 1)
        await gateway.client.post(`/v1/sessions/${id}/messages`, {
          message: userText(canary(`of actor ${cycle} ${n}`)),
        });
      const actor = (await gateway.client.events(`/v1/sessions/${id}/events`))[0]?.actor ?? '';
      const body = { actor, rule: 'a law' };
      const asked = gateway.client.call('POST', '/v1/erasures', { body });
      asked.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await gateway.kill();
      const again = await place.start();
      const open = async () => (await again.client.get<{ data: Erasure[] }>('/v1/erasures')).data;
      const found = (await open()).find(({ of_actor }) => of_actor && !of_actor.sessions.includes(id));
      states.push((await open())[0]?.state ?? 'never begun');
      const isGone = async () => (await again.client.call('GET', `/v1/sessions/${id}`)).status === 404;
      if (found?.state !== 'erasing' && !(await isGone())) await again.client.post('/v1/erasures', body);
      await expect
        .poll(async () => (await open()).every(({ state }) => state === 'completed'), { timeout: 20_000 })
        .toBe(true);
      expect(await isGone()).toBe(true);
      await again.stop();
      expect(canariesIn(place.data), `after ${afterMs} ms`).toEqual([]);
      expect((await place.check()).code).toBe(0);
    }
    process.stderr.write(`killed erasures of an actor: ${states.join(', ')}\n`);
    expect(states).toContain('erasing');
    place.remove();
  }, 180_000);
});
