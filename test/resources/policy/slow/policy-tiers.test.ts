import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../../conformance/event-findings.ts';
import { A2aTestClient } from '../../../harness/a2a-client.ts';
import { AcpClient } from '../../../harness/acp-client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { tieredMcpServer } from '../../../harness/tiered-mcp-server.ts';
import { WsTestClient } from '../../../harness/ws-client.ts';

const TOOLS = ['read', 'read_external', 'write_idempotent', 'write', 'destructive', 'silent'] as const;

/** What each tier makes of each tool, in the order above; copied by hand. */
const TABLE = {
  shadow: 'withhold withhold withhold withhold withhold withhold',
  suggest: 'ask ask ask ask ask ask',
  act_with_approval: 'call call ask ask ask ask',
  act_auto: 'call call call call ask call',
} as const;
type Tier = keyof typeof TABLE;

/** How a client of each face has a tool called; answers when the face has its answer. */
const FACES: Record<
  string,
  (gateway: TestGateway, tool: string, meta?: Record<string, unknown>) => Promise<void>
> = {
  REST: async ({ client }, tool) => {
    const { id } = await client.session();
    await client.post(`/v1/sessions/${id}/tasks`, {
      input: { text: 'x' },
      metadata: { route: `skill:tiered__${tool}` },
    });
  },
  WebSocket: async ({ client, url }, tool) => {
    const { id } = await client.session();
    const socket = await WsTestClient.open(url, `/v1/sessions/${id}/events/stream`, { key: client.key });
    const body = { input: { skill_id: `tiered__${tool}`, input: {} }, metadata: { route: 'mcp:tiered' } };
    await client.post(`/v1/sessions/${id}/tasks`, body);
    await socket.until(({ event }) => SETTLED.test(event?.event ?? ''));
    socket.socket.close();
    await socket.closed;
  },
  A2A: async (gateway, tool) => {
    const a2a = new A2aTestClient(gateway, 'tiered');
    await a2a.task(JSON.stringify({ skill_id: `tiered__${tool}`, input: {} }));
  },
  ACP: async ({ url, client }, tool) => {
    const acp = await AcpClient.overSocket(url, client.key, {
      permission: async ({ options }) => ({
        outcome: {
          outcome: 'selected',
          optionId: options.find(({ kind }) => kind === 'reject_once')?.optionId ?? '',
        },
      }),
    });
    const { sessionId } = await acp.session();
    await acp
      .prompt(sessionId, JSON.stringify({ skill_id: `tiered__${tool}`, input: {} }))
      .catch(() => undefined);
    acp.close();
  },
  MCP: async ({ url, client }, tool, _meta = {}) => {
    const mcp = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${client.key}` } };
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as unknown as Transport,
    );
    await mcp.callTool({ name: `tiered__${tool}`, arguments: {}, _meta }).finally(() => mcp.close());
  },
};

const SETTLED = /^task\.(completed|auth_required|failed|canceled)$/;

describe.each(Object.keys(TABLE) as Tier[])('the tier %s', (tier) => {
  let gateway: TestGateway;
  const dir = mkdtempSync(join(tmpdir(), 'harn-tiers-'));
  const file = join(dir, 'calls');
  const calls = () => readFileSync(file, 'utf8').split('\n').filter(Boolean).length;

  beforeAll(async () => {
    writeFileSync(file, '');
    gateway = await startTestGateway({
      config: {
        upstreams: { a2a: [], mcp: [{ id: 'tiered', command: tieredMcpServer(file) }] },
        routing: { default: 'mcp:tiered' },
        policy: { default_tier: tier },
      },
    });
    for (;;) {
      const { data } = await gateway.client.get<{ data: unknown[] }>('/v1/skills');
      if (data.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The events of the newest task, once it has settled. */
  async function newestRun() {
    const { data } = await gateway.client.get<{ data: Task[] }>('/v1/tasks?limit=1');
    const { id = '' } = data[0] ?? {};
    await gateway.client.until(id, 'COMPLETED', 'AUTH_REQUIRED', 'CANCELED', 'FAILED');
    return gateway.client.events(`/v1/tasks/${id}/events`);
  }

  const cells = Object.keys(FACES).flatMap((face) =>
    TOOLS.map((tool, at) => [face, tool, TABLE[tier].split(' ')[at]] as const),
  );

  it.each(cells)('[POL-TIER-01] over %s a tool of class %s: %s', async (face, tool, action) => {
    const before = calls();
    await FACES[face]?.(gateway, tool);
    const events = await newestRun();
    const kinds = events.map(({ event }) => event);
    const decided = events.find(({ event }) => event === 'vendor.harn_gateway.policy_decided')?.payload;
    const settled = kinds.find((kind) => SETTLED.test(kind));
    expect(calls() - before).toBe(action === 'call' ? 1 : 0);
    expect(decided?.['effect']).toBe(action === 'call' ? undefined : action);
    expect(settled).toBe(action === 'ask' ? 'task.auth_required' : 'task.completed');
    if (action === 'call') return;
    const word = tool === 'silent' ? 'destructive' : tool;
    expect(decided).toMatchObject({
      rule: `tier.${tier}.${word}`,
      tier,
      side_effect: word,
      skill_id: `tiered__${tool}`,
    });
    if (action === 'withhold') {
      expect(kinds).toEqual(expect.arrayContaining(['tool.requested', 'tool.denied']));
      const completed = events.find(({ event }) => event === 'task.completed')?.payload;
      expect(completed).toMatchObject({
        outcome: { summary: expect.stringContaining(`tiered__${tool} was not called. Under shadow`) },
      });
    }
  });

  it('[POL-PER-03] a call over MCP is made for the Persona that it names', async () => {
    const shade = { name: 'Shade', version: '1', description: 'Only looks.', receipt_policy: 'optional' };
    const terms = { entry_workflow: 'mcp:tiered', autonomy_tier: 'shadow', tools: ['tiered__read'] };
    const { id } = await gateway.client.post<{ id: string }>('/v1/personas', { ...shade, ...terms });
    const before = calls();
    for (const [tool, rule] of [
      ['read', 'tier.shadow.read'],
      ['write', 'persona.tools'],
    ] as const) {
      await FACES['MCP']?.(gateway, tool, { 'dev.harn-gateway/persona': id });
      const decided = (await newestRun()).find(({ event }) => event.endsWith('.policy_decided'));
      expect(decided?.payload).toMatchObject({ rule, tier: 'shadow' });
    }
    expect(calls()).toBe(before);
    const newest = () => gateway.client.get<{ data: Task[] }>('/v1/tasks?limit=1');
    const last = await newest();
    for (const persona of ['persona_none', 7])
      await Promise.allSettled([FACES['MCP']?.(gateway, 'read', { 'dev.harn-gateway/persona': persona })]);
    expect(await newest()).toEqual(last);
  });

  it('says of its Skills whether they need a permission', async () => {
    const { data } = await gateway.client.get<{ data: { id: string; requires_approval: boolean }[] }>(
      '/v1/skills',
    );
    const asks = TABLE[tier].split(' ').map((action) => action === 'ask');
    const found = TOOLS.map((tool) => data.find(({ id }) => id === `tiered__${tool}`)?.requires_approval);
    expect(found).toEqual(asks);
  });
});
