import { describe, expect, it } from 'vitest';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';
import { type Closable, mcpClients, type ToolResult as Result } from '../harness/mcp-server-stage.ts';

describe('a mount of a server with sessions', () => {
  const stage = mcpSdkStage();
  const { server, modern, urlOf, headers } = stage;
  const ASKED = { elicitation: { form: {} } };

  it('[MCP-MOUNT-9] serves sixteen plain calls in parallel of a client that may be asked', async () => {
    const client = await modern(ASKED, { path: '/mcp/plain' });
    const calls = Array.from({ length: 16 }, () => client.callTool({ name: 'slow', arguments: {} }));
    await until(() => server().running === 8);
    // Half of the connections are left to others.
    const other = await modern(ASKED, { path: '/mcp/plain', name: 'other' });
    expect(await other.callTool({ name: 'quick', arguments: {} })).toMatchObject({
      content: [{ text: 'quick is done' }],
    });
    const ended = Promise.all(calls);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await until(() => {
      server().release();
      return isOver;
    });
    for (const result of (await ended) as Result[]) expect(result.content[0]?.text).toBe('slow is done');
  });

  it('serves more clients that listen than it has connections for calls', async () => {
    const clients: Closable[] = [];
    const { legacy } = mcpClients(urlOf, headers, clients);
    const opened = await Promise.all(Array.from({ length: 60 }, () => legacy({}, { path: '/mcp/plain' })));
    const calls = opened.map(({ client }) => client.callTool({ name: 'quick', arguments: {} }));
    expect(await Promise.all(calls)).toHaveLength(60);
    await Promise.all(clients.map((client) => client.close()));
  });
});
