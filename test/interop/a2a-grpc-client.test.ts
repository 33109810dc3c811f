import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAgent03 } from '../harness/peers/agent-03.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';

interface Row {
  name: string;
  start(options?: { blocking?: boolean }): Promise<Peer>;
  stream: string;
  cancel: string | RegExp;
  sent: object;
  /** What a task without a stream is begun and looked at by. */
  polled: readonly [string, string | RegExp];
}

const AGENTS: readonly Row[] = [
  {
    name: 'gRPC 1.0',
    start: startGrpcAgent,
    stream: 'POST /lf.a2a.v1.A2AService/SendStreamingMessage',
    cancel: 'POST /lf.a2a.v1.A2AService/CancelTask',
    sent: { 'a2a-version': '1.0' },
    polled: ['POST /lf.a2a.v1.A2AService/SendMessage', 'POST /lf.a2a.v1.A2AService/GetTask'],
  },
  {
    name: 'gRPC 0.3',
    start: (more = {}) => startAgent03({ binding: 'GRPC', ...more }),
    stream: 'POST /a2a.v1.A2AService/SendStreamingMessage',
    cancel: 'POST /a2a.v1.A2AService/CancelTask',
    sent: {},
    polled: ['POST /a2a.v1.A2AService/SendMessage', 'POST /a2a.v1.A2AService/GetTask'],
  },
  {
    name: 'HTTP+JSON 0.3',
    start: (more = {}) => startAgent03({ binding: 'HTTP+JSON', ...more }),
    stream: 'POST /a2a/v1/message:stream',
    cancel: /^POST \/a2a\/v1\/tasks\/.+:cancel$/,
    sent: { 'content-type': 'application/json' },
    polled: ['POST /a2a/v1/message:send', /^GET \/a2a\/v1\/tasks\/[^/:]+$/],
  },
];

/** An agent whose card offers one binding alone, in front of the gateway like any other. */
describe.each(AGENTS)('an agent that speaks $name only', ({ start, stream, cancel, sent }) => {
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await start();
    const value = { env: 'GRPC_AGENT_KEY' };
    gateway = await startTestGateway({
      env: { GRPC_AGENT_KEY: 'agent-credential-1234567890' },
      config: {
        upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl, auth: { type: 'bearer', value } }] },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  it('is sent the credential, and the version where it has one', async () => {
    const { id } = await gateway.client.submit('one');
    await gateway.client.until(id, 'COMPLETED');
    const { headers } = await agent.arrived(stream);
    expect(headers).toMatchObject({ authorization: 'Bearer agent-credential-1234567890', ...sent });
  });

  it.each(['one', 'stream 5', 'fail', 'refuse'])('replays "%s" byte for byte', async (said) => {
    const { id } = await gateway.client.submit(said);
    await gateway.client.until(id, 'COMPLETED', 'FAILED');
    const replayed = await gateway.client.post<{ id: string }>(`/v1/tasks/${id}/replay`, {});
    await gateway.client.until(replayed.id, 'COMPLETED', 'FAILED');
    const events = await gateway.client.events(`/v1/tasks/${replayed.id}/events`);
    const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
    expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('is asked a question, answered and canceled', async () => {
    const { id } = await gateway.client.submit('ask');
    await gateway.client.until(id, 'INPUT_REQUIRED');
    await gateway.client.answer(id, 'blue');
    await gateway.client.until(id, 'COMPLETED');
    const other = await gateway.client.submit('ask');
    await gateway.client.until(other.id, 'INPUT_REQUIRED');
    await gateway.client.post(`/v1/tasks/${other.id}/cancel`);
    await gateway.client.until(other.id, 'CANCELED');
    const arrived = () => agent.requests.filter(({ operation }) => operation.match(cancel));
    await expect.poll(arrived).toHaveLength(1);
  });
});

describe.each(AGENTS)('an agent that speaks $name and no streams', ({ start, polled }) => {
  it('is polled until its task is over, which replays byte for byte', async () => {
    const agent = await start({ blocking: true });
    const gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } },
    });
    try {
      const { id } = await gateway.client.submit('slow 1');
      await gateway.client.until(id, 'COMPLETED');
      const asked = agent.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
      const [sent, read] = polled;
      expect(asked.filter((each) => each === sent)).toHaveLength(1);
      expect(asked.filter((each) => each.match(read)).length).toBeGreaterThan(1);
      expect(asked.filter((each) => /[Ss]tream/.test(each))).toEqual([]);
      const replay = await replayOf(gateway.client, id, { mode: 'exact' });
      const events = await eventsOf(gateway.client, replay.id);
      const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
      expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
    } finally {
      await gateway.close();
      await agent.close();
    }
  });
});
