import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '#auth/api-keys.ts';
import { partitionOf } from '#protocol/ports.ts';
import { TestClient } from '../../harness/client.ts';
import { type GrpcRefusal, GrpcTestClient, grpcAddress } from '../../harness/grpc-client.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { freePorts, RoundRobin } from '../../harness/round-robin.ts';
import { driver10 } from '../../interop/a2a-drivers.ts';
import { Child, killChildren, PROGRAM, runProgram } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess, KEY, startAgentProcess } from '../gateway-process.ts';

const LIMIT_MS = 240_000;
const PARTITIONS = ['0000', '0001', '0002'];

/** A tenant with a key and a workspace of its own; the first is the one that always exists. */
const tenant = (id: string, partition: string) => ({
  id,
  partition,
  workspace: `ws_${id}`,
  key: `harn_test_${id}_${'t'.repeat(32)}`,
});
const FIRST = { id: 'tenant_default', partition: '0000', workspace: 'workspace_default', key: KEY };
const ACME = tenant('acme', '0001');
const SHOP = tenant('shop', '0002');
const ALL = [FIRST, ACME, SHOP];
const OTHERS = [ACME, SHOP];
const opened: GrpcTestClient[] = [];

/** Of which partitions each node has a gateway. */
const SERVED = [
  [0, 1, 2],
  [1, 2],
];

interface Node {
  place: GatewayPlace;
  port: number;
  grpcPort: number;
  process: GatewayProcess;
}

