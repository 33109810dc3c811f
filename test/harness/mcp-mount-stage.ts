import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll } from 'vitest';
import { type Era, EraServer, type Wire } from './era-servers.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { postStateless } from './mcp-post.ts';

export const ERAS: readonly Era[] = ['sessions', 'stateless'];
const WIRES: readonly Wire[] = ['stdio', 'http'];
export const SERVERS = ERAS.flatMap((era) => WIRES.map((wire) => ({ era, wire, id: `${era}-${wire}` })));

/** A client and a server for each way that a call goes through a mount: in a session, over one of the gateway, and as it came. */
export const WAYS: readonly (readonly [Era, string])[] = [
  ['sessions', 'sessions-stdio'],
  ['sessions', 'stateless-http'],
  ['stateless', 'sessions-http'],
  ['stateless', 'stateless-http'],
];

export type Told = Record<string, unknown>;
export const ASKED = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const INFO = { name: 'test', version: '1' };
const ANSWERS = {
  elicit: async () => ({ action: 'accept' as const, content: { name: 'Ada' } }),
  sample: async () => ({
    role: 'assistant' as const,
    model: 'm1',
    content: { type: 'text' as const, text: 'Hi' },
  }),
  roots: async () => ({ roots: [{ uri: 'file:///work' }] }),
};

/** A gateway with a mount in front of a server of each era on each wire, and clients of both eras. Call once per test file. */
export function mountStage() {
  let gateway: TestGateway | undefined;
  const servers = new Map<string, EraServer>();
  const clients: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    for (const { era, wire, id } of SERVERS) servers.set(id, await EraServer.start(era, wire));
    const mcp = SERVERS.map(({ id, wire }) => ({
      ...{ id, mount: true, tools: { deny: ['closed'] } },
      ...servers.get(id)?.row(wire),
    }));
    gateway = await startTestGateway({ keys: [{ actor: 'other' }], config: { upstreams: { a2a: [], mcp } } });
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await gateway?.close();
    for (const server of servers.values()) await server.close();
  });

  const running = (): TestGateway => {
    if (gateway === undefined) throw new Error('the stage is not up');
    return gateway;
  };

  const urlOf = (id: string) => new URL(`${running().url}/mcp/${id}`);
  const headers = (name = 'actor_test') => ({ authorization: `Bearer ${running().clients[name]?.key}` });

  return {
    servers,
    gateway: running,
    /** A client of an SDK, with what both have in common. */
    async connect(era: Era, id: string, capabilities: object = ASKED): Promise<Client> {
      const how = { requestInit: { headers: headers() } };
      const client = await (era === 'sessions' ? withSession : withoutSession)(urlOf(id), how, capabilities);
      clients.push(client);
      return client;
    },
    /** One request of a client without a session that reads the wire itself. */
    async post(
      id: string,
      method: string,
      params: Told,
      capabilities: object = ASKED,
      name = 'actor_test',
    ): Promise<{ result?: Told; error?: { code: number; data?: unknown } }> {
      return (await postStateless(urlOf(id), headers(name), method, params, capabilities)).json() as never;
    },
  };
}

interface How {
  requestInit: { headers: Record<string, string> };
}

async function withSession(url: URL, how: How, capabilities: object): Promise<Client> {
  const client = new Client(INFO, { capabilities });
  if (Object.keys(capabilities).length > 0) {
    client.setRequestHandler(ElicitRequestSchema, ANSWERS.elicit);
    client.setRequestHandler(CreateMessageRequestSchema, ANSWERS.sample);
    client.setRequestHandler(ListRootsRequestSchema, ANSWERS.roots);
  }
  await client.connect(new StreamableHTTPClientTransport(url, how) as unknown as Transport);
  return client;
}

async function withoutSession(url: URL, how: How, capabilities: object): Promise<Client> {
  const client = new ModernClient(INFO, {
    capabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  if (Object.keys(capabilities).length > 0) {
    client.setRequestHandler('elicitation/create', ANSWERS.elicit);
    client.setRequestHandler('sampling/createMessage', ANSWERS.sample);
    client.setRequestHandler('roots/list', ANSWERS.roots);
  }
  await client.connect(new ModernTransport(url, how));
  return client as unknown as Client;
}

/** What a tool said. */
export const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;
