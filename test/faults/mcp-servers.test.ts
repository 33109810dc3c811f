import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessGuard } from '#operation/process-guard.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Skill } from '#resources/discovery/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { FIXED_LIMITS } from '../../bridges/mcp/client/config.ts';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { sendWithSession } from '../harness/mcp-post.ts';
import { scriptedMcpServer } from '../harness/scripted-mcp-server.ts';
import { bridgeDeps, hastyTimers, TaskOnStage } from '../harness/upstream-stage.ts';
import { serverCycle, serverCycles, serverProcesses } from './server-cycles.ts';

describe('MCP servers that misbehave', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const limits = () => ({ idle_timeout_ms: 400, max_message_bytes: 2_500_000 });
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'odd', command: scriptedMcpServer(), limits: limits() },
            {
              id: 'held',
              command: scriptedMcpServer(),
              limits: limits(),
              changed_tools: 'hold',
              mount: true,
            },
            { id: 'broken', command: scriptedMcpServer('crash'), limits: { restart_wait_ms: 0 } },
            { id: 'absent', command: ['/nonexistent/server'], limits: { restart_wait_ms: 0 } },
          ],
        },
      },
    });
    await until(
      async () => (await skill('odd__ok')) !== undefined && (await skill('held__ok')) !== undefined,
    );
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
  });

  async function skill(id: string): Promise<Skill | undefined> {
    const { data } = await gateway.client.get<{ data: Skill[] }>('/v1/skills?limit=200');
    return data.find((found) => found.id === id);
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('it never came about');
  }

  async function run(route: string, tool: string): Promise<Task> {
    const session = await gateway.client.session();
    const { id } = await gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, {
      input: { skill_id: tool, input: {} },
      metadata: { route },
    });
    return gateway.client.until(id, 'COMPLETED', 'FAILED', 'AUTH_REQUIRED');
  }

  it.each(['noise', 'flood', 'foreign', 'halves'])('%s breaks nothing', async (tool) => {
    expect(await run('mcp:odd', tool)).toMatchObject({ status: 'COMPLETED' });
  });

  it('a huge result is an Artifact', async () => {
    const task = await run('mcp:odd', 'huge');
    expect(task.status).toBe('COMPLETED');
    const outcome = await gateway.client.get<{ messages: { parts: { type: string }[] }[] }>(
      `/v1/outcomes/${task.outcome_id}`,
    );
    const types = outcome.messages.at(-1)?.parts.map(({ type }) => type);
    expect(types).toEqual(['tool_result', 'artifact_ref']);
  });

  it('a server that hangs fails the Task by deadline, its effect unknown', async () => {
    expect(await run('mcp:odd', 'hang')).toMatchObject({
      status: 'FAILED',
      failure: { code: 'deadline_exceeded', details: { outcome: 'unknown' } },
    });
  });

  it.each(['die', 'big_line'])(
    '%s: the Task fails, and the next call waits for the server that is started again',
    async (tool) => {
      expect(await run('mcp:odd', tool)).toMatchObject({
        status: 'FAILED',
        failure: { code: 'upstream_unavailable', details: { outcome: 'unknown' } },
      });
      expect(await run('mcp:odd', 'ok')).toMatchObject({ status: 'COMPLETED' });
    },
  );

  it.each(['mcp:broken', 'mcp:absent'])(
    '%s: where nobody is to wait, its own callers are refused at once, and others go on',
    async (route) => {
      expect(await run(route, 'ok')).toMatchObject({
        status: 'FAILED',
        failure: { code: 'upstream_unavailable' },
      });
      expect(await run('mcp:odd', 'ok')).toMatchObject({ status: 'COMPLETED' });
    },
  );

  const wire = (method: 'POST' | 'GET', headers: Record<string, string>, body?: object) =>
    sendWithSession(gateway, method, headers, body);

  /** The events of a stream, one by one; `id` and what it says. */
  async function* eventsOf({ body }: Response): AsyncGenerator<{ id: string; isChange: boolean }, void> {
    let text = '';
    for await (const chunk of body ?? []) {
      const blocks = (text + Buffer.from(chunk).toString('utf8')).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: (.+)$/m.exec(block)?.[1];
        if (id !== undefined) yield { id, isChange: block.includes('notifications/tools/list_changed') };
      }
    }
  }

  it('[MCP-FACE-8] a changed list is told to the GET stream that resumes, also when it changed meanwhile', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'w', version: '1' },
    };
    const { headers } = await wire('POST', {}, { id: 0, method: 'initialize', params });
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
    const streamAfter = async (last?: string) =>
      eventsOf(await wire('GET', { ...session, ...(last === undefined ? {} : { 'last-event-id': last }) }));
    const next = async (stream: Awaited<ReturnType<typeof streamAfter>>) => {
      const { value } = await stream.next();
      if (value === undefined) throw new Error('the stream ended');
      return value;
    };
    const first = await streamAfter();
    const before = (await next(first)).id;
    expect((await wire('GET', session)).status).toBe(409);
    const resumed = await streamAfter(before);
    // The stream before has ended: this loop does.
    for await (const { isChange } of first) expect(isChange).toBe(true);
    await next(resumed);
    await run('mcp:odd', 'change');
    const change = await next(resumed);
    expect(change.isChange).toBe(true);
    expect(change.id).not.toBe(before);
    const missed = await streamAfter(before);
    expect((await next(missed)).isChange).toBe(true);
    await missed.return();
  });

  /** A client of /mcp/held, a process of the server for itself, whose tool `ok` has changed and is refused. */
  async function mountThatChanged() {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${gateway.client.key}` } };
    const url = new URL(`${gateway.url}/mcp/held`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as unknown as Transport);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const call = (name: string) => client.callTool({ name, arguments: {} });
    const refuses = async (name: string) => {
      expect(await names()).not.toContain(name);
      await expect(call(name)).rejects.toMatchObject({ code: -32602 });
    };
    expect(await names()).toContain('ok');
    await call('ok');
    await call('change');
    await refuses('ok');
    expect(await names()).toContain('fresh');
    return { names, call, refuses, close: () => client.close() };
  }

  it('[MCP-MOUNT-4] a definition that changes is marked and reported; where the operator says so, calls wait until it is accepted', async () => {
    const mount = await mountThatChanged();
    const before = await skill('held__ok');
    expect((await run('mcp:held', 'change')).status).toBe('COMPLETED');
    await until(async () => (await skill('held__ok'))?.version !== before?.version);
    expect(await skill('held__ok')).toMatchObject({
      requires_approval: true,
      metadata: {
        definition_changed: true,
        pinned_sha256: before?.version,
        mcp: { pinned_tool: objectOf(before?.metadata['mcp'])['tool'] },
      },
    });
    expect(await skill('held__grandchild')).toMatchObject({ deprecated: true });
    const told = async () =>
      (await allEvents(gateway.log))
        .filter(
          ({ event, payload }) =>
            event === 'vendor.harn_gateway.skill_definition' &&
            payload['route'] === 'mcp:held' &&
            payload['change'] !== 'added',
        )
        .map(({ payload }) => [payload['tool'], payload['change']]);
    // The skill is shown as soon as the server has told of it, the record comes a commit later.
    await until(async () => (await told()).length >= 2);
    expect(await told()).toEqual([
      ['ok', 'changed'],
      ['grandchild', 'removed'],
    ]);
    const task = await run('mcp:held', 'ok');
    expect(task.status).toBe('AUTH_REQUIRED');
    await mount.refuses('ok');
    const { data } = await gateway.client.get<{ data: { id: string }[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    await gateway.client.until(task.id, 'COMPLETED');
    expect(await run('mcp:held', 'ok')).toMatchObject({ status: 'COMPLETED' });
    expect(await mount.names()).toContain('ok');
    expect(await mount.call('ok')).toMatchObject({ content: [{ text: 'fine' }] });
    await mount.close();
  });
});

describe('stdio servers that say nothing of their revisions', () => {
  it('[MCP-UP-7] silence means the older revisions: the server is initialized on the same wire, after one wait', async () => {
    const waits: number[] = [];
    const hasty = hastyTimers(FIXED_LIMITS.discoverMs);
    const setTimeout = (run: () => void, ms: number) => {
      waits.push(ms);
      return hasty.setTimeout(run, ms);
    };
    const row = { id: 'x', command: scriptedMcpServer('silent') };
    const guard = new ProcessGuard({ warn: () => undefined });
    const [upstream] = mcpBridge.createClients(
      [row],
      bridgeDeps({ timers: { ...hasty, setTimeout }, guard }),
    );
    if (upstream === undefined) throw new Error('The bridge made no upstream.');
    try {
      const task = await new TaskOnStage(upstream).start('{"skill_id": "ok", "input": {}}');
      expect(task.past.states).toEqual(['COMPLETED']);
      expect(task.past.texts.join()).toContain('fine');
      // Only the answer to initialize says this: to the other revision the server says nothing at all.
      expect(upstream.describe()?.raw).toEqual({ capabilities: { tools: { listChanged: true } } });
      expect(waits.filter((ms) => ms === FIXED_LIMITS.discoverMs)).toHaveLength(1);
    } finally {
      await upstream.close();
    }
  });
});

describe('starting and stopping stdio servers', () => {
  it('[MCP-UP-5] cycles leave no process and no descriptor', async () => {
    const { counts, violations } = await serverCycles(12);
    expect(violations).toEqual([]);
    expect(counts).toEqual({ 'starts and stops of a stdio server': 12 });
  });

  it('a server that ignores the end of its input and SIGTERM is killed, with what it started', async () => {
    expect(await serverCycle([...scriptedMcpServer('stubborn'), 'stubborn-mark'])).toBeGreaterThan(0);
    expect(serverProcesses('stubborn-mark')).toEqual([]);
  });
});
