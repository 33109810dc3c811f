import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { acpAgentCommand } from '../../../harness/acp-stage.ts';
import { type TestClient, userText } from '../../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { mcpServers } from '../../../harness/mcp-servers.ts';
import { eventsOf, replayOf } from '../../../harness/runs.ts';

type Play = (client: TestClient) => Promise<Task>;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'] as const;

async function submitted(client: TestClient, route: string, input: object): Promise<Task> {
  const session = await client.session();
  return client.post<Task>(`/v1/sessions/${session.id}/tasks`, { input, metadata: { route } });
}

const called =
  (tool: string, input: object): Play =>
  async (client) =>
    client.until((await submitted(client, `skill:every__${tool}`, input)).id, ...ENDED);

const prompted =
  (text: string): Play =>
  async (client) =>
    client.until((await submitted(client, 'acp:peer', userText(text))).id, ...ENDED);

/** A turn whose agent asks for permission to write, and gets this answer. */
const decided =
  (approved: boolean): Play =>
  async (client) => {
    const task = await submitted(client, 'acp:peer', userText('edit'));
    await client.until(task.id, 'AUTH_REQUIRED');
    const asked = await client.get<{ data: { id: string }[] }>(`/v1/permission-requests?task_id=${task.id}`);
    await client.post(`/v1/permission-requests/${asked.data[0]?.id}/respond`, { approved });
    return client.until(task.id, ...ENDED);
  };

const RUNS: Readonly<Record<string, Play>> = {
  'MCP: a tool': called('echo', { message: 'hello' }),
  'MCP: structured content': called('get-structured-content', { location: 'Chicago' }),
  'MCP: an image': called('get-tiny-image', {}),
  'MCP: progress': called('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
  'MCP: a tool that fails': called('get-resource-reference', { resourceType: 'Text', resourceId: -1 }),
  'ACP: a stream': prompted('stream 5'),
  'ACP: a thought': prompted('think'),
  'ACP: a plan and a kind of update nobody knows': prompted('plan'),
  'ACP: what it cost': prompted('spend 0.5 EUR 10 20'),
  'ACP: a large tool result': prompted('big'),
  'ACP: a refusal': prompted('refuse'),
  'ACP: a fault': prompted('fail'),
  'ACP: an allowed edit': decided(true),
  'ACP: a rejected edit': decided(false),
};

describe('replay of ACP and MCP runs after a restart, when the agent and the server are gone', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-replay-'));
  const sources = new Map<string, Task>();
  let gateway: TestGateway;
  const source = (name: string) => sources.get(name) as Task;
  const startWith = (mcp: string[], acp: string[]) =>
    startTestGateway({
      data,
      config: {
        upstreams: { a2a: [], mcp: [{ id: 'every', command: mcp }], acp: [{ id: 'peer', command: acp }] },
      },
    });

  beforeAll(async () => {
    const before = await startWith(mcpServers.everything(), acpAgentCommand());
    await listed(before.client, 'every__echo');
    for (const [name, play] of Object.entries(RUNS)) sources.set(name, await play(before.client));
    await before.close();
    const gone = () => [process.execPath, '-e', 'process.exit(1)'];
    gateway = await startWith(gone(), gone());
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  });

  it.each(Object.keys(RUNS))('%s is byte_equal', async (name) => {
    const replay = await replayOf(gateway.client, source(name).id);
    const events = await eventsOf(gateway.client, replay.id);
    const completed = events.find(({ event }) => event === 'replay.completed');
    expect(completed?.payload['verdict'] ?? events).toMatchObject({ status: 'byte_equal' });
    expect(replay).toMatchObject({ status: 'COMPLETED', failure: null });
  });

  it('the sources ended in every way', () => {
    expect(new Set([...sources.values()].map(({ status }) => status))).toEqual(
      new Set(['COMPLETED', 'FAILED']),
    );
  });

  it('the receipt of a call names what came back and the hashes of input and result', async () => {
    const { data: receipts } = await gateway.client.get<{ data: Receipt[] }>(
      `/v1/tasks/${source('MCP: a tool').id}/receipts`,
    );
    const payload = receipts.find(({ subject }) => subject.object === 'task')?.wire.payload;
    expect(payload?.side_effects.tool_calls).toEqual([
      expect.objectContaining({
        tool: expect.stringContaining('echo'),
        status: 'succeeded',
        input_hash: expect.stringMatching(/^sha256:/),
        output_hash: expect.stringMatching(/^sha256:/),
      }),
    ]);
    expect(payload?.replay_input.materials.map(({ kind }) => kind)).toContain('mcp_tool_return');
  });
});

async function listed(client: TestClient, id: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const { data } = await client.get<{ data: { id: string }[] }>('/v1/skills?limit=200');
    if (data.some((skill) => skill.id === id)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${id} was never listed`);
}
