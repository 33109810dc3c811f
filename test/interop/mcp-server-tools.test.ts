import { afterAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { EraServer } from '../harness/era-servers.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';
import { type Closable, mcpClients, type ToolResult as Result } from '../harness/mcp-server-stage.ts';
import { ODD_TOOLS } from '../harness/sdk-mcp-server.ts';

describe('tools of a server of the official SDK at /mcp', () => {
  const { legacy, modern, gateway } = mcpSdkStage();

  describe.each([
    ['2025-11-25', async () => (await legacy()).client],
    ['2026-07-28', () => modern()],
  ] as const)('%s', (_era, connect) => {
    it.each([100, 70_000, 1_500_000])(
      'structured content of %d characters is passed whole, as its schema wants it',
      async (chars) => {
        const client = await connect();
        // The SDK checks results against the schemas that it was told.
        await client.listTools();
        const call = { name: 'plain__rows', arguments: { chars } };
        const result = (await client.callTool(call)) as Result;
        expect(result.isError, result.content[0]?.text).not.toBe(true);
        expect((result.structuredContent as { rows: string }).rows).toHaveLength(chars);
        expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
      },
    );

    it('every tool that is listed can be called, whatever its server calls it', async () => {
      const client = await connect();
      const { tools } = await client.listTools();
      const odd = tools.filter(
        ({ name, inputSchema }) => name.includes('plain__') && 'query' in (inputSchema.properties ?? {}),
      );
      expect(odd).toHaveLength(ODD_TOOLS.length);
      const said = [];
      for (const { name } of odd) {
        const result = (await client.callTool({ name, arguments: { query: name } })) as Result;
        said.push(result.content[0]?.text);
        expect(said.at(-1)).toMatch(new RegExp(`: ${name}$`));
      }
      expect(new Set(said.map((text) => text?.split(': ')[0]))).toEqual(
        new Set(ODD_TOOLS.map((name) => name.slice(0, 11))),
      );
    });
  });

  it('a Skill runs by its id on the route of its server, too', async () => {
    const { client } = gateway();
    const { data } = await client.get<{ data: { id: string; metadata: { agent_skill_id: string } }[] }>(
      '/v1/skills?limit=200',
    );
    const skills = data.filter(({ metadata }) => ODD_TOOLS.includes(metadata.agent_skill_id));
    expect(skills.length).toBeGreaterThanOrEqual(ODD_TOOLS.length);
    for (const { id } of skills) {
      const session = await client.session();
      const task = await client.post<Task>(`/v1/sessions/${session.id}/tasks`, {
        input: { skill_id: id, input: { query: 'by id' } },
        metadata: { route: `mcp:${id.split('__')[0]}` },
      });
      expect(await client.until(task.id, 'COMPLETED', 'FAILED')).toMatchObject({ status: 'COMPLETED' });
    }
  });
});

describe('a tool of a server without sessions whose output is no object', () => {
  const opened: Closable[] = [];
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  it('is listed and called by a client with a session, whose revision wants objects', async () => {
    const server = await EraServer.start('stateless', 'http');
    opened.push(server);
    const mcp = [{ id: 'era', ...server.row('http') }];
    const gateway = await startTestGateway({ config: { upstreams: { a2a: [], mcp } } });
    opened.push(gateway);
    const headers = () => ({ authorization: `Bearer ${gateway.client.key}` });
    const { client } = await mcpClients((path) => new URL(gateway.url + path), headers, opened).legacy();
    await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'era__number'));
    const result = (await client.callTool({ name: 'era__number', arguments: {} })) as Result;
    expect(result.structuredContent).toEqual({ result: 7 });
  });
});
