import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';

describe('a server with sessions that may ask', () => {
  const { gateway, server, legacy, modern, skills } = mcpSdkStage();

  it('[MCP-UP-1] has the tools that it adds on the connection of one Session', async () => {
    const { client } = await legacy();
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
      told += 1;
    });
    expect(await skills()).not.toContain('asking__grown');
    await client.callTool({ name: 'asking__grow', arguments: {} });
    await until(async () => (await skills()).includes('asking__grown'));
    await until(() => told > 0);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('asking__grown');
    expect(await client.callTool({ name: 'asking__grown', arguments: {} })).toMatchObject({
      content: [{ text: 'grown is here' }],
    });
    // What others list is still there.
    expect(await skills()).toEqual(expect.arrayContaining(['asking__quick', 'asking__slow']));
  });

  const QUICK = { content: [{ text: 'quick is done' }] };

  describe.each([
    ['2025-11-25', async () => (await legacy()).client],
    ['2026-07-28', () => modern()],
  ] as const)('%s', (_era, connect) => {
    it.each(['plain', 'asking'])(
      'a slow call on the row %s holds up no call of another client, nor another one of its own',
      async (row) => {
        const [slow, quick] = [await connect(), await connect()];
        const call = slow.callTool({ name: `${row}__slow`, arguments: {} });
        await until(() => server().running === 1);
        expect(await quick.callTool({ name: `${row}__quick`, arguments: {} })).toMatchObject(QUICK);
        expect(await slow.callTool({ name: `${row}__quick`, arguments: {} })).toMatchObject(QUICK);
        expect(server().running).toBe(1);
        server().release();
        expect(await call).toMatchObject({ content: [{ text: 'slow is done' }] });
      },
    );
  });

  it('more calls than there are connections wait for one', async () => {
    const client = await modern();
    const calls = Array.from({ length: 20 }, () => client.callTool({ name: 'asking__slow', arguments: {} }));
    await until(() => server().running === 16);
    server().release();
    await until(() => server().running === 4);
    server().release();
    for (const result of await Promise.all(calls))
      expect(result).toMatchObject({ content: [{ text: 'slow is done' }] });
  });

  it('a question that nobody answers yet holds up no other call of the same key', async () => {
    const client = await modern({ elicitation: { form: {} } });
    const asked = client.callTool({ name: 'asking__ask', arguments: {} }).catch(() => undefined);
    await until(() => server().called.includes('ask'));
    expect(await (await modern()).callTool({ name: 'asking__quick', arguments: {} })).toMatchObject(QUICK);
    await client.close();
    await asked;
  });

  it('calls that come one after the other stay in one Session, on one connection', async () => {
    const client = await modern();
    for (let count = 0; count < 2; count += 1)
      await client.callTool({ name: 'asking__quick', arguments: {} });
    const { data } = await gateway().client.get<{ data: { session_id: string }[] }>('/v1/tasks?limit=2');
    expect(data[0]?.session_id).toBe(data[1]?.session_id);
  });
});
