import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Erasure } from '#resources/erasure/schema.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { canariesIn, canary } from '../../resources/erasure/canaries.ts';
import { killChildren } from '../child-processes.ts';
import { GatewayPlace } from '../gateway-process.ts';

const LIMIT_MS = 150_000;
const POLL = { timeout: 30_000 };
/** Milliseconds after which the gateway is killed, from the moment at which the erasure is asked for. */
const KILLED_AFTER_MS = [30, 150, 300, 500];
const LARGE = 'padding '.repeat(20_000);

describe.skipIf(NATS_SERVER === undefined)(needsNats('an erasure on JetStream'), () => {
  let servers: NatsServers;
  const places: GatewayPlace[] = [];
  beforeAll(async () => {
    servers = await NatsServers.start({ servers: 3 });
  });
  afterEach(async () => {
    await killChildren();
    for (const place of places.splice(0)) place.remove();
  });
  afterAll(async () => {
    await servers.close();
  });

  function placeOf(name: string): GatewayPlace {
    const store = { kind: 'jetstream', servers: [...servers.urls], replicas: 3, name };
    const place = new GatewayPlace({ store });
    places.push(place);
    return place;
  }

  async function sessionWith(client: TestClient, word: string): Promise<string> {
    const { id } = await client.session({ note: canary(`metadata ${word}`) });
    const say = (text: string) => client.post(`/v1/sessions/${id}/messages`, { message: userText(text) });
    for (let n = 0; n < 10; n += 1) await say(canary(`message ${word} ${n}`));
    await say(`${canary(`large ${word}`)}${LARGE}`);
    return id;
  }

  const erasuresOf = async (client: TestClient) =>
    (await client.get<{ data: Erasure[] }>('/v1/erasures')).data;

  async function erase(client: TestClient, id: string): Promise<void> {
    await client.post('/v1/erasures', { session_id: id, rule: 'a law' });
    const state = async () => (await erasuresOf(client)).find(({ subject }) => subject.id === id)?.state;
    await expect.poll(state, POLL).toBe('completed');
  }

  const inStreams = () => canariesIn(servers.directory);

  it(
    'leaves nothing in the files of the servers, nor of a node that follows, nor of one that was away',
    async () => {
      const [one, two] = [placeOf('erase'), placeOf('erase')];
      let owner = await one.start();
      cpSync(join(one.data, 'keys'), join(two.data, 'keys'), { recursive: true });
      const kept = await owner.client.session({ note: 'kept' });
      const first = await sessionWith(owner.client, 'first');
      let other = two.launch();
      await expect.poll(() => canariesIn(two.data), POLL).toContain('metadata first');
      expect(inStreams()).toContain('message first 9');
      await erase(owner.client, first);
      await expect.poll(inStreams, POLL).toEqual([]);
      await expect.poll(() => canariesIn(two.data), POLL).toEqual([]);
      // One that sleeps while the stream goes finds only the next one.
      const third = await sessionWith(owner.client, 'third');
      await expect.poll(() => canariesIn(two.data), POLL).toContain('message third 9');
      other.child.process.kill('SIGSTOP');
      await erase(owner.client, third);
      await expect.poll(inStreams, POLL).toEqual([]);
      other.child.process.kill('SIGCONT');
      await expect.poll(() => canariesIn(two.data), POLL).toEqual([]);
      const events = await owner.client.events('/v1/events');

      await owner.kill();
      await other.ready;
      expect((await other.client.events('/v1/events')).slice(0, events.length)).toEqual(events);
      // The first one is away meanwhile, and its stream is gone when it comes back.
      const second = await sessionWith(other.client, 'second');
      await erase(other.client, second);
      await expect.poll(inStreams, POLL).toEqual([]);
      const later = await other.client.events('/v1/events');
      expect((await other.stop()).code).toBe(0);
      owner = await one.start();
      expect((await owner.client.events('/v1/events')).slice(0, later.length)).toEqual(later);
      expect((await owner.client.call('GET', `/v1/sessions/${first}`)).status).toBe(404);
      expect((await owner.client.call('GET', `/v1/sessions/${kept.id}`)).status).toBe(200);
      expect((await owner.stop()).code).toBe(0);
      for (const place of [one, two]) {
        expect(canariesIn(place.data)).toEqual([]);
        expect(await place.check()).toMatchObject({ code: 0 });
      }
      other = await placeOf('erase').start();
      expect((await other.client.events('/v1/events')).slice(0, later.length)).toEqual(later);
      expect((await other.stop()).code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'of an actor leaves nothing of it in the files of the servers either',
    async () => {
      const place = placeOf('actor');
      const gateway = await place.start();
      const id = await sessionWith(gateway.client, 'actor');
      await expect.poll(inStreams, POLL).toContain('message actor 9');
      const [event] = await gateway.client.events(`/v1/sessions/${id}/events`);
      await gateway.client.post('/v1/erasures', { actor: event?.actor, rule: 'a law' });
      const states = async () => (await erasuresOf(gateway.client)).map(({ state }) => state);
      await expect.poll(states, POLL).toEqual(['completed']);
      await expect.poll(inStreams, POLL).toEqual([]);
      expect((await gateway.client.call('GET', `/v1/sessions/${id}`)).status).toBe(404);
      expect((await gateway.stop()).code).toBe(0);
      expect(canariesIn(place.data)).toEqual([]);
      expect(await place.check()).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  it(
    'goes on after kill -9 at any moment of it',
    async () => {
      const place = placeOf('killed');
      for (const afterMs of KILLED_AFTER_MS) {
        const gateway = await place.start();
        const id = await sessionWith(gateway.client, `${afterMs}`);
        const asked = gateway.client.call('POST', '/v1/erasures', {
          body: { session_id: id, rule: 'a law' },
        });
        asked.catch(() => undefined);
        await pause(afterMs);
        await gateway.kill();
        const again = await place.start();
        const isKnown = (await erasuresOf(again.client)).some(({ subject }) => subject.id === id);
        if (!isKnown) await again.client.post('/v1/erasures', { session_id: id, rule: 'a law' });
        const states = async () => (await erasuresOf(again.client)).map(({ state }) => state);
        await expect.poll(async () => new Set(await states()), POLL).toEqual(new Set(['completed']));
        await expect.poll(inStreams, POLL).toEqual([]);
        expect((await again.stop()).code).toBe(0);
        expect(canariesIn(place.data), `after ${afterMs} ms`).toEqual([]);
        expect(await place.check()).toMatchObject({ code: 0 });
      }
    },
    LIMIT_MS,
  );
});
