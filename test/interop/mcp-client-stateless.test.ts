import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskStatus } from '#protocol/task-states.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { type ModernFixture, startModernFixture } from '../harness/conformance-mcp-modern.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { sendWithSession } from '../harness/mcp-post.ts';
import { scriptedMcpServer } from '../harness/scripted-mcp-server.ts';

describe('MCP servers of the revision without sessions as upstreams', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-mcp-'));
  let fixture: ModernFixture;
  let gateway: TestGateway;

  const start = () =>
    startTestGateway({
      data: folder,
      keys: [{ actor: 'other' }],
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'new', url: fixture.url, interactive: true, sampling: true, roots: [folder] },
            { id: 'pinned', url: fixture.url, protocol: '2026-07-28' },
            { id: 'stdio', command: scriptedMcpServer('stateless') },
            { id: 'strict', command: scriptedMcpServer('strict') },
            { id: 'older', url: fixture.url, protocol: '2025-11-25' },
          ],
        },
      },
    });

  beforeAll(async () => {
    fixture = await startModernFixture();
    gateway = await start();
    for (const id of ['new__greet', 'pinned__greet', 'stdio__ok', 'strict__ok']) await listed(id);
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function listed(id: string): Promise<void> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { data } = await gateway.client.get<{ data: { id: string }[] }>('/v1/skills?limit=200');
      if (data.some((skill) => skill.id === id)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${id} was never listed`);
  }

  async function submit(skill: string, input: object = {}): Promise<string> {
    const { id } = await gateway.client.session();
    const body = { input, metadata: { route: `skill:${skill}` } };
    return (await gateway.client.post<Task>(`/v1/sessions/${id}/tasks`, body)).id;
  }

  async function until(id: string, status: TaskStatus): Promise<Task> {
    const task = await gateway.client.until(id, status, 'COMPLETED', 'FAILED', 'CANCELED');
    expect(task, JSON.stringify(task.failure)).toMatchObject({ status });
    return task;
  }

  async function said(task: Task): Promise<string> {
    const outcome = await gateway.client.get<{ messages: { role: string }[] }>(
      `/v1/outcomes/${task.outcome_id}`,
    );
    return JSON.stringify(outcome.messages.filter(({ role }) => role === 'agent'));
  }

  async function open(id: string): Promise<PermissionRequest[]> {
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${id}/permission-requests`,
    );
    return data.filter(({ status }) => status === 'pending');
  }

  async function answer(id: string, given: object): Promise<void> {
    await until(id, 'INPUT_REQUIRED');
    const [request] = await open(id);
    const body = { approved: true, answer: given };
    await gateway.client.post(`/v1/permission-requests/${request?.id}/respond`, body);
  }

  async function notes(id: string): Promise<unknown[]> {
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    return events.flatMap(({ payload }) => (payload['note'] === undefined ? [] : [payload['note']]));
  }

  it.each(['new__greet', 'pinned__greet', 'stdio__ok', 'strict__ok'])(
    '[MCP-UP-7] %s: the revision is found out, and the tool runs as a Task',
    async (skill) => {
      const task = await until(await submit(skill, { name: 'Ada' }), 'COMPLETED');
      expect(await said(task)).toContain(skill.endsWith('greet') ? 'Hello, Ada!' : 'fine');
    },
  );

  it('a server that does not speak the configured revision is not used', async () => {
    const { id } = await gateway.client.session();
    const body = { input: { skill_id: 'greet', input: {} }, metadata: { route: 'mcp:older' } };
    const task = await gateway.client.post<Task>(`/v1/sessions/${id}/tasks`, body);
    expect((await until(task.id, 'FAILED')).failure).toMatchObject({ code: 'upstream_unavailable' });
  });

  it('progress is told, log lines are events, and a tool that is added is a Skill', async () => {
    const progress = await submit('new__test_tool_with_progress');
    await until(progress, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${progress}/events`);
    expect(events.filter(({ event }) => event === 'span.updated').at(-1)?.payload).toMatchObject({
      progress: 100,
      total: 100,
    });
    const log = await submit('new__test_logging_tool');
    await until(log, 'COMPLETED');
    expect(await notes(log)).toContain('tool_log');
    fixture.addTool('added_later');
    await listed('new__added_later');
  });

  it('[MCP-UP-8] what a result asks for makes the Task INPUT_REQUIRED; rounds of answers lead to the result', async () => {
    const id = await submit('new__test_input_required_result_multi_round');
    await answer(id, { name: 'Ada' });
    await gateway.client.until(id, 'INPUT_REQUIRED');
    for (;;) {
      const [request] = await open(id);
      if (request?.request.message.includes('Step 2')) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await answer(id, { color: 'blue' });
    expect(await said(await until(id, 'COMPLETED'))).toContain('Color: blue');
  });

  it('[MCP-UP-8] several questions of one round are open at once; roots are answered by the gateway', async () => {
    const id = await submit('new__test_input_required_result_multiple_inputs');
    await until(id, 'INPUT_REQUIRED');
    const requests = await open(id);
    expect(requests).toHaveLength(2);
    for (const { id: requestId, request } of requests) {
      const given = request.message.includes('name') ? { name: 'Ada' } : { text: 'Hi', model: 'none' };
      await gateway.client.post(`/v1/permission-requests/${requestId}/respond`, {
        approved: true,
        answer: given,
      });
    }
    expect(await said(await until(id, 'COMPLETED'))).toContain('user_name, greeting, client_roots');
  });

  it('a tool that needs what its operator does not offer fails the Task', async () => {
    const task = await until(await submit('pinned__test_missing_capability'), 'FAILED');
    expect(task.failure).toMatchObject({ code: 'unsupported', type: 'upstream_error' });
  });

  it('[MCP-UP-9] a task of the server is followed to its end, its questions answered', async () => {
    const done = await until(await submit('pinned__slow_compute', { seconds: 0.2, label: 'x' }), 'COMPLETED');
    expect(await notes(done.id)).toContain('upstream_task');
    expect(await said(done)).toContain('Computed x.');
    const failed = await until(await submit('pinned__failing_job'), 'FAILED');
    expect(failed.failure).toMatchObject({ code: 'tool_error', message: 'The job failed.' });
    const broken = await until(await submit('pinned__protocol_error_job'), 'FAILED');
    expect(broken.failure?.message).toContain('The job broke down.');
    const id = await submit('new__confirm_delete', { filename: 'x.txt' });
    await answer(id, { confirm: true });
    expect(await said(await until(id, 'COMPLETED'))).toContain('Deleted x.txt.');
  });

  it('[MCP-UP-9] a canceled Task cancels the task of the server', async () => {
    const id = await submit('pinned__slow_compute', { seconds: 30, label: 'never' });
    await untilBound(id);
    await gateway.client.post(`/v1/tasks/${id}/cancel`, {});
    await until(id, 'CANCELED');
    expect(fixture.lastTask()).toMatchObject({ status: 'cancelled' });
  });

  async function untilBound(id: string): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await notes(id)).includes('upstream_task')) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('the server made no task');
  }

  const wire = (method: 'POST' | 'GET', headers: Record<string, string>, body?: object) =>
    sendWithSession(gateway, method, headers, body);

  async function initialize(capabilities: object): Promise<{ 'mcp-session-id': string }> {
    const clientInfo = { name: 'wire', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    const { headers } = await wire('POST', {}, { id: 0, method: 'initialize', params });
    return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  }

  const lastId = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';

  async function readUntil({ body }: Response, pattern: RegExp): Promise<RegExpExecArray> {
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      const found = pattern.exec(text);
      if (found !== null) return found;
    }
    throw new Error(`the stream ended after ${text}`);
  }

  it('[MCP-FACE-7] answers to calls are resumed from the log, also after a restart and without the session', async () => {
    const session = await initialize({ elicitation: {} });
    const call = (id: number, tool: string, input: object = {}) =>
      wire('POST', session, { id, method: 'tools/call', params: { name: tool, arguments: input } });
    const slow = await call(7, 'pinned__slow_compute', { seconds: 3, label: 'resumed' });
    const asking = await call(8, 'new__test_input_required_result_request_state');
    const question = await readUntil(asking, /^id: (.+)\ndata: .*"id":"(ask_[^"]+)"/m);
    const cut = slow.text();
    await gateway.close();
    gateway = await start();
    const before = lastId(await cut);
    const answer = { id: question[2], result: { action: 'accept', content: { ok: true } } };
    const taken = await wire('POST', session, answer);
    expect(taken.status, await taken.text()).toBe(202);
    for (const [last, id, said] of [
      [before, 7, 'Computed resumed.'],
      [question[1] ?? '', 8, 'state-ok'],
    ] as const) {
      const resumed = await wire('GET', { ...session, 'last-event-id': last });
      const rest = await resumed.text();
      expect(rest).toContain(`"id":${id},`);
      expect(rest).toContain(said);
    }
    const authorization = `Bearer ${gateway.clients['other']?.key}`;
    const foreign = await wire('GET', { authorization, 'last-event-id': before });
    expect(foreign.status).toBe(400);
    const named = await wire('GET', { ...session, authorization, 'last-event-id': before });
    expect(named.status).toBe(404);
    expect((await wire('GET', { ...session, 'last-event-id': 'call.bm90' })).status).toBe(404);
  });

  it('[MCP-UP-10] what runs or asks when the gateway stops goes on after its start: a task of the server, a round', async () => {
    const asking = await submit('new__test_input_required_result_request_state');
    await until(asking, 'INPUT_REQUIRED');
    // Last, so that it still runs when the gateway stops.
    const running = await submit('pinned__slow_compute', { seconds: 3, label: 'through a restart' });
    await untilBound(running);
    await gateway.close();
    gateway = await start();
    await answer(asking, { ok: true });
    expect(await said(await until(asking, 'COMPLETED'))).toContain('state-ok');
    const done = await until(running, 'COMPLETED');
    expect(await said(done)).toContain('Computed through a restart.');
    expect(await notes(running)).toContain('call_resumed');
  });

  it.each(['2025-06-18', '2025-03-26'])(
    'clients of revision %s have a session on /mcp too',
    async (protocolVersion) => {
      const revision = { 'mcp-protocol-version': protocolVersion };
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } };
      const opened = await wire('POST', revision, { id: 0, method: 'initialize', params });
      expect(await opened.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
      const session = { ...revision, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await wire('POST', session, { method: 'notifications/initialized' });
      const tools = await wire('POST', session, { id: 1, method: 'tools/list' });
      expect([tools.status, await tools.text()]).toEqual([200, expect.stringContaining('"tools":[{')]);
    },
  );

  it('[MCP-UP-8] clients of /mcp are asked what the server asks', async () => {
    await listed('new__greet');
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { name: 'Ada' },
    }));
    const requestInit = { headers: { authorization: `Bearer ${gateway.client.key}` } };
    const url = new URL(`${gateway.url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const result = await client.callTool({
      name: 'new__test_input_required_result_elicitation',
      arguments: {},
    });
    await client.close();
    expect(JSON.stringify(result.content)).toContain('Hello, Ada!');
  });
});
