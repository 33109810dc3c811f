import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';

const toolCall = (name: string, input: object) => ({
  type: 'tool_call',
  tool_call_id: `call_${name}`,
  name,
  input,
  visibility: 'public',
});

describe('arguments of MCP tools', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const mcp = [{ id: 'every', command: mcpServers.everything() }];
    gateway = await startTestGateway({ config: { upstreams: { a2a: [], mcp } } });
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { data } = await gateway.client.get<{ data: { id: string }[] }>('/v1/skills?limit=200');
      if (data.some(({ id }) => id === 'every__get-sum')) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the tools were never listed');
  });
  afterAll(() => gateway.close());

  it.each([
    ['skill:every__get-sum', { a: 2, b: 'three' }, 'input.b', 'input.b: must be number.'],
    ['skill:every__get-sum', { a: 2 }, 'input.b', 'input.b: is required.'],
    [
      'mcp:every',
      { skill_id: 'every__get-sum', input: { a: 'x', b: 1 } },
      'input.input.a',
      'input.input.a: must be number.',
    ],
    [
      'mcp:every',
      { role: 'user', parts: [toolCall('get-sum', { a: 1, b: 2 }), toolCall('get-sum', { a: 1, b: 2 })] },
      'input.parts',
      'One task runs one tool_call. Submit one task each.',
    ],
    [
      'mcp:every',
      { role: 'user', parts: [toolCall('get-sum', { a: 1 })] },
      'input.parts[0].input.b',
      'input.parts[0].input.b: is required.',
    ],
  ])(
    '[MCP-UP-2] %s: %j is refused at submit, with the path of the member, and no Task is made',
    async (route, input, param, message) => {
      const count = async () =>
        (await gateway.client.get<{ data: Task[] }>('/v1/tasks?limit=200')).data.length;
      const before = await count();
      const { id: session } = await gateway.client.session();
      const body = { input, metadata: { route } };
      const answer = await gateway.client.call('POST', `/v1/sessions/${session}/tasks`, { body });
      expect(answer.status).toBe(400);
      expect(answer.body['error']).toMatchObject({ code: 'invalid_request', param, message });
      expect(await count()).toBe(before);
    },
  );
});
