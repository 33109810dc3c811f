import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type GrpcRefusal, GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

/** As many as the sample agent says. */
const CHUNKS = 2_000;

describe('a connection of gRPC', () => {
  let agent: Peer;
  let gateway: TestGateway;
  let address: string;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: {
        server: { grpc: { port: 0 } },
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        limits: { heartbeat_interval_ms: 100, stream_buffer_bytes: 65_536 },
      },
    });
    address = await grpcAddress(gateway.url);
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  const client = () => new GrpcTestClient(address, gateway.client.key);
  const message = (text: string) => ({
    message: { messageId: `m-${text}`, role: 'ROLE_USER', parts: [{ text }] },
  });
  const sequencesOf = (events: readonly object[]) =>
    events.flatMap((event) => /chunk \d+ of/.exec(JSON.stringify(event)) ?? []);

  it('is kept open by pings while nothing is said on it', async () => {
    const session = connect(`http://${address}`);
    try {
      let pings = 0;
      session.on('ping', () => {
        pings += 1;
      });
      await once(session, 'connect');
      await expect.poll(() => pings).toBeGreaterThan(3);
      expect(session.closed).toBe(false);
    } finally {
      session.destroy();
    }
  });

  it('with a client that does not read loses that call alone, which goes on after its cursor without a gap', async () => {
    const [slow, other] = [client(), client()];
    const first = slow.stream('SendStreamingMessage', message(`stream ${CHUNKS}`));
    await first.until(1);
    const { task } = first.events[0] as { task: { id: string } };
    first.call.pause();
    // Others are served as if it were not there.
    const quick = other.stream('SendStreamingMessage', message('stream 3'));
    await quick.end;
    await gateway.client.until(task.id, 'COMPLETED');
    first.call.resume();
    const refused = (await first.end.catch((refusal: unknown) => refusal)) as GrpcRefusal;
    expect(refused).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      message: expect.stringContaining('not read in time'),
    });
    const [cursor] = refused.trailers.get('last-event-id');
    const rest = other.stream('SubscribeToTask', { id: task.id }, { 'last-event-id': String(cursor) });
    await rest.end;
    const told = [...sequencesOf(first.events), ...sequencesOf(rest.events.slice(1))];
    expect(sequencesOf(first.events).length).toBeLessThan(CHUNKS);
    expect(told).toEqual(Array.from({ length: CHUNKS }, (_, n) => `chunk ${n + 1} of`));
    const headers = { authorization: `Bearer ${gateway.client.key}` };
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    expect(metrics).toContain('harn_streams_overflowed_total{transport="grpc"} 1');
    for (const each of [slow, other]) each.close();
  }, 60_000);
});