describe.skipIf(NATS_SERVER === undefined)(needsNats('two nodes on a log with three partitions'), () => {
  let servers: NatsServers;
  let agent: { cardUrl: string; end(): Promise<unknown> };
  let proxy: RoundRobin;
  let nodes: Node[];
  let grpcPorts: number[];

  const placeOf = (ports: readonly number[], at: number, store: object = {}) =>
    new GatewayPlace({
      server: { port: ports[at], public_url: proxy.url, grpc: { port: grpcPorts[at] } },
      store: {
        kind: 'jetstream',
        servers: servers.urls,
        name: 'parted',
        replicas: 1,
        partitions: PARTITIONS.length,
        placement: { shop: 2 },
        advertise: `http://127.0.0.1:${ports[at]}`,
        ...store,
      },
      tenants: OTHERS.map(({ id }) => ({ id })),
      workspaces: OTHERS.map(({ id, workspace }) => ({ id: workspace, tenant: id })),
      auth: {
        api_keys: ALL.map(({ id, workspace, key }) => {
          const row = { id: `key_${id}`, hash: apiKeyHash(key), actor: `actor_${id}`, tenant: id };
          return { ...row, workspaces: [workspace] };
        }),
      },
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
    } as never);

  beforeAll(async () => {
    servers = await NatsServers.start();
    agent = await startAgentProcess();
    const [one = 0, two = 0, ...free] = await freePorts(4);
    const ports = [one, two];
    grpcPorts = free;
    proxy = await RoundRobin.start(ports);
    nodes = ports.map((port, at) => {
      const place = placeOf(ports, at, { serves: SERVED[at] });
      return { place, port, grpcPort: grpcPorts[at] ?? 0, process: undefined as never };
    });
    for (const node of nodes) {
      const first = nodes[0];
      if (first !== undefined && node !== first)
        cpSync(join(first.place.data, 'keys'), join(node.place.data, 'keys'), { recursive: true });
      node.process = await node.place.start();
    }
  }, LIMIT_MS);

  afterAll(async () => {
    for (const client of opened) client.close();
    await proxy.close();
    killChildren();
    await servers.close();
    for (const { place } of nodes) place.remove();
  });

  const clientOf = ({ key }: { key: string }, at = 0) =>
    new TestClient(`http://127.0.0.1:${nodes[at]?.port}`, key);
  const readyAt = async (at: number) => {
    const { status, body } = await clientOf(FIRST, at).call<{ details: { partitions: object } }>(
      'GET',
      '/ready',
    );
    return { status, partitions: body.details.partitions };
  };

  it('keep each tenant in its partition, whichever is asked', async () => {
    for (const who of ALL) {
      const { id } = await clientOf(who, 0).post<{ id: string }>('/v1/sessions', {
        workspace_id: who.workspace,
      });
      const task = await clientOf(who, 1).submit(`hello ${who.id}`, id);
      await clientOf(who, 0).until(task.id, 'COMPLETED');
      const events = await clientOf(who, 1).events('/v1/events');
      expect(events.length).toBeGreaterThan(5);
      expect(new Set(events.map((event) => partitionOf(event.id)))).toEqual(new Set([who.partition]));
      for (const other of ALL.filter((each) => each !== who))
        for (const path of [`/v1/sessions/${id}`, `/v1/tasks/${task.id}`])
          expect((await clientOf(other, 1).call('GET', path)).status).toBe(404);
    }
  });

  it('let a key that was made in a partition in there', async () => {
    const body = { name: 'made', actor: 'robot', scopes: ['sessions:read'], workspaces: [SHOP.workspace] };
    const made = await clientOf(SHOP, 1).post<{ key: string; tenant_id: string }>('/v1/admin/api-keys', body);
    expect(made).toMatchObject({ tenant_id: SHOP.id, key: expect.stringMatching(/^harn_live_p0002\.made_/) });
    const sessions = await clientOf(made, 0).get<{ data: { workspace_id: string }[] }>('/v1/sessions');
    expect(new Set(sessions.data.map((each) => each.workspace_id))).toEqual(new Set([SHOP.workspace]));
  });

  it('answer for all partitions, and for one where an operator names it', async () => {
    expect(await readyAt(1)).toEqual({
      status: 200,
      partitions: Object.fromEntries(PARTITIONS.map((id) => [id, 'ready'])),
    });
    const logs = await Promise.all(
      PARTITIONS.map(async (partition) => {
        const headers = { 'harn-partition': partition };
        const head = await clientOf(FIRST, 1).call<{ log_id: string }>('GET', '/v1/receipt-log/head', {
          headers,
        });
        return head.body.log_id;
      }),
    );
    expect(new Set(logs).size).toBe(PARTITIONS.length);
    const one = await clientOf(FIRST).call('POST', '/v1/admin/reload', { body: {} });
    expect(one).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    // A page of the node itself, which is the same origin whichever gateway answers.
    const origin = `http://127.0.0.1:${nodes[0]?.port}`;
    const page = { body: { workspace_id: FIRST.workspace }, headers: { origin } };
    expect((await clientOf(FIRST).call('POST', '/v1/sessions', page)).status).toBe(201);
    const backups = join(nodes[0]?.place.folder ?? '', 'backups');
    const env = { HARN_GATEWAY_PARTITION: '0002', HARN_GATEWAY_KEY: KEY, HARN_GATEWAY_URL: proxy.url };
    const backup = await new Child([PROGRAM, 'backup', backups], env).ended;
    expect(backup, backup.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(join(backups, readdirSync(backups)[0] ?? '')).includes(logs[2] ?? '-')).toBe(true);
    const headers = { 'harn-partition': '0001' };
    expect(await clientOf(FIRST).call('GET', '/v1/sessions', { headers })).toMatchObject({
      status: 400,
      body: { error: { param: 'Harn-Partition' } },
    });
    expect((await clientOf(FIRST).call('GET', '/v1/audit', { headers })).status).toBe(200);
    // Of the partition that one node alone has: the directory of another one would not get the new key.
    const rotated = await clientOf(FIRST).call<{ kid: string }>('POST', '/v1/admin/signing-keys', {
      body: {},
      headers: { 'harn-partition': '0000' },
    });
    expect(rotated.status).toBe(201);
    // A gateway that is busy is asked again. The one that all began with, and the new one of the first partition.
    await expect
      .poll(
        async () => {
          const { body } = await clientOf(FIRST, 1).call<{ keys?: { kid: string }[] }>(
            'GET',
            '/.well-known/jwks.json',
          );
          return new Set(body.keys?.map(({ kid }) => kid)).size;
        },
        { timeout: 20_000 },
      )
      .toBe(2);
  });

  const grpcOf = (at: number, key?: string) => {
    const client = new GrpcTestClient(`127.0.0.1:${grpcPorts[at]}`, key);
    opened.push(client);
    return client;
  };
  const message = (text: string) => ({
    message: { messageId: `m-${Math.random()}`, role: 'ROLE_USER', parts: [{ text }] },
  });
  const refusalOf = (call: Promise<unknown>) =>
    call.then(
      () => 'OK',
      ({ status }: GrpcRefusal) => status,
    );

  it('serve gRPC: tenants share a connection, and each reaches what it has alone', async () => {
    // Nobody's connection, whose calls say who they are of.
    for (const client of [grpcOf(0), grpcOf(1)]) {
      const by = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
      const tasks = await Promise.all(
        ALL.map(async (who) => {
          const answer = await client.call('SendMessage', message('one'), by(who));
          return { who, id: (answer as { task: { id: string } }).task.id };
        }),
      );
      for (const { who, id } of tasks) {
        expect(await client.call('GetTask', { id }, by(who))).toMatchObject({ id });
        // The task is where REST finds it, too.
        expect(await clientOf(who, 1).get(`/v1/tasks/${id}`)).toMatchObject({ id });
        for (const other of ALL.filter((each) => each !== who))
          expect(await refusalOf(client.call('GetTask', { id }, by(other)))).toBe('NOT_FOUND');
      }
      const unknown = by({ key: `harn_test_nobody_${'t'.repeat(32)}` });
      expect(await refusalOf(client.call('GetTask', { id: 'task_x' }, unknown))).toBe('UNAUTHENTICATED');
      expect(await refusalOf(client.call('GetTask', { id: 'task_x' }))).toBe('UNAUTHENTICATED');
    }
  });

  it.each(OTHERS)('serve the gRPC client of the SDK of A2A, for $id', async ({ key }) => {
    const client = await driver10(`http://127.0.0.1:${nodes[1]?.port}`, 'GRPC', fetch, key);
    const seen: string[] = [];
    let id = '';
    for await (const event of client.stream('stream 4')) {
      id ||= event.taskId;
      if (event.state !== undefined) seen.push(event.state);
    }
    expect(seen.at(-1)).toBe('completed');
    expect((await client.get(id)).state).toBe('completed');
    const { taskId } = await client.send('ask');
    expect((await client.cancel(taskId)).state).toBe('canceled');
  });

  it('let a client that cancels its call go, and answer health and reflection', async () => {
    for (const at of [0, 1]) {
      const client = grpcOf(at, SHOP.key);
      const stream = client.stream('SendStreamingMessage', message('ask'));
      await stream.until(1);
      stream.call.cancel();
      await expect(stream.end).rejects.toMatchObject({ status: 'CANCELLED' });
      const { task } = stream.events[0] as { task: { id: string } };
      await clientOf(SHOP, 0).until(task.id, 'INPUT_REQUIRED');
      const health = await grpcOf(at).raw('/grpc.health.v1.Health/Check', Buffer.alloc(0));
      // status = SERVING
      expect([...health]).toEqual([8, 1]);
      const asIs = (bytes: Buffer) => bytes;
      const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
      const call = grpcOf(at).client.makeBidiStreamRequest(path, asIs, asIs);
      const answers: Buffer[] = [];
      call.on('data', (bytes: Buffer) => answers.push(bytes));
      // list_services
      call.write(Buffer.from([0x3a, 0]));
      call.end();
      await new Promise((resolve) => call.on('end', resolve));
      expect(String(Buffer.concat(answers))).toContain('lf.a2a.v1.A2AService');
    }
    const { hostname } = new URL(proxy.url);
    const listed = await grpcAddress(`http://127.0.0.1:${nodes[0]?.port}`);
    expect(grpcPorts.map((port) => `${hostname}:${port}`)).toContain(listed);
  });

  it('refuse a node that would have too few partitions', async () => {
    const ports = await freePorts(1);
    const place = placeOf(ports, 0, { partitions: 2, placement: {} });
    const { code, stderr } = await place.launch().child.ended;
    expect(code).toBe(3);
    expect(stderr).toContain('The tenant shop lies in partition 0002');
    expect(stderr).toContain('Set it to 3 or more');
    place.remove();
  });

  it('refuse a node that says it is where another one is', async () => {
    const ports = await freePorts(1);
    const place = placeOf(ports, 0, { advertise: `http://127.0.0.1:${nodes[0]?.port}` });
    const { code, stderr } = await place.launch().child.ended;
    expect(code).toBe(4);
    expect(stderr).toContain('Give each node an address of its own in store.advertise');
    place.remove();
  });

  /** Clients of all tenants that write and read without a pause, through any node that lives. */
  async function underLoad(
    disturb: () => Promise<void>,
  ): Promise<{ failed: string[]; made: { who: (typeof ALL)[number]; id: string }[] }> {
    const failed: string[] = [];
    const made: { who: (typeof ALL)[number]; id: string }[] = [];
    let isOver = false;
    const work = async (who: (typeof ALL)[number]) => {
      const client = new TestClient(proxy.url, who.key);
      for (let turn = 0; !isOver; turn += 1) {
        const headers = { 'idempotency-key': `${who.id}-${turn}-${Math.random()}` };
        const write = () =>
          client.call('POST', '/v1/sessions', { body: { workspace_id: who.workspace }, headers });
        // What a client does: again with the same key, where the connection breaks or it is told to come back.
        let answer = await write().catch(() => undefined);
        while (
          answer === undefined ||
          (answer.status === 503 && answer.headers.get('retry-after') !== null)
        ) {
          await pause(50);
          answer = await write().catch(() => undefined);
        }
        if (answer.status >= 300) failed.push(`${who.id}: ${answer.status} ${answer.text}`);
        else made.push({ who, id: (answer.body as { id: string }).id });
      }
    };
    const running = ALL.map((who) => work(who));
    await disturb();
    isOver = true;
    await Promise.all(running);
    return { failed, made };
  }

  it(
    'share the partitions, and lose no call while one is killed and comes back',
    async () => {
      const isShared = async () => {
        const said = nodes.map(({ process }) => process.child.stderr);
        return said.some((text) => text.includes('another node is to decide for a partition'));
      };
      for (let tries = 0; tries < 200 && !(await isShared()); tries += 1) await pause(100);
      expect(await isShared()).toBe(true);
      const { failed, made } = await underLoad(async () => {
        const [, second] = nodes as [Node, Node];
        await pause(500);
        await second.process.kill();
        await pause(3_000);
        second.process = await second.place.start();
        await pause(1_000);
      });
      expect(failed.slice(0, 5)).toEqual([]);
      // What was acknowledged is there, once, in its partition.
      for (const who of ALL) {
        const events = await clientOf(who, 1).events('/v1/events');
        const created = events
          .filter(({ event }) => event === 'session.created')
          .map(({ session_id }) => session_id);
        expect(new Set(created).size).toBe(created.length);
        const own = made.filter((each) => each.who === who);
        expect(own.length).toBeGreaterThan(0);
        for (const { id } of own) expect(created).toContain(id);
      }
    },
    LIMIT_MS,
  );

  it(
    'take calls of gRPC at the other node when one is killed',
    async () => {
      const [first, second] = nodes as [Node, Node];
      // The one that came back has got its share again.
      const moves = () =>
        first.process.child.stderr.split('another node is to decide for a partition').length - 1;
      await expect.poll(moves, { timeout: 60_000 }).toBeGreaterThan(1);
      await pause(1_500);
      await expect.poll(async () => (await readyAt(0)).status, { timeout: 60_000 }).toBe(200);
      const streams = OTHERS.map(({ key }) =>
        grpcOf(0, key).stream('SendStreamingMessage', message('login')),
      );
      for (const stream of streams) await stream.until(2);
      const killed = second.process.kill();
      for (const { key } of OTHERS) {
        const client = grpcOf(0, key);
        const refusals: string[] = [];
        let answer: unknown;
        // What a client does: again, where the connection of the node broke under its call.
        while (answer === undefined && refusals.length < 100)
          answer = await client.call('SendMessage', message('one')).catch(async ({ status }: GrpcRefusal) => {
            refusals.push(status);
            await pause(50);
          });
        expect(answer).toHaveProperty('task.status.state', 'TASK_STATE_COMPLETED');
        expect(refusals.filter((status) => status !== 'UNAVAILABLE')).toEqual([]);
      }
      await killed;
      // Who had a stream of the one that was killed is told; the others go on.
      for (const { call } of streams) call.cancel();
      const ends = await Promise.all(streams.map(({ end }) => refusalOf(end)));
      expect(ends.toSorted()).toEqual(['CANCELLED', 'UNAVAILABLE']);
      second.process = await second.place.start();
    },
    LIMIT_MS,
  );

  it(
    'leave logs behind that check, one for each partition',
    async () => {
      for (const { process } of nodes) expect((await process.stop()).code).toBe(0);
      for (const [at, { place }] of nodes.entries())
        for (const partition of PARTITIONS.filter((_id, n) => SERVED[at]?.includes(n))) {
          const data = partition === '0000' ? place.data : join(place.data, 'partitions', partition);
          const { code, stdout, stderr } = await runProgram(
            'log',
            'check',
            '--config',
            place.config,
            '--data',
            data,
          );
          expect({ partition, code, said: code === 0 ? '' : stdout + stderr }).toEqual({
            partition,
            code: 0,
            said: '',
          });
        }
    },
    LIMIT_MS,
  );
});
