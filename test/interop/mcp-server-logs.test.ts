import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { mcpSdkStage } from '../harness/mcp-sdk-stage.ts';

describe('what a server logs during a call', () => {
  const { legacy, modern } = mcpSdkStage();

  it.each(['/mcp', '/mcp/plain'])(
    '[MCP-FACE-11] reaches a client of 2025-11-25 at %s, before the result',
    async (path) => {
      const { client } = await legacy({}, { path });
      const lines: unknown[] = [];
      client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) => {
        lines.push(params);
      });
      const call = { name: path === '/mcp' ? 'plain__talk' : 'talk', arguments: {} };
      await client.callTool(call);
      const said = (data: string) => ({ level: 'warning', logger: 'talk', data });
      expect(lines).toEqual([said('one'), said('two'), said('x'.repeat(100_000))]);
    },
  );

  it('reaches the client where the server logs beside the answer, too', async () => {
    const { client } = await legacy();
    let lines = 0;
    client.setNotificationHandler(LoggingMessageNotificationSchema, async () => {
      lines += 1;
    });
    for (let count = 0; count < 5; count += 1)
      await client.callTool({ name: 'plain__mutter', arguments: {} });
    expect(lines).toBe(5);
  });

  it('is what the client wants of it', async () => {
    const { client } = await legacy();
    const lines: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) => {
      lines.push(params.data);
    });
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'asking__talk', arguments: {} });
    expect(lines).toEqual([]);
    await client.setLoggingLevel('info');
    await client.callTool({ name: 'asking__talk', arguments: {} });
    expect(lines).toHaveLength(3);
    await expect(client.setLoggingLevel('loud' as never)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('params.level'),
    });
  });

  it.each(['/mcp', '/mcp/plain'])('reaches a client of 2026-07-28 at %s that names a level', async (path) => {
    const client = await modern({}, { path });
    const lines: unknown[] = [];
    client.setNotificationHandler('notifications/message', async ({ params }) => {
      lines.push(params.data);
    });
    const call = { name: path === '/mcp' ? 'plain__talk' : 'talk', arguments: {} };
    await client.callTool(call);
    expect(lines).toEqual([]);
    // What is less urgent than the level the server itself leaves out; what it sends anyway is passed by a mount.
    if (path === '/mcp') {
      await client.callTool({ ...call, _meta: { 'io.modelcontextprotocol/logLevel': 'error' } });
      expect(lines).toEqual([]);
    }
    await client.callTool({ ...call, _meta: { 'io.modelcontextprotocol/logLevel': 'info' } });
    expect(lines).toEqual(['one', 'two', 'x'.repeat(100_000)]);
  });
});
