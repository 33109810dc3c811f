import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '#resources/agent/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { acpAgentCommand } from '../../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { startAcpAgent } from '../../harness/peers/acp-socket-agent.ts';
import { replayOf } from '../../harness/runs.ts';
import { scriptedMcpServer } from '../../harness/scripted-mcp-server.ts';
import { SdkMcpServer } from '../../harness/sdk-mcp-server.ts';

const OPEN_MS = 60_000;
const breaker = () => ({ failures: 2, open_ms: OPEN_MS });
const retries = () => ({ share: 1, most: 2, pause_ms: 1 });
const ENDS_AT_ONCE = [process.execPath, '-e', 'process.exit(1)'];

/** Stands before an agent that serves WebSockets: says once that it is busy, and passes everything on from then on. */
async function busyOnce(port: number): Promise<Server> {
  let calls = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    calls += 1;
    if (calls === 1) {
      client.once('data', () =>
        client.end('HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
      );
      return;
    }
    const agent = connect(port, '127.0.0.1');
    agent.on('error', () => client.destroy());
    client.pipe(agent).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** A port of this machine that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

describe('an agent that fails', () => {
  let gateway: TestGateway;
  let passedMs = 0;
  let served: SdkMcpServer;
  let socket: Awaited<ReturnType<typeof startAcpAgent>>;
  let busy: Server;
  const client = () => gateway.client;

  beforeAll(async () => {
    served = await SdkMcpServer.start();
    socket = await startAcpAgent();
    busy = await busyOnce(Number(new URL(socket.url).port));
    gateway = await startTestGateway({
      clock: { now: () => Date.now(), monotonic: () => performance.now() + passedMs },
      config: {
        upstreams: {
          a2a: [],
          acp: [
            { id: 'coder', command: acpAgentCommand() },
            { id: 'ending', command: ENDS_AT_ONCE },
            { id: 'away', url: `ws://127.0.0.1:${await closedPort()}` },
            { id: 'busy', url: `ws://127.0.0.1:${portOf(busy)}` },
            { id: 'frail', command: acpAgentCommand() },
          ],
          mcp: [
            { id: 'web', url: served.url, trust: true, tools: { approve: ['ask'] } },
            { id: 'shy', url: served.url, trust: true },
            { id: 'local', command: scriptedMcpServer(), trust: true },
            { id: 'broken', command: scriptedMcpServer('crash'), limits: { restart_wait_ms: 1 } },
          ],
        },
        resilience: [
          { agent: 'acp:ending', fallback: 'acp:coder' },
          { agent: 'acp:away', retries: retries(), fallback: 'acp:coder' },
          { agent: 'acp:busy', retries: retries() },
          { agent: 'acp:frail', breaker: breaker() },
          { agent: 'mcp:web', breaker: breaker() },
          { agent: 'mcp:shy', retries: retries() },
          { agent: 'mcp:local', breaker: breaker() },
          { agent: 'mcp:broken', breaker: breaker() },
        ],
      },
    });
    const skills = async () => JSON.stringify(await client().get('/v1/skills?limit=200'));
    for (const id of ['web', 'shy', 'local']) while (!(await skills()).includes(`"${id}__`)) await sleep(20);
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    busy.close();
    await Promise.all([served.close(), socket.close()]);
  });

  const agent = async (route: string) =>
    (await client().get<{ data: Agent[] }>('/v1/agents')).data.find((each) => each.route === route);
  const over = (id: string) => client().until(id, 'COMPLETED', 'FAILED', 'CANCELED', 'AUTH_REQUIRED');
  async function run(route: string, text = 'stream 1'): Promise<Task> {
    return over((await client().submit(text, undefined, { route })).id);
  }
  async function call(skill: string): Promise<Task> {
    const body = {
      session_id: (await client().session()).id,
      input: {},
      metadata: { route: `skill:${skill}` },
    };
    return over((await client().post<Task>('/v1/tasks', body)).id);
  }
  const eventsOf = ({ id }: Task) => client().events(`/v1/tasks/${id}/events`);
  const notes = async (task: Task) =>
    (await eventsOf(task)).flatMap(({ payload }) =>
      payload['note'] === 'turn_retried' ? [payload['details']] : [],
    );
  const moved = async (task: Task) =>
    (await eventsOf(task)).find(({ event }) => event === 'vendor.harn_gateway.task_moved')?.payload;
  async function byteEqual(task: Task) {
    const replay = await replayOf(client(), task.id);
    const ended = (await eventsOf(replay)).find(({ event }) => /^replay\.(completed|failed)$/.test(event));
    expect(ended?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  }
  const circuitOpen = (route: string) => ({
    status: 'FAILED',
    failure: { code: 'upstream_unavailable', details: { reason: 'circuit_open', route } },
  });

  it('over ACP in the middle of its turns opens its circuit, and closes it when a turn goes well', async () => {
    await run('acp:frail', 'die');
    expect((await agent('acp:frail'))?.circuit).toMatchObject({ state: 'closed', failures: 1 });
    await run('acp:frail', 'die');
    const unsent = await run('acp:frail');
    expect(unsent).toMatchObject(circuitOpen('acp:frail'));
    await byteEqual(unsent);
    passedMs += OPEN_MS;
    expect((await run('acp:frail')).status).toBe('COMPLETED');
    expect((await agent('acp:frail'))?.circuit).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('over ACP before it has a prompt hands new tasks to its fallback', async () => {
    const ended = await run('acp:ending');
    expect(ended).toMatchObject({ status: 'COMPLETED', assigned_agent_id: 'acp:coder' });
    expect(await moved(ended)).toEqual({ from: 'acp:ending', to: 'acp:coder', reason: 'exited' });
    await byteEqual(ended);
    // Nobody listens there.
    const away = await run('acp:away');
    expect(away).toMatchObject({ status: 'COMPLETED', assigned_agent_id: 'acp:coder' });
    expect(await moved(away)).toMatchObject({ from: 'acp:away', reason: 'refused' });
    const again = { code: 'upstream_unavailable', reason: 'refused' };
    expect(await notes(away)).toEqual([
      { ...again, attempt: 1 },
      { ...again, attempt: 2 },
    ]);
    await byteEqual(away);
  });

  it('over ACP is connected to again when it says that it may be', async () => {
    const task = await run('acp:busy');
    expect(task.status).toBe('COMPLETED');
    expect(await notes(task)).toEqual([{ code: 'upstream_unavailable', reason: 'refused', attempt: 1 }]);
    await byteEqual(task);
  });

  it('over MCP opens its circuit by calls that fail, and is asked nothing while it is open', async () => {
    served.refuseCalls = { times: 3, status: 500 };
    for (const failures of [1, 2]) {
      expect((await call('web__quick')).status).toBe('FAILED');
      expect((await agent('mcp:web'))?.circuit?.failures).toBe(failures);
    }
    const before = served.called.length;
    expect(await call('web__quick')).toMatchObject(circuitOpen('mcp:web'));
    // Neither the server nor a person is asked for a call that would not be made.
    expect(await call('web__ask')).toMatchObject(circuitOpen('mcp:web'));
    expect([served.refuseCalls.times, served.called.length]).toEqual([1, before]);
    served.refuseCalls = undefined;
    passedMs += OPEN_MS;
    expect((await call('web__quick')).status).toBe('COMPLETED');
    expect((await agent('mcp:web'))?.circuit).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('over MCP on standard streams opens its circuit when it ends in its calls', async () => {
    await call('local__die');
    await call('local__die');
    expect(await call('local__ok')).toMatchObject(circuitOpen('mcp:local'));
  });

  it('over MCP that never starts opens its circuit, and each task says that nothing ran', async () => {
    const call = '{"skill_id":"ok"}';
    for (const failures of [1, 2]) {
      const task = await run('mcp:broken', call);
      expect(task).toMatchObject({ status: 'FAILED', failure: { details: { outcome: 'not_run' } } });
      expect((await agent('mcp:broken'))?.circuit?.failures).toBe(failures);
    }
    expect(await run('mcp:broken', call)).toMatchObject(circuitOpen('mcp:broken'));
  });

  it.each([
    ['reads', 'shy__quick', 429],
    ['reads', 'shy__quick', 503],
    ['may change something', 'shy__talk', 429],
    ['may change something', 'shy__talk', 503],
  ])(
    'over MCP gets a call again that %s (%s, %d), and it is one call on record',
    async (_, skill, status) => {
      served.refuseCalls = { times: 1, status, headers: { 'retry-after': '0' } };
      const task = await call(skill);
      served.refuseCalls = undefined;
      expect(task.status).toBe('COMPLETED');
      const events = await eventsOf(task);
      expect(events.filter(({ event }) => event === 'tool.requested')).toHaveLength(1);
      // Who answers 503 may be what stands before a server that starts anew: the call finds it in another session, too.
      expect((await notes(task)).length + Number(status === 503)).toBeGreaterThan(0);
      await byteEqual(task);
    },
  );
});
