import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';

const SAMPLED = 'trigger-sampling-request';

describe('an MCP server that asks for a model', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'asks', command: mcpServers.everything(), interactive: true, sampling: true },
            { id: 'mute', command: mcpServers.everything(), interactive: true },
          ],
        },
      },
    });
    for (let tries = 0; tries < 1_000; tries += 1) {
      const ids = await skills();
      if (['asks__echo', 'mute__echo'].every((id) => ids.includes(id))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the tools were never listed');
  });
  afterAll(() => gateway.close());

  async function skills(): Promise<string[]> {
    const { data } = await gateway.client.get<{ data: { id: string }[] }>('/v1/skills?limit=200');
    return data.map(({ id }) => id);
  }

  async function asked(): Promise<{ task: Task; request: PermissionRequest }> {
    const { id: session } = await gateway.client.session();
    const body = { input: { prompt: 'Say it.' }, metadata: { route: `skill:asks__${SAMPLED}` } };
    const { id } = await gateway.client.post<Task>(`/v1/sessions/${session}/tasks`, body);
    const task = await gateway.client.until(id, 'INPUT_REQUIRED', 'FAILED', 'COMPLETED');
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${id}/permission-requests`,
    );
    return { task, request: data[0] as PermissionRequest };
  }

  async function said(task: Task): Promise<string> {
    return JSON.stringify(await gateway.client.get(`/v1/sessions/${task.session_id}/messages`));
  }

  it('is told of the capability only where its operator says so', async () => {
    const ids = await skills();
    expect(ids).toContain(`asks__${SAMPLED}`);
    expect(ids).not.toContain(`mute__${SAMPLED}`);
  });

  it.each([{ answer: { text: 'From a person.', model: 'none' } }, { answer: 'From a person.' }])(
    '[MCP-UP-6] makes the Task wait; what the caller writes is what the model says: %j',
    async ({ answer }) => {
      const { task, request } = await asked();
      expect(task.status).toBe('INPUT_REQUIRED');
      expect(request.request.message).toContain('Say it.');
      await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, { approved: true, answer });
      await gateway.client.until(task.id, 'COMPLETED');
      expect(await said(task)).toContain('From a person.');
    },
  );

  it('[MCP-UP-6] is told that it was rejected', async () => {
    const { task, request } = await asked();
    await gateway.client.post(`/v1/permission-requests/${request.id}/respond`, { approved: false });
    await gateway.client.until(task.id, 'FAILED', 'COMPLETED');
    expect(await said(task)).toContain('rejected');
  });
});
