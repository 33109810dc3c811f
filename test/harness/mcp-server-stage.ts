import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect } from 'vitest';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { mcpServers } from './mcp-servers.ts';
import { startSampleAgent } from './peers/sample-agent.ts';

export interface Closable {
  close(): Promise<unknown>;
}

/** A gateway in front of real MCP servers and the sample agent, and MCP clients of both eras. Call once per test file. */
export function mcpServerStage() {
  let gateway: TestGateway | undefined;
  let agent: Closable | undefined;
  const clients: Closable[] = [];
  const root = mkdtempSync(join(tmpdir(), 'harn-mcp-'));
  writeFileSync(join(root, 'note.txt'), 'from the file');

  beforeAll(async () => {
    const sample = await startSampleAgent();
    agent = sample;
    gateway = await startWith(sample.cardUrl, root);
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    if (gateway) expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway?.close();
    await agent?.close();
    rmSync(root, { recursive: true, force: true });
  });

  const running = (): TestGateway => {
    if (gateway === undefined) throw new Error('the stage is not up');
    return gateway;
  };
  const urlOf = (path: string) => new URL(running().url + path);
  const headers = (name = 'actor_test') => ({
    authorization: `Bearer ${running().clients[name]?.key ?? ''}`,
  });

  return {
    root,
    gateway: running,
    headers,
    url: () => urlOf('/mcp'),
    ...mcpClients(urlOf, headers, clients),
  };
}

function startWith(card: string, root: string): Promise<TestGateway> {
  const files = { id: 'files', command: mcpServers.filesystem(root), tools: { approve: ['write_file'] } };
  return startListed({
    keys: [
      { actor: 'reader', scopes: ['skills:read'] },
      { actor: 'other' },
      { actor: 'walled', workspaces: ['workspace_walled'] },
      { actor: 'walled', name: 'unwalled', workspaces: ['workspace_default'] },
    ],
    config: {
      workspaces: [{ id: 'workspace_walled' }],
      upstreams: {
        a2a: [{ id: 'sample', card }],
        mcp: [
          { id: 'every', command: mcpServers.everything(), interactive: true },
          { ...files, mount: true },
        ],
      },
    },
  });
}

/** A gateway whose servers have all listed their tools. */
async function startListed(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  for (let tries = 0; tries < 400; tries += 1) {
    const { data } = await gateway.client.get<{ data: { source: string }[] }>('/v1/skills?limit=200');
    const sources = new Set(data.map(({ source }) => source));
    if (['mcp:every', 'mcp:files', 'a2a:sample'].every((source) => sources.has(source))) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return gateway;
}

/** Clients of both SDKs; each is added to `clients`, to be closed in the end. */
export function mcpClients(
  urlOf: (path: string) => URL,
  headers: (name?: string) => Record<string, string>,
  clients: Closable[],
) {
  return {
    /** A client of the revisions with sessions. */
    async legacy(capabilities: object = {}, { name = 'actor_test', path = '/mcp' } = {}) {
      const client = new Client({ name: 'test', version: '1' }, { capabilities });
      const requestInit = { headers: headers(name) };
      const transport = new StreamableHTTPClientTransport(urlOf(path), { requestInit });
      await client.connect(transport as unknown as Transport);
      clients.push(client);
      return { client, transport };
    },
    /** A client of the stateless revision. */
    async modern(capabilities: object = {}, { name = 'actor_test', path = '/mcp' } = {}) {
      const client = new ModernClient(
        { name: 'test', version: '1' },
        { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      await client.connect(new ModernTransport(urlOf(path), { requestInit: { headers: headers(name) } }));
      clients.push(client);
      return client;
    },
  };
}

/** A result of a tool call, as both SDKs give it. */
export interface ToolResult {
  content: { type: string; text?: string }[];
  isError?: boolean;
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
}
