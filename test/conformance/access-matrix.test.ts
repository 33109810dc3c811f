import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '../../src/protocol/operations.ts';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { BODIES, CONNECTOR, type Ids, makeWorld, OUTBOUND, QUOTA, SEEN_BY } from './access-world.ts';
import { stageOf } from './stage.ts';

/** Callers who may do everything, elsewhere. */
const STRANGERS = [
  { actor: 'foreign_tenant', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
  { actor: 'third_workspace', workspaces: ['workspace_b', 'workspace_c'] },
  { actor: 'foreign_workspace', workspaces: ['workspace_b'] },
] as const;

/** Rows that name something in their path, by a key; signed ones are for their senders. */
const ROWS = Object.entries<OperationRow>(OPERATIONS).filter(
  ([, { path, scope }]) => path.includes('{') && scope !== 'public' && scope !== 'signature',
);

/** Thousands of requests, on a machine that may be busy. */
const SLOW_MS = 240_000;

const paramsOf = ({ path }: OperationRow) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
const bare = (text: string) => text.replace(/"request_id":\s*"[^"]*"/g, '').replace(/"id":"req[^"]*"/g, '');

describe('actor × workspace × route × id', () => {
  const directory = mkdtempSync(join(tmpdir(), 'harn-matrix-'));
  const file = join(directory, 'connector-secret');
  writeFileSync(file, 'a-connector-secret-0123456789');
  afterAll(() => rmSync(directory, { recursive: true }));
  const connector = { id: CONNECTOR, provider: 'shop', auth: { type: 'hmac-sha256', secret: { file } } };
  const stage = stageOf({
    config: {
      tenants: [{ id: 'tenant_other' }],
      outbound: OUTBOUND,
      quotas: [QUOTA],
      connectors: [connector],
      workspaces: [
        { id: 'workspace_foreign', tenant: 'tenant_other' },
        { id: 'workspace_b' },
        { id: 'workspace_c' },
      ],
    },
    keys: STRANGERS.map((row) => ({ ...row, workspaces: [...row.workspaces] })),
  });
  let real: Ids = {};
  let absent: Ids = {};
  let cells = 0;
  beforeAll(async () => {
    ({ real, absent } = await makeWorld(stage));
  });

  /** What of the world the actor may see by right; the agents of the gateway are everybody's. */
  const isSeen = (actor: string, kind: string) => {
    const like = actor === 'third_workspace' ? 'foreign_workspace' : actor;
    return SEEN_BY[kind]?.includes(like) ?? false;
  };

  async function answer(actor: string, [id, row]: (typeof ROWS)[number], name: string, value: string) {
    const ids = { ...absent, [name]: value };
    const path = row.path.replace(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? 'absent');
    const body = row.body === 'bytes' ? Buffer.from('x') : row.body && (BODIES[id]?.(absent) ?? {});
    const { status, text } = await stage.as(actor).call(row.method, path, body === undefined ? {} : { body });
    return { status, text: bare(text) };
  }

  it.each(STRANGERS)(
    '[POL-MATRIX-01] [CORE-AUTH-04] $actor: every route with every kind of id, as if nothing were there',
    async ({ actor }) => {
      const kinds = Object.keys(real);
      for (const row of ROWS)
        for (const name of paramsOf(row[1])) {
          const never = await answer(actor, row, name, absent[name] ?? 'absent');
          expect([row[0], name, never.status]).toEqual([row[0], name, 404]);
          const found = kinds.filter(
            (kind) => !(isSeen(actor, kind) && (kind === name || name === 'agent_id')),
          );
          const there = await Promise.all(found.map((kind) => answer(actor, row, name, real[kind] ?? '')));
          for (const [at, given] of there.entries())
            expect({ route: row[0], name, kind: found[at], ...given }).toEqual({
              route: row[0],
              name,
              kind: found[at],
              ...never,
            });
          cells += there.length;
        }
    },
    SLOW_MS,
  );

  it.each(STRANGERS)('[POL-MATRIX-01] $actor: the same over the A2A face', async ({ actor }) => {
    const a2a = new A2aTestClient(stage.gateway, 'sample', stage.as(actor).key);
    const methods = ['GetTask', 'CancelTask', 'SubscribeToTask', 'ListTaskPushNotificationConfigs'];
    for (const method of methods) {
      const params = (id: string) => (method.startsWith('ListTaskPush') ? { taskId: id } : { id });
      const ask = async (id: string) => {
        const { status, body } = await a2a.rpc(method, params(id));
        return JSON.stringify({ status, code: body.error?.code, message: body.error?.message });
      };
      const never = await ask(absent['task_id'] ?? '');
      for (const id of Object.values(real)) expect([method, await ask(id)]).toEqual([method, never]);
      cells += Object.keys(real).length;
    }
  });

  it.each(STRANGERS)('[POL-MATRIX-01] $actor: the same over the MCP face', async ({ actor }) => {
    const headers = { authorization: `Bearer ${stage.as(actor).key}` };
    const ask = async (uri: string) => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const answered = await fetch(`${stage.gateway.url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'resources/read',
          'mcp-name': uri,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'resources/read',
          params: { uri, _meta: meta },
        }),
      });
      return `${answered.status} ${bare(await answered.text())}`;
    };
    for (const kind of ['tasks', 'receipts', 'artifacts']) {
      const never = await ask(`harn://${kind}/${absent['task_id']}`);
      for (const id of Object.values(real))
        expect([kind, await ask(`harn://${kind}/${id}`)]).toEqual([kind, never]);
      cells += Object.keys(real).length;
    }
  });

  it('[POL-MATRIX-01] the matrix has at least 3,000 cells', () => {
    expect(cells).toBeGreaterThanOrEqual(3_000);
  });
});
