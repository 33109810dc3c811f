import { afterAll, beforeAll, expect } from 'vitest';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { type Closable, mcpClients } from './mcp-server-stage.ts';
import { SdkMcpServer, type SdkServerOptions } from './sdk-mcp-server.ts';

/**
 * A gateway in front of one server of the official SDK, as the row `plain` that is mounted too and as the row `asking` that
 * may ask, with clients of both eras and the callers `actor_test` and `other`. Call once per test file.
 */
export function mcpSdkStage(options: SdkServerOptions = {}, limits: object = {}) {
  let gateway: TestGateway | undefined;
  let server: SdkMcpServer | undefined;
  const clients: Closable[] = [];

  beforeAll(async () => {
    server = await SdkMcpServer.start(options);
    const { url } = server;
    gateway = await startTestGateway({
      keys: [{ actor: 'other' }],
      config: {
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'plain', url, mount: true, limits: { ...limits } },
            { id: 'asking', url, interactive: true, limits: { ...limits } },
          ],
        },
      },
    });
    await until(async () => {
      const listed = await skills();
      return listed.includes('plain__quick') && listed.includes('asking__quick');
    });
  });
  afterAll(async () => {
    server?.release();
    for (const client of clients) await client.close();
    if (gateway) expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway?.close();
    await server?.close();
  });

  const running = (): TestGateway => {
    if (gateway === undefined) throw new Error('the stage is not up');
    return gateway;
  };
  const skills = async (): Promise<string[]> => {
    const { data } = await running().client.get<{ data: { id: string; deprecated: boolean }[] }>(
      '/v1/skills?limit=200',
    );
    return data.filter(({ deprecated }) => !deprecated).map(({ id }) => id);
  };
  const urlOf = (path: string) => new URL(running().url + path);
  const headers = (name = 'actor_test') => ({
    authorization: `Bearer ${running().clients[name]?.key ?? ''}`,
  });

  return {
    gateway: running,
    server: (): SdkMcpServer => {
      if (server === undefined) throw new Error('the stage is not up');
      return server;
    },
    /** Starts the same server as another process would: on the port of the one before, which is closed. */
    restart: async (port: number): Promise<void> => {
      server = await SdkMcpServer.start({ ...options, port });
    },
    skills,
    headers,
    urlOf,
    ...mcpClients(urlOf, headers, clients),
  };
}

/** Resolves when it holds; asks again and again for ten seconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it never came about');
}
