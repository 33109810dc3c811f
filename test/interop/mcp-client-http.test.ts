import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { EraServer } from '../harness/era-servers.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}

/** The server of npm on this port; resolves when it answers. */
async function serve(port: number): Promise<ChildProcess> {
  const [command = '', ...args] = mcpServers.everythingOverHttp();
  const child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  for (let tries = 0; tries < 1_000; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    );
    if (isUp) return child;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the server did not come up');
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await ended;
}

describe('an MCP server behind Streamable HTTP as upstream', () => {
  let gateway: TestGateway;
  let server: ChildProcess;
  let era: EraServer;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    server = await serve(port);
    era = await EraServer.start('sessions', 'http');
    const url = `http://127.0.0.1:${port}/mcp`;
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'every', url },
            { id: 'ask', url, interactive: true },
            { id: 'era', ...era.row('http') },
          ],
        },
      },
    });
    for (const id of ['every__echo', 'ask__echo', 'era__page']) await listed(id);
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await era.close();
    await end(server);
  });

  async function listed(id: string): Promise<void> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { data } = await gateway.client.get<{ data: { id: string }[] }>('/v1/skills?limit=200');
      if (data.some((skill) => skill.id === id)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${id} was never listed`);
  }

  async function submit(skill: string, input: object): Promise<Task> {
    const { id } = await gateway.client.session();
    const body = { input, metadata: { route: `skill:${skill}` } };
    return gateway.client.post<Task>(`/v1/sessions/${id}/tasks`, body);
  }

  it('[MCP-UP-4] a tool runs as a Task, its progress told', async () => {
    const { id } = await submit('every__trigger-long-running-operation', { duration: 0.4, steps: 2 });
    await gateway.client.until(id, 'COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    const told = events.filter(({ event }) => event === 'span.updated');
    expect(told.at(-1)?.payload).toMatchObject({ progress: 2, total: 2 });
  });

  it('a question of the server is answered on the stream that asked it', async () => {
    const { id } = await submit('ask__trigger-elicitation-request', {});
    await gateway.client.until(id, 'INPUT_REQUIRED');
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${id}/permission-requests`,
    );
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, {
      approved: true,
      answer: { name: 'Ada' },
    });
    await gateway.client.until(id, 'COMPLETED');
  });

  async function answerPage(id: string, url: string, approved: boolean): Promise<void> {
    await gateway.client.until(id, 'INPUT_REQUIRED', 'FAILED', 'COMPLETED');
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${id}/permission-requests`,
    );
    const open = data.filter(({ status }) => status === 'pending');
    expect(open).toMatchObject([{ request: { kind: 'elicitation', url } }]);
    const body = approved ? { approved, answer: 'done' } : { approved };
    await gateway.client.post(`/v1/permission-requests/${open[0]?.id}/respond`, body);
  }

  const toolEvents = async (id: string) =>
    (await gateway.client.events(`/v1/tasks/${id}/events`)).filter(({ event }) => event.startsWith('tool.'));

  it('[MCP-UP-12] a page that the server wants opened by an error is a question, and the same call is sent again', async () => {
    const url = 'https://example.com/sign-in';
    const { id } = await submit('ask__trigger-url-elicitation', { url, errorPath: true });
    await answerPage(id, 'https://modelcontextprotocol.io', true);
    // The server goes on with the call that came again, which asks in its midst.
    await answerPage(id, url, true);
    await gateway.client.until(id, 'COMPLETED', 'FAILED');
    const told = await toolEvents(id);
    expect(told.map(({ event }) => event)).toEqual(['tool.requested', 'tool.completed']);
    expect(new Set(told.map(({ payload }) => payload['tool_call_id'])).size).toBe(1);
  });

  it('[MCP-UP-12] a server that wants the page again asks again; who does not open it ends the Task', async () => {
    const { id } = await submit('era__page', {});
    await answerPage(id, 'https://example.com/in', true);
    await answerPage(id, 'https://example.com/in', false);
    const { failure } = await gateway.client.until(id, 'FAILED', 'COMPLETED', 'CANCELED');
    expect(failure).toMatchObject({ code: 'auth_required', details: { reason: 'page_wanted' } });
    expect((await toolEvents(id)).map(({ event }) => event)).toEqual(['tool.requested', 'tool.failed']);
  });

  it('a server that starts anew has forgotten the session; the gateway opens another one', async () => {
    await end(server);
    server = await serve(port);
    for (const row of ['every', 'ask']) {
      const { id } = await submit(`${row}__echo`, { message: 'again' });
      expect(await ended(id)).toMatchObject({ status: 'COMPLETED' });
    }
  });

  async function ended(id: string): Promise<Task> {
    for (;;) {
      const task = await gateway.client.get<Task>(`/v1/tasks/${id}`);
      if (task.status === 'COMPLETED' || task.status === 'FAILED') return task;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
