import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Skill } from '#resources/discovery/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';

/** Every tool that server-everything lists for what an interactive client declares, with an input that works. */
const EVERYTHING: Record<string, object> = {
  echo: { message: 'hello' },
  'get-annotated-message': { messageType: 'error', includeImage: true },
  'get-env': {},
  'get-resource-links': { count: 2 },
  'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
  'get-roots-list': {},
  'get-structured-content': { location: 'Chicago' },
  'get-sum': { a: 2, b: 3 },
  'get-tiny-image': {},
  'gzip-file-as-resource': { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' },
  'toggle-simulated-logging': {},
  'toggle-subscriber-updates': {},
  'trigger-long-running-operation': { duration: 0.4, steps: 2 },
};

describe('MCP servers from npm as upstreams', () => {
  let gateway: TestGateway;
  let root: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'harn-mcp-'));
    writeFileSync(join(root, 'note.txt'), 'from the file');
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'every', command: mcpServers.everything() },
            { id: 'ask', command: mcpServers.everything(), interactive: true, roots: [root] },
            { id: 'files', command: mcpServers.filesystem(root), tools: { approve: ['write_file'] } },
            {
              id: 'memory',
              command: mcpServers.memory(),
              env: { MEMORY_FILE_PATH: join(root, 'memory.json') },
              tools: { deny: ['delete_entities'] },
            },
          ],
        },
      },
    });
    await listed('every__echo');
    await listed('ask__echo');
    await listed('files__read_text_file');
    await listed('memory__read_graph');
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function skills(): Promise<Skill[]> {
    return (await gateway.client.get<{ data: Skill[] }>('/v1/skills?limit=200')).data;
  }

  async function listed(id: string): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if ((await skills()).some((skill) => skill.id === id)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${id} was never listed`);
  }

  async function submit(route: string, input: object): Promise<Task> {
    const session = await gateway.client.session();
    return gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, { input, metadata: { route } });
  }

  async function run(skill: string, input: object, status: Task['status'] = 'COMPLETED') {
    const { id } = await submit(`skill:${skill}`, input);
    const task = await gateway.client.until(id, 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED');
    expect(task, JSON.stringify(task.failure)).toMatchObject({ status });
    return {
      task,
      parts: await partsOf(task),
      events: await gateway.client.events(`/v1/tasks/${id}/events`),
    };
  }

  async function partsOf(task: Task): Promise<Record<string, unknown>[]> {
    const { data } = await gateway.client.get<{ data: { role: string; parts: Record<string, unknown>[] }[] }>(
      `/v1/sessions/${task.session_id}/messages`,
    );
    return data.filter(({ role }) => role === 'agent').flatMap(({ parts }) => parts);
  }

  async function requestOf(task: Task): Promise<PermissionRequest> {
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    const open = data.find(({ status }) => status === 'pending');
    if (open === undefined) throw new Error('nothing is asked');
    return open;
  }

  it('their tools are Skills with schemas, annotations and the hash of their definition', async () => {
    const found = (await skills()).find(({ id }) => id === 'files__read_text_file');
    expect(found).toMatchObject({
      name: 'files__read_text_file',
      source: 'mcp:files',
      version: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      requires_approval: false,
      deprecated: false,
      input_schema: { type: 'object', required: ['path'] },
      output_schema: { type: 'object' },
      metadata: { side_effect: 'read', definition_changed: false, mcp: { tool: { name: 'read_text_file' } } },
    });
    const ids = (await skills()).map(({ id }) => id);
    expect(ids).toContain('files__write_file');
    expect(ids).not.toContain('memory__delete_entities');
    const events = await allEvents(gateway.log);
    expect(
      events.filter(
        ({ event, payload }) => event.endsWith('skill_definition') && payload['route'] === 'mcp:files',
      ),
    ).toHaveLength(14);
  });

  it.each(Object.entries(EVERYTHING))(
    '[MCP-UP-1] server-everything: %s runs as a Task',
    async (tool, input) => {
      const { parts } = await run(tool === 'get-roots-list' ? `ask__${tool}` : `every__${tool}`, input);
      expect(parts[0]).toMatchObject({ type: 'tool_result', status: 'ok' });
    },
  );

  it('there is no tool of server-everything that these tests leave out', async () => {
    const ids = (await skills()).flatMap(({ id }) => (/^(every|ask)__/.test(id) ? [id.split('__')[1]] : []));
    const asking = ['trigger-elicitation-request', 'trigger-url-elicitation', 'simulate-research-query'];
    expect([...new Set(ids)].sort()).toEqual([...Object.keys(EVERYTHING), ...asking].sort());
  });

  it('a call is events with hashes, and its result a part; a tool_call part keeps its id', async () => {
    const { id } = await submit('mcp:every', {
      role: 'user',
      parts: [
        {
          type: 'tool_call',
          tool_call_id: 'toolu_1',
          name: 'get-sum',
          input: { a: 2, b: 3 },
          visibility: 'public',
        },
      ],
    });
    const task = await gateway.client.until(id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    expect(events.map(({ event }) => event).filter((kind) => !/^(vendor|receipt)\./.test(kind))).toEqual([
      'task.submitted',
      'user.message',
      'session.message_appended',
      'task.started',
      'tool.requested',
      'agent.mcp_tool_use',
      'span.started',
      'tool.completed',
      'agent.tool_result',
      'span.completed',
      'agent.message',
      'session.message_appended',
      'task.completed',
    ]);
    const completed = events.find(({ event }) => event === 'tool.completed');
    expect(completed?.payload).toMatchObject({
      tool_call_id: 'toolu_1',
      name: 'get-sum',
      server: 'every',
      material: 'mcp:every:toolu_1',
    });
    expect(await partsOf(task)).toMatchObject([
      { type: 'tool_result', tool_call_id: 'toolu_1', status: 'ok' },
      { type: 'text', text: 'The sum of 2 and 3 is 5.' },
    ]);
  });

  it('JSON with skill_id and input is a call on the route of the server', async () => {
    const { id } = await submit('mcp:files', {
      skill_id: 'files__read_text_file',
      input: { path: join(root, 'note.txt') },
    });
    const task = await gateway.client.until(id, 'COMPLETED');
    expect((await partsOf(task))[0]).toMatchObject({ output: { content: 'from the file' } });
  });

  it('structured content, images and embedded resources are parts and Artifacts', async () => {
    const weather = await run('every__get-structured-content', { location: 'Chicago' });
    expect(weather.parts[0]?.['output']).toMatchObject({ temperature: expect.any(Number) });
    const image = await run('every__get-tiny-image', {});
    expect(image.parts.map(({ type }) => type)).toContain('image_ref');
    const reference = await run('every__get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
    expect(reference.parts.map(({ type }) => type)).toContain('artifact_ref');
    const links = await run('every__get-resource-links', { count: 2 });
    expect(links.parts.map(({ type }) => type)).toContain('file_ref');
  });

  it('progress is span.updated', async () => {
    const { events } = await run('every__trigger-long-running-operation', { duration: 0.6, steps: 3 });
    const told = events.filter(({ event }) => event === 'span.updated');
    expect(told.length).toBeGreaterThan(0);
    expect(told.at(-1)?.payload).toMatchObject({ progress: 3, total: 3 });
  });

  it('a tool that the server does not have fails the Task, and says so', async () => {
    const { id } = await submit('mcp:every', { skill_id: 'every__nothing', input: {} });
    const task = await gateway.client.until(id, 'FAILED');
    expect(task.failure).toMatchObject({ details: { param: 'input.skill_id' } });
  });

  it('a result that is an error fails the Task with what the tool says', async () => {
    const { task, parts } = await run('files__read_text_file', { path: '/etc/hostname' }, 'FAILED');
    expect(task.failure).toMatchObject({ code: 'tool_error', type: 'runtime_error' });
    expect(task.failure?.message).toContain('Access denied');
    expect(parts[0]).toMatchObject({ type: 'tool_result', status: 'error' });
  });

  it('a call that needs a permission is held back until it is given, and then sent as it was', async () => {
    const path = join(root, 'written.txt');
    const { id } = await submit('skill:files__write_file', { path, content: 'approved' });
    const task = await gateway.client.until(id, 'AUTH_REQUIRED');
    const request = await requestOf(task);
    expect(request).toMatchObject({
      source: 'hitl',
      request: { kind: 'tool', tool_call: { name: 'write_file', input: { content: 'approved' } } },
    });
    expect(() => readFileSync(path)).toThrow('ENOENT');
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, { approved: true });
    await gateway.client.until(id, 'COMPLETED');
    expect(readFileSync(path, 'utf8')).toBe('approved');
  });

  it('a denied call is never sent', async () => {
    const path = join(root, 'denied.txt');
    const { id } = await submit('skill:files__write_file', { path, content: 'x' });
    const request = await requestOf(await gateway.client.until(id, 'AUTH_REQUIRED'));
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, { approved: false });
    await gateway.client.until(id, 'CANCELED');
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });

  it('a server that asks makes the Task INPUT_REQUIRED; the answer goes on in the same call', async () => {
    const { id } = await submit('skill:ask__trigger-elicitation-request', {});
    const task = await gateway.client.until(id, 'INPUT_REQUIRED');
    const request = await requestOf(task);
    expect(request.request).toMatchObject({ kind: 'elicitation', requested_schema: { type: 'object' } });
    const answer = { name: 'Ada', email: 'ada@example.com', check: true };
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, { approved: true, answer });
    const done = await gateway.client.until(id, 'COMPLETED');
    expect(JSON.stringify(await partsOf(done))).toContain('Ada');
  });

  it('[MCP-UP-1] a page that the server wants opened is told with its address, and the answer goes back', async () => {
    const url = 'https://example.com/sign-in';
    const { id } = await submit('skill:ask__trigger-url-elicitation', { url });
    const request = await requestOf(await gateway.client.until(id, 'INPUT_REQUIRED'));
    expect(request.request).toMatchObject({ kind: 'elicitation', url });
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, {
      approved: true,
      answer: 'done',
    });
    await gateway.client.until(id, 'COMPLETED');
  });

  it('[MCP-UP-1] a tool that runs only as a task of its server is followed to its result, asked meanwhile', async () => {
    const { id } = await submit('skill:ask__simulate-research-query', { topic: 'python', ambiguous: true });
    const request = await requestOf(await gateway.client.until(id, 'INPUT_REQUIRED'));
    const body = { approved: true, answer: { interpretation: 'snake' } };
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, body);
    const done = await gateway.client.until(id, 'COMPLETED');
    expect(JSON.stringify(await partsOf(done))).toContain('python (snake)');
  });

  it('a canceled call tells the server and ends the Task', async () => {
    const { id } = await submit('skill:every__trigger-long-running-operation', { duration: 30, steps: 5 });
    await gateway.client.until(id, 'WORKING');
    await gateway.client.post(`/v1/tasks/${id}/cancel`, {});
    const task = await gateway.client.until(id, 'CANCELED');
    expect(task.status).toBe('CANCELED');
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    expect(events.map(({ event }) => event)).toContain('tool.failed');
  });
});
