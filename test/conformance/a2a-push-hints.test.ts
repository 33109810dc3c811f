import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startScriptedGrpcAgent } from '../harness/peers/scripted-grpc-agent.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';

const ROUTE = '/a2a-push/{agent}/{secret}';

describe('an agent that pushes', () => {
  let agent: Awaited<ReturnType<typeof startScriptedGrpcAgent>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startScriptedGrpcAgent({}, { pushes: true });
    const card = agent.cardUrl;
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [
            { id: 'told', card, push: true },
            { id: 'untold', card },
          ],
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });
  const post = async (url: string, body = '{}') => (await fetch(url, { method: 'POST', body })).status;
  const taken = async (route: string) => {
    const before = agent.addresses.length;
    const { id } = await gateway.client.submit('work', undefined, { route });
    await expect.poll(() => agent.addresses.length).toBe(before + 1);
    return { id, address: agent.addresses.at(-1) ?? '' };
  };

  it('is asked for its task at once when it says that it went on, and as good as never before', async () => {
    const { id, address } = await taken('a2a:told');
    expect(address).toMatch(new RegExp(`^${gateway.url}/a2a-push/told/[\\w-]{43}$`));
    expect(await post(address)).toBe(204);
    const looked = agent.looks();
    await expect.poll(agent.looks).toBeGreaterThan(looked);
    // The next look is in a minute, unless it says something before.
    agent.finish();
    expect(await post(address)).toBe(204);
    await gateway.client.until(id, 'COMPLETED');
    const replay = await replayOf(gateway.client, id, { mode: 'exact' });
    const events = await eventsOf(gateway.client, replay.id);
    const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
    expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
    // Too late is no fault of the agent, which would send it again.
    expect(await post(address)).toBe(204);
    const recorded = JSON.stringify(await eventsOf(gateway.client, id));
    expect(recorded + gateway.logText()).not.toContain(address.slice(-43));
  });

  it('[A2A-PUSH-04] is believed nothing: what a hint holds changes no task', async () => {
    const { id, address } = await taken('a2a:told');
    const forged = { task: { id: 'task-taken', status: { state: 'TASK_STATE_FAILED' } } };
    expect(await post(address, JSON.stringify(forged))).toBe(204);
    expect(await post(address, 'x'.repeat(200_000))).toBe(204);
    const looked = agent.looks();
    await expect.poll(agent.looks).toBeGreaterThan(looked);
    expect(await gateway.client.get(`/v1/tasks/${id}`)).toHaveProperty('status', 'WORKING');
    agent.finish();
    await post(address);
    await gateway.client.until(id, 'COMPLETED');
  });

  it('is given no address where its row does not say so, and nobody guesses one', async () => {
    const { id, address } = await taken('a2a:untold');
    expect(address).toBe('');
    for (const path of ['untold/x', 'nobody/x', '__proto__/x', 'told/x/y'])
      expect(await post(`${gateway.url}/a2a-push/${path}`), path).toBe(404);
    for (const secret of ['none', 'A'.repeat(43), '__proto__'])
      expect(await post(`${gateway.url}/a2a-push/told/${secret}`), secret).toBe(204);
    agent.finish();
    await gateway.client.until(id, 'COMPLETED');
  });
});

const SENDERS: readonly [string, () => Promise<Peer>, string][] = [
  ['gRPC 1.0', () => startGrpcAgent({ blocking: true, pushes: true }), 'taskPushNotificationConfig'],
  [
    'JSON-RPC 0.3',
    () => startAgent03({ blocking: true, pushes: true }),
    '"configuration":{"blocking":false,"pushNotificationConfig"',
  ],
  [
    'HTTP+JSON 0.3',
    () => startAgent03({ binding: 'HTTP+JSON', blocking: true, pushes: true }),
    '"pushNotification"',
  ],
];

describe.each(SENDERS)('the SDK as an agent of %s that pushes', (_, start, member) => {
  it('finds the address it was given, and its task is done', async () => {
    const agent = await start();
    const gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl, push: true }] } },
    });
    const { id } = await gateway.client.submit('slow 1');
    await gateway.client.until(id, 'COMPLETED');
    expect(agent.requests.map(({ body }) => body).join('\n')).toContain(member);
    await expect
      .poll(gateway.logText)
      .toMatch(new RegExp(`"${ROUTE}","status":204`.replaceAll(/[{}]/g, '\\$&')));
    await gateway.close();
    await agent.close();
  });
});
