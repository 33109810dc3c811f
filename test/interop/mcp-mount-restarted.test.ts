import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../harness/gateway.ts';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';
import { type Closable, mcpClients } from '../harness/mcp-server-stage.ts';
import { scriptedMcpServer } from '../harness/scripted-mcp-server.ts';

const path = '/mcp/plain';

describe('a mount of a program that ends', () => {
  it.each(['legacy', 'modern'] as const)(
    'starts it again for the next request of a %s client',
    async (era) => {
      const row = { id: 'program', command: scriptedMcpServer(), mount: true };
      const gateway = await startTestGateway({ config: { upstreams: { a2a: [], mcp: [row] } } });
      const clients: Closable[] = [];
      const connect = mcpClients(
        (at) => new URL(gateway.url + at),
        () => ({ authorization: `Bearer ${gateway.client.key}` }),
        clients,
      );
      try {
        const at = { path: '/mcp/program' };
        const client =
          era === 'legacy'
            ? (await connect.legacy({}, at)).client
            : ((await connect.modern({}, at)) as unknown as Client);
        for (let deaths = 0; deaths < 2; deaths += 1) {
          await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toThrow(/server ended/);
          const calls = [1, 2].map(() => client.callTool({ name: 'ok', arguments: {} }));
          for (const result of await Promise.all(calls))
            expect(result).toMatchObject({ content: [{ text: 'fine' }] });
        }
      } finally {
        for (const client of clients) await client.close();
        await gateway.close();
      }
    },
  );
});

const DONE = { content: [{ text: 'quick is done' }] };

describe.each([404, 400] as const)(
  'a mount of a server that starts anew (%d for a session it forgot)',
  (forgotten) => {
    const { server, restart, legacy, modern } = mcpSdkStage({ forgotten }, { restart_wait_ms: 6_000 });
    const clients = {
      sessions: async () => (await legacy({}, { path })).client,
      stateless: async () => (await modern({}, { path })) as unknown as Client,
    };
    const ERAS = Object.keys(clients) as (keyof typeof clients)[];
    const quick = { name: 'quick', arguments: {} };

    it.each(ERAS)(
      '[MCP-MOUNT-10] answers the first call of a client of the era %s, which runs once',
      async (era) => {
        const client = await clients[era]();
        await client.callTool(quick);
        server().forget();
        const before = server().called.length;
        expect(await client.callTool(quick)).toMatchObject(DONE);
        expect(server().called.slice(before)).toEqual(['quick']);
        expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      },
    );

    it.each(ERAS)('[MCP-MOUNT-11] calls of a client of the era %s wait while it is away', async (era) => {
      const client = await clients[era]();
      await client.callTool(quick);
      const { port } = server();
      await server().close();
      const calls = [client.callTool(quick), client.callTool(quick)];
      await new Promise((resolve) => setTimeout(resolve, 700));
      await restart(port);
      for (const result of await Promise.all(calls)) expect(result).toMatchObject(DONE);
      expect(server().called).toEqual(['quick', 'quick']);
    });

    it.each(ERAS)('[MCP-MOUNT-11] a client of the era %s connects while it is away', async (era) => {
      const { port } = server();
      await server().close();
      const connecting = clients[era]();
      await new Promise((resolve) => setTimeout(resolve, 700));
      await restart(port);
      expect(await (await connecting).callTool(quick)).toMatchObject(DONE);
    });

    it.each(ERAS)('a call that is refused costs no other one of a client of the era %s', async (era) => {
      const client = await clients[era]();
      await client.callTool(quick);
      const slow = client.callTool({ name: 'slow', arguments: {} });
      await until(() => server().running === 1);
      server().refuseNext = 500;
      await expect(client.callTool(quick)).rejects.toThrow();
      expect(await client.callTool(quick)).toMatchObject(DONE);
      server().release();
      expect(await slow).toMatchObject({ content: [{ text: 'slow is done' }] });
    });

    it('a call that may have run is refused and not sent again, and what the client wants to hear is told anew', async () => {
      const { client } = await legacy({}, { path });
      const lines: unknown[] = [];
      client.fallbackNotificationHandler = async ({ params }) => void lines.push(params);
      await client.setLoggingLevel('warning');
      const slow = client.callTool({ name: 'slow', arguments: {} });
      await until(() => server().running === 1);
      server().forget();
      const before = server().called.length;
      const refused = expect(slow).rejects.toThrow('whether the request ran is unknown');
      expect(await client.callTool(quick)).toMatchObject(DONE);
      await refused;
      expect(server().called.slice(before)).toEqual(['quick']);
      await client.callTool({ name: 'talk', arguments: {} });
      expect(lines.length).toBe(3);
    });
  },
);
