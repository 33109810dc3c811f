import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizedFetch } from '../harness/a2a-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { all, type Driver, driver03, driver10, next, words } from './a2a-drivers.ts';
import { SAMPLE_BEHAVIOURS } from './sample-behaviours.ts';

type Connect = (url: string, fetchImpl: typeof fetch, key: string) => Promise<Driver>;

const CLIENTS: Record<string, Connect> = {
  '1.3 client, JSON-RPC': (url, fetchImpl) => driver10(url, 'JSONRPC', fetchImpl),
  '1.3 client, HTTP+JSON': (url, fetchImpl) => driver10(url, 'HTTP+JSON', fetchImpl),
  '1.3 client, gRPC': (url, fetchImpl, key) => driver10(url, 'GRPC', fetchImpl, key),
  '0.3 client, JSON-RPC': (url, fetchImpl) => driver03(url, fetchImpl),
  '0.3 client, HTTP+JSON': (url, fetchImpl) => driver03(url, fetchImpl, 'HTTP+JSON'),
  '0.3 client, gRPC': (url, fetchImpl, key) => driver03(url, fetchImpl, 'GRPC', key),
};
const AGENTS = {
  'the 1.3 agent': startSampleAgent,
  'the 0.3 agent': startAgent03,
  'the gRPC agent': startGrpcAgent,
};
const PAIRS = Object.entries(CLIENTS).flatMap(([client, connect]) =>
  Object.entries(AGENTS).map(([agent, start]) => ({ name: `${client}, ${agent}`, connect, start })),
);

/** What a client sees of a fronted agent is what it would see of the agent itself (test/interop/sample-agent.test.ts). */
describe.each(PAIRS)('an agent behind the gateway: $name', ({ start, connect }) => {
  let agent: Peer;
  let gateway: TestGateway;
  let client: Driver;

  beforeAll(async () => {
    agent = await start();
    gateway = await startTestGateway({
      config: { server: { grpc: { port: 0 } }, upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } },
    });
    await described(gateway);
    client = await connect(`${gateway.url}`, authorizedFetch(gateway), gateway.client.key);
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  it.each(SAMPLE_BEHAVIOURS)('$title', ({ run }) => run(client));

  it('tasks and contexts have the ids of the gateway', async () => {
    const { taskId, contextId } = await client.send('one');
    expect([taskId, contextId]).toEqual([
      expect.stringMatching(/^task_/),
      expect.stringMatching(/^session_/),
    ]);
  });

  it('login waits for authorization, and every stream of the task sees it go on', async () => {
    const waiting = client.stream('login');
    expect(words(await next(waiting))).toBe('task working');
    const wanted = await next(waiting);
    expect(words(wanted)).toBe('status auth-required');
    const resumed = await all(client.stream('done', wanted.taskId));
    expect(resumed.map(words)).toEqual(['task working', 'artifact', 'status completed']);
    expect((await all(waiting)).map(words)).toEqual([
      'status working',
      'status working',
      'artifact',
      'status completed',
    ]);
  });

  it('refuse is rejected and fail fails, each with its words', async () => {
    expect(await client.send('refuse')).toMatchObject({ state: 'rejected', text: expect.any(String) });
    expect(await client.send('fail')).toMatchObject({ state: 'failed', text: expect.any(String) });
  });
});

/** Discovery runs in the background; a card is complete once it is over. */
async function described(gateway: TestGateway): Promise<void> {
  for (;;) {
    const answer = await fetch(`${gateway.url}/a2a/shop/.well-known/agent-card.json`);
    if (((await answer.json()) as { skills: unknown[] }).skills.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
