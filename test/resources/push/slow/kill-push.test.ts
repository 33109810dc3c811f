import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killChildren } from '../../../faults/child-processes.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from '../../../faults/gateway-process.ts';
import { type Received, type Receiver, startReceiver } from '../../../harness/receiver.ts';

/** Posts during which the gateway is killed: they arrive, and are never acknowledged. */
const KILLED_AT = [1, 3, 4, 8];
const TOKEN = 'token-that-survives-kills';

const eventOf = ({ body }: Received) => body['event'] as { id: string; event: string };
const deliveryOf = ({ headers }: Received) => String(headers['x-harn-delivery']);

afterAll(killChildren);

describe('SIGKILL of a gateway between a delivery and its acknowledgement', () => {
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  /** A receiver that does not answer the posts at which the gateway dies. */
  async function deadlyReceiver(kill: () => Promise<unknown>): Promise<Receiver> {
    const receiver = await startReceiver();
    open.push(() => receiver.close());
    receiver.answer = (_, n) => {
      if (!KILLED_AT.includes(n)) return 200;
      void kill();
      return 'hang';
    };
    return receiver;
  }

  it('[X-08] delivers every event at least once and in order; what was not acknowledged comes again under its id', async () => {
    const agent = await startAgentProcess();
    open.push(() => agent.end());
    const place = new GatewayPlace({
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } as object,
      outbound: { allow: ['127.0.0.1'] },
    });
    open.push(() => place.remove());
    let gateway: GatewayProcess = await place.start();
    open.push(() => gateway.kill());
    const receiver = await deadlyReceiver(() => gateway.kill());
    const task = await gateway.client.submit('ask');
    await gateway.client.until(task.id, 'INPUT_REQUIRED');
    const config = { url: receiver.url, from: 'beginning', token: TOKEN };
    await gateway.client.post(`/v1/tasks/${task.id}/push-configs`, config);
    for (const _ of KILLED_AT) {
      await gateway.child.ended;
      gateway = await place.start();
    }
    await gateway.client.post(`/v1/tasks/${task.id}/cancel`, {});
    await expect
      .poll(() => receiver.posts.map((post) => eventOf(post).event), { timeout: 20_000 })
      .toContain('task.canceled');

    const written = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    const end = written.findIndex(({ event }) => event === 'task.canceled');
    const arrived = receiver.posts.map((post) => eventOf(post).id);
    expect([...new Set(arrived)]).toEqual(written.slice(0, end + 1).map(({ id }) => id));
    expect(arrived).toEqual([...arrived].sort());
    for (const n of KILLED_AT) {
      const [killed, next] = receiver.posts.slice(n - 1, n + 1);
      expect(next && deliveryOf(next)).toBe(killed && deliveryOf(killed));
    }
    expect(receiver.posts.every(({ headers }) => headers['a2a-notification-token'] === TOKEN)).toBe(true);
    expect((await gateway.stop()).code).toBe(0);
    expect((await place.check()).code).toBe(0);
  }, 120_000);
});
