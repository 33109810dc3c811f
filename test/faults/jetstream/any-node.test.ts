import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '#resources/message/schema.ts';
import { TestClient, userText } from '../../harness/client.ts';
import { EventStreamClient } from '../../harness/event-stream.ts';
import { GrpcTestClient } from '../../harness/grpc-client.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { freePorts, RoundRobin } from '../../harness/round-robin.ts';
import { WsTestClient } from '../../harness/ws-client.ts';
import { killChildren, runProgram } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess, KEY, startAgentProcess } from '../gateway-process.ts';
import { Report } from '../report.ts';
import { StreamFollower } from '../stream-follower.ts';

const LIMIT_MS = 240_000;
const NODES = 3;
const SESSION = { workspace_id: 'workspace_default' };
const CLIENTS = 4;

interface Node {
  place: GatewayPlace;
  port: number;
  process: GatewayProcess;
}

describe.skipIf(NATS_SERVER === undefined)(needsNats('three gateways on one log'), () => {
  let servers: NatsServers;
  let agent: { cardUrl: string; end(): Promise<unknown> };
  let nodes: Node[];
  let proxy: RoundRobin;
  let grpcPorts: number[];

  beforeAll(async () => {
    servers = await NatsServers.start({ servers: 3 });
    agent = await startAgentProcess();
    const ports = await freePorts(NODES);
    grpcPorts = await freePorts(NODES);
    proxy = await RoundRobin.start(ports);
    const places = ports.map((port, at) => {
      const advertise = `http://127.0.0.1:${port}`;
      return new GatewayPlace({
        server: { port, public_url: proxy.url, grpc: { port: grpcPorts[at] } },
        store: { kind: 'jetstream', servers: servers.urls, name: 'any', replicas: 3, advertise },
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      });
    });
    nodes = [];
    for (const [at, place] of places.entries()) {
      const first = nodes[0]?.place;
      if (first !== undefined)
        cpSync(join(first.data, 'keys'), join(place.data, 'keys'), { recursive: true });
      const process = await place.start();
      nodes.push({ place, port: ports[at] ?? 0, process });
    }
  }, LIMIT_MS);

  afterAll(async () => {
    await proxy.close();
    killChildren();
    await servers.close();
    for (const { place } of nodes) place.remove();
  });

  const clientOf = (node: Node | undefined) => new TestClient(`http://127.0.0.1:${node?.port}`, KEY);

  it('are found by commands of their machine, also those that wait', async () => {
    for (const { place, port } of nodes) {
      const { code, stdout } = await runProgram('status', '--data', place.data, '--key', KEY);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`ready at http://127.0.0.1:${port}`)]);
      const told = await runProgram('doctor', '--config', place.config, '--json');
      const { lines } = JSON.parse(told.stdout) as { lines: { check: string; ok: boolean; said: string }[] };
      const of = (...checks: string[]) => lines.filter(({ check }) => checks.includes(check));
      expect(of('data', 'port', 'node').filter(({ ok }) => !ok)).toEqual([]);
      expect(of('data')[0]?.said).toContain('is open in the gateway at');
    }
  });

  it('serve every call, whichever is asked', async () => {
    const [first, second, third] = nodes.map(clientOf) as [TestClient, TestClient, TestClient];
    const session = await second.session();
    expect(await third.get(`/v1/sessions/${session.id}`)).toEqual(
      await first.get(`/v1/sessions/${session.id}`),
    );
    const follower = new StreamFollower(`/v1/sessions/${session.id}/events/stream`);
    await follower.open(third);
    const socket = await WsTestClient.open(third.url, '/v1/ws', { key: KEY });
    const task = await second.submit('say hello', session.id);
    await first.until(task.id, 'COMPLETED');
    const events = await third.events(`/v1/sessions/${session.id}/events`);
    await follower.leaveAfter(events.at(-1)?.id ?? '');
    const report = new Report();
    follower.compare(events, report);
    expect(report.violations).toEqual([]);
    socket.socket.terminate();
    const large = 'x'.repeat(1_000_000);
    const message = await second.post<Message>(`/v1/sessions/${session.id}/messages`, {
      message: userText(large),
    });
    // So large a text is an artifact.
    const part = message.parts.find(({ type }) => type === 'artifact_ref') as { artifact_id: string };
    const content = await third.call('GET', `/v1/artifacts/${part.artifact_id}/content`);
    expect(content.text).toBe(large);
    const missing = await third.call('GET', '/v1/sessions/session_none');
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 'resource_not_found' } } });
    const nobody = await second.call('GET', '/v1/sessions', { headers: { authorization: undefined } });
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get('www-authenticate')).toBeTruthy();
  });

  it('serve gRPC on each node', async () => {
    for (const port of grpcPorts) {
      const client = new GrpcTestClient(`127.0.0.1:${port}`);
      // status = SERVING
      expect([...(await client.raw('/grpc.health.v1.Health/Check', Buffer.alloc(0)))]).toEqual([8, 1]);
      client.close();
    }
  });

  it('end what is opened while the one that decides leaves, so that it hands over at once', async () => {
    const [first] = nodes;
    if (first === undefined) throw new Error('There is no node.');
    const ended = first.process.stop();
    await expect.poll(() => first.process.child.stderr).toContain('draining');
    const stream = await EventStreamClient.open(clientOf(first), '/v1/events/stream', '0'.repeat(20));
    await stream.ended;
    // Ended with the word when to come back, and not cut when its patience was over.
    expect(stream.text).toContain('retry: ');
    expect((await ended).code).toBe(0);
    first.process = await first.place.start();
  });

  /** Clients of the proxy that write and read without a pause. `retries`: what a client does when its connection breaks. */
  async function underLoad(
    retries: boolean,
    disturb: () => Promise<void>,
  ): Promise<{ calls: number; failed: string[] }> {
    const failed: string[] = [];
    let calls = 0;
    let isOver = false;
    const client = new TestClient(proxy.url, KEY);
    const one = async (method: string, path: string, key?: string) => {
      for (;;) {
        calls += 1;
        try {
          const options = key === undefined ? {} : { body: SESSION, headers: { 'idempotency-key': key } };
          const answer = await client.call<{ id: string }>(method, path, options);
          if (answer.status >= 300) failed.push(`${method} ${path}: ${answer.status} ${answer.text}`);
          return answer.body.id;
        } catch (error) {
          if (!retries) failed.push(`${method} ${path}: ${(error as Error).cause ?? error}`);
          await pause(20);
        }
      }
    };
    const work = async (at: number) => {
      for (let turn = 0; !isOver; turn += 1) {
        const id = await one('POST', '/v1/sessions', `load-${Math.random()}-${at}-${turn}`);
        await one('GET', `/v1/sessions/${id}`);
      }
    };
    const running = Array.from({ length: CLIENTS }, (_, at) => work(at));
    await pause(500);
    await disturb();
    await pause(500);
    isOver = true;
    await Promise.all(running);
    return { calls, failed };
  }

  it(
    'are restarted one after the other without a failed request',
    async () => {
      const follower = new StreamFollower();
      let isOver = false;
      const follow = async () => {
        for (let at = 0; !isOver; at += 1) {
          const isOpen = await follower.open(clientOf(nodes[at % NODES])).then(
            () => true,
            () => false,
          );
          if (isOpen) await follower.over();
          else await pause(50);
        }
      };
      const following = follow();
      const { calls, failed } = await underLoad(false, async () => {
        // The one that decides last: its tasks move once.
        for (const node of nodes.toReversed()) {
          expect((await node.process.stop()).code).toBe(0);
          node.process = await node.place.start();
        }
      });
      process.stderr.write(
        `rolling restart: ${calls} calls, ${failed.length} failed; by node ${proxy.taken}\n`,
      );
      expect(failed.slice(0, 5)).toEqual([]);
      const first = clientOf(nodes[0]);
      const events = await first.events('/v1/events');
      isOver = true;
      // Ends the stream that is open.
      await nodes[2]?.process.stop();
      await nodes[1]?.process.stop();
      await nodes[0]?.process.stop();
      await following;
      for (const node of nodes) node.process = await node.place.start();
      await follower.open(first);
      await follower.leaveAfter(events.at(-1)?.id ?? '');
      const report = new Report();
      follower.compare(events, report);
      expect(report.violations.slice(0, 3)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'end when they are told to while they take over, and leave it to the third',
    async () => {
      // Around the end of the lease, and what it takes to open the log then.
      for (const afterMs of [2_000, 2_060, 2_200]) {
        const owner = await Promise.race(
          nodes.map(async (node) =>
            (await node.process.decides) ? node : await new Promise<never>(() => undefined),
          ),
        );
        const [second, third] = nodes.filter((node) => node !== owner) as [Node, Node];
        const { id } = await clientOf(third).session();
        await owner.process.kill();
        await pause(afterMs);
        const [ended, read] = await Promise.all([
          second.process.stop(),
          clientOf(third).get<{ id: string }>(`/v1/sessions/${id}`),
        ]);
        expect(ended.code).toBe(0);
        expect(read.id).toBe(id);
        for (const node of [owner, second]) node.process = await node.place.start();
      }
    },
    LIMIT_MS,
  );

  it(
    'answer what was asked of one that lives when the one that decides is killed',
    async () => {
      const { calls, failed } = await underLoad(true, async () => {
        const owner = await Promise.race(
          nodes.map(async (node) =>
            (await node.process.decides) ? node : await new Promise<never>(() => undefined),
          ),
        );
        await owner.process.kill();
        const others = nodes.filter((node) => node !== owner);
        await Promise.race(others.map(({ process }) => process.decides));
        owner.process = await owner.place.start();
      });
      process.stderr.write(`kill: ${calls} calls, ${failed.length} failed\n`);
      expect(failed.slice(0, 5)).toEqual([]);
    },
    LIMIT_MS,
  );
});
