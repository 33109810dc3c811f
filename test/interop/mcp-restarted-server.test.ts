import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';

/** How servers say that they do not know a session: as the specification wants it, and as older ones do. */
describe.each([404, 400] as const)(
  'an HTTP server that starts anew (%d for a session it forgot)',
  (forgotten) => {
    const { gateway, server, restart, legacy } = mcpSdkStage({ forgotten }, { idle_timeout_ms: 2_000 });

    async function run(skill: string, input = {}): Promise<Task> {
      const { client } = gateway();
      const session = await client.session();
      const metadata = { route: `skill:${skill}` };
      const { id } = await client.post<Task>(`/v1/sessions/${session.id}/tasks`, { input, metadata });
      return client.until(id, 'COMPLETED', 'FAILED');
    }

    it.each(['plain', 'asking'])(
      '[MCP-UP-16] answers the first call of row %s, which runs once',
      async (row) => {
        expect(await run(`${row}__quick`)).toMatchObject({ status: 'COMPLETED' });
        server().forget();
        const before = server().called.length;
        expect(await run(`${row}__quick`)).toMatchObject({ status: 'COMPLETED' });
        expect(server().called.slice(before)).toEqual(['quick']);
      },
    );

    it('answers the first call of a client of /mcp in the session that it had', async () => {
      const { client } = await legacy();
      const call = { name: 'asking__quick', arguments: {} };
      await client.callTool(call);
      server().forget();
      expect(await client.callTool(call)).toMatchObject({ content: [{ text: 'quick is done' }] });
    });

    it.each(['plain', 'asking'])('[MCP-UP-17] calls of row %s wait while it is away', async (row) => {
      const away = server();
      const { port } = away;
      await away.close();
      const calls = [run(`${row}__quick`), run(`${row}__quick`)];
      await new Promise((resolve) => setTimeout(resolve, 700));
      await restart(port);
      for (const call of calls) expect(await call).toMatchObject({ status: 'COMPLETED' });
      expect(server().called).toEqual(['quick', 'quick']);
    });

    it('[MCP-UP-16] a call that may have run is not sent again', async () => {
      const call = run('plain__slow');
      await until(() => server().running === 1);
      const before = server().called.length;
      server().forget();
      expect(await call).toMatchObject({ status: 'FAILED', failure: { details: { outcome: 'unknown' } } });
      expect(server().called).toHaveLength(before);
    });
  },
);
