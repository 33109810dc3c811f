import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { postStateless } from '../harness/mcp-post.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import { isSeen, STRANGERS, strangerKeys, withoutRequestId, worldConfig } from './access-strangers.ts';
import { BODIES, type Ids, makeWorld } from './access-world.ts';
import { stageOf } from './stage.ts';

/** Rows that name something in their path, by a key; signed ones are for their senders. */
const ROWS = Object.entries<OperationRow>(OPERATIONS).filter(
  ([, { path, scope }]) => path.includes('{') && scope !== 'public' && scope !== 'signature',
);

/** Thousands of requests, on a machine that may be busy. */
const SLOW_MS = 240_000;

const paramsOf = ({ path }: OperationRow) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

describe('actor × workspace × route × id', () => {
  const directory = mkdtempSync(join(tmpdir(), 'harn-matrix-'));
  const file = join(directory, 'connector-secret');
  writeFileSync(file, 'a-connector-secret-0123456789');
  afterAll(() => rmSync(directory, { recursive: true }));
  const stage = stageOf({ config: worldConfig(file), keys: strangerKeys() });
  let real: Ids = {};
  let absent: Ids = {};
  let cells = 0;
  beforeAll(async () => {
    ({ real, absent } = await makeWorld(stage));
  });

  async function answer(actor: string, [id, row]: (typeof ROWS)[number], name: string, value: string) {
    const ids = { ...absent, [name]: value };
    const path = row.path.replace(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? 'absent');
    const body = row.body === 'bytes' ? Buffer.from('x') : row.body && (BODIES[id]?.(absent) ?? {});
    const { status, text } = await stage.as(actor).call(row.method, path, body === undefined ? {} : { body });
    return { status, text: withoutRequestId(text) };
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
      const url = `${stage.gateway.url}/mcp`;
      const answered = await postStateless(url, headers, 'resources/read', { uri });
      return `${answered.status} ${withoutRequestId(await answered.text())}`;
    };
    for (const kind of ['tasks', 'receipts', 'artifacts']) {
      const never = await ask(`harn://${kind}/${absent['task_id']}`);
      for (const id of Object.values(real))
        expect([kind, await ask(`harn://${kind}/${id}`)]).toEqual([kind, never]);
      cells += Object.keys(real).length;
    }
  });

  it.each(STRANGERS)(
    '[POL-MATRIX-01] $actor: the same over a WebSocket, for every frame',
    async ({ actor }) => {
      const socket = await WsTestClient.open(stage.gateway.url, '/v1/ws', { key: stage.as(actor).key });
      let sent = 0;
      const ask = async (frame: Record<string, unknown>) => {
        sent += 1;
        const { type, error } = await socket.ask({ ...frame, id: `f${sent}` });
        return JSON.stringify({ type, code: error?.code, message: error?.message, param: error?.param });
      };
      const message = { role: 'user', parts: [{ type: 'text', text: 'hi', visibility: 'public' }] };
      const frames: ((id: string) => Record<string, unknown>)[] = [
        (session_id) => ({ type: 'user_message', session_id, message }),
        (task_id) => ({ type: 'user_message', task_id, message }),
        (task_id) => ({ type: 'cancel', task_id }),
        (session_id) => ({ type: 'truncate', session_id, keep_first: 0 }),
        (request_id) => ({ type: 'respond', request_id, approved: true }),
        (task_id) => ({ type: 'subscribe', stream: 'task', task_id }),
        (session_id) => ({ type: 'subscribe', stream: 'session', session_id }),
        (workspace_id) => ({ type: 'subscribe', stream: 'events', workspace_id }),
      ];
      for (const [at, frame] of frames.entries()) {
        const never = await ask(frame('nothing_0000000000'));
        expect([at, never]).toEqual([at, expect.stringContaining('resource_not_found')]);
        for (const id of Object.values(real)) expect([at, await ask(frame(id))]).toEqual([at, never]);
        cells += Object.keys(real).length;
      }
      socket.socket.close();
      await socket.closed;
    },
  );

  it.each(STRANGERS)('[POL-MATRIX-01] $actor: the same over the ACP face', async ({ actor }) => {
    const { url } = stage.gateway;
    const acp = await AcpClient.overSocket(url, stage.as(actor).key);
    const calls: ((sessionId: string) => Promise<unknown>)[] = [
      (sessionId) => acp.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] }),
      (sessionId) => acp.agent.request('session/resume', { sessionId, cwd: '/work', mcpServers: [] }),
      (sessionId) => acp.prompt(sessionId, 'hello'),
      (sessionId) => acp.agent.request('session/set_mode', { sessionId, modeId: 'none' }),
      (sessionId) =>
        acp.agent.request('session/set_config_option', { sessionId, configId: 'persona', value: 'none' }),
      (sessionId) => acp.agent.request('session/close', { sessionId }),
    ];
    const told = (call: Promise<unknown>, id: string) =>
      call.then(
        () => 'an answer',
        ({ code, message, data }) =>
          withoutRequestId(JSON.stringify({ code, message, data })).replaceAll(id, 'ID'),
      );
    for (const [at, call] of calls.entries()) {
      const nothing = 'session_00000000000000000000000000';
      const never = await told(call(nothing), nothing);
      // What is not open here is closed.
      expect([at, never === 'an answer']).toEqual([at, at === calls.length - 1]);
      for (const id of Object.values(real)) expect([at, await told(call(id), id)]).toEqual([at, never]);
      cells += Object.keys(real).length;
    }
    acp.close();
    const asking = await stage.client.get(`/v1/tasks/${real['task_id']}`);
    expect(asking).toMatchObject({ status: 'INPUT_REQUIRED' });
  });

  it('[POL-MATRIX-01] the matrix has at least 3,000 cells', () => {
    expect(cells).toBeGreaterThanOrEqual(3_000);
  });
});
