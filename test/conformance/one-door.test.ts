import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AcpClient } from '../harness/acp-client.ts';
import { TestClient, userText } from '../harness/client.ts';
import { postStateless } from '../harness/mcp-post.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import { stageOf } from './stage.ts';

const TIME_LIMIT_MS = 20_000;
/** The close code of a socket whose credential has ended. */
const ENDED = 4401;
const MESSAGE = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

/** Comparisons of keys: an API key is authenticated by one. */
let comparisons = 0;
const original = crypto.timingSafeEqual;
beforeAll(() => {
  crypto.timingSafeEqual = (...args) => {
    comparisons += 1;
    return original(...args);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  crypto.timingSafeEqual = original;
  syncBuiltinESMExports();
});

const authenticationsOf = async (act: () => Promise<unknown>): Promise<number> => {
  comparisons = 0;
  await act();
  return comparisons;
};

const stage = stageOf({ alone: 'a node compares the secret of the others besides' });

describe('a caller is authenticated once', { timeout: TIME_LIMIT_MS }, () => {
  const headers = () => ({ authorization: `Bearer ${stage.client.key}` });
  const read = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(stage.gateway.url + path, init);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    read(path, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    });

  it('per request of REST, whether it has a body, a file, a stream or none', async () => {
    const { id } = await stage.client.session();
    const { client } = stage;
    const once = async (...call: Parameters<TestClient['call']>) => {
      let status = 0;
      const count = await authenticationsOf(async () => {
        status = (await client.call(...call)).status;
      });
      expect([...call.slice(0, 2), status < 300, count]).toEqual([...call.slice(0, 2), true, 1]);
    };
    await once('POST', `/v1/sessions/${id}/tasks`, { body: { input: userText('hello') } });
    await once('GET', `/v1/sessions/${id}`);
    await once('PATCH', `/v1/sessions/${id}`, { body: { title: 'A title' } });
    const root = { name: 'Files', root: 'harn://files' };
    const workspace = await client.post<{ id: string }>('/v1/workspaces', root);
    const file = { body: { content: 'text' } };
    await once('PUT', `/v1/workspaces/${workspace.id}/files?path=a`, file);
    await once('GET', '/metrics');
    const task = await client.submit('hello');
    await client.until(task.id, 'COMPLETED');
    const run = { task_id: task.id, mode: 'sanitized', include_attachments: false };
    await once('POST', '/v1/bundles/export', { body: run });
    const { text } = await client.call('POST', '/v1/bundles/export', { body: run });
    await once('POST', '/v1/bundles/validate', { body: Buffer.from(text) });
    await once('GET', `/v1/tasks/${task.id}/stream`);
  });

  it('per request of A2A, over both bindings, blocking and as a stream', async () => {
    const version = { 'a2a-version': '1.0' };
    const rpc = (method: string, params: object) =>
      post('/a2a', { jsonrpc: '2.0', id: 1, method, params }, version);
    expect(await authenticationsOf(() => rpc('SendMessage', { message: MESSAGE }))).toBe(1);
    const { id } = await stage.client.submit('hello');
    expect(await authenticationsOf(() => rpc('GetTask', { id }))).toBe(1);
    expect(await authenticationsOf(() => rpc('ListTasks', {}))).toBe(1);
    const streams = () => rpc('SendStreamingMessage', { message: { ...MESSAGE, messageId: 'm2' } });
    expect(await authenticationsOf(streams)).toBe(1);
    const rest = () => post('/a2a/message:send', { message: { ...MESSAGE, messageId: 'm3' } }, version);
    expect(await authenticationsOf(rest)).toBe(1);
    const reads = () => read(`/a2a/tasks/${id}`, { headers: { ...headers(), ...version } });
    expect(await authenticationsOf(reads)).toBe(1);
  });

  it('per request of MCP, of either era', async () => {
    const stateless = async (method: string, params: object) => {
      const answer = await postStateless(`${stage.gateway.url}/mcp`, headers(), method, { ...params });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([200, expect.stringContaining('"result"')]);
    };
    const calls = { name: 'ask_sample', arguments: { message: 'hello' } };
    expect(await authenticationsOf(() => stateless('tools/list', {}))).toBe(1);
    expect(await authenticationsOf(() => stateless('tools/call', calls))).toBe(1);
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const accept = { accept: 'application/json, text/event-stream' };
    const initialize = () => post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, accept);
    expect(await authenticationsOf(initialize)).toBe(1);
  });

  it('per WebSocket, however many frames come on it', async () => {
    const { id } = await stage.client.session();
    const talk = async () => {
      const socket = await WsTestClient.open(stage.gateway.url, '/v1/ws', { key: stage.client.key });
      await socket.ask({ type: 'subscribe', id: 's', stream: 'session', session_id: id });
      for (const n of ['1', '2', '3']) {
        const message = { role: 'user', parts: [{ type: 'text', text: 'Hi', visibility: 'public' }] };
        const ack = await socket.ask({ type: 'user_message', id: n, session_id: id, message });
        expect(ack.type).toBe('ack');
      }
      socket.socket.close();
      await socket.closed;
    };
    expect(await authenticationsOf(talk)).toBe(1);
  });

  it('per connection of ACP, for all of its turns', async () => {
    const talk = async () => {
      const editor = await AcpClient.overSocket(stage.gateway.url, stage.client.key);
      const { sessionId } = await editor.session();
      for (const text of ['hello', 'hello'])
        expect(await editor.prompt(sessionId, text)).toMatchObject({ stopReason: 'end_turn' });
      editor.close();
    };
    expect(await authenticationsOf(talk)).toBe(1);
  });
});

describe('a key that is revoked', { timeout: TIME_LIMIT_MS }, () => {
  let keys = 0;
  /** A key of an actor of its own, and what ends it. */
  async function shortKey() {
    keys += 1;
    const actor = `guest-${keys}`;
    const grant = {
      name: 'guest',
      actor,
      scopes: ['sessions:read', 'sessions:write', 'tasks:read', 'tasks:write', 'events:read', 'runtime:read'],
      workspaces: ['workspace_default'],
    };
    const made = await stage.client.call<{ id: string; key: string }>('POST', '/v1/admin/api-keys', {
      body: grant,
    });
    expect(made.status).toBe(201);
    const revoke = () => stage.client.call('POST', `/v1/admin/api-keys/${made.body.id}/revoke`);
    return { actor, key: made.body.key, client: new TestClient(stage.gateway.url, made.body.key), revoke };
  }

  it('between the door and the transaction is refused there, leaves nothing, and is no answer to its key', async () => {
    const { actor, client, revoke } = await shortKey();
    const { log } = stage.gateway;
    const transact = log.transact.bind(log);
    let transactions = 0;
    const spy = vi.spyOn(log, 'transact').mockImplementation(async (origin, decide) => {
      if (origin.actor === actor) {
        transactions += 1;
        expect((await revoke()).status).toBe(200);
      }
      return transact(origin, decide);
    });
    const answer = await client.call('POST', '/v1/sessions', {
      body: { title: 'late' },
      headers: { 'idempotency-key': 'late-1' },
    });
    spy.mockRestore();
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code: 'unauthenticated' } }]);
    expect(transactions).toBe(1);
    const { data } = await stage.client.get<{ data: { title: string | null }[] }>('/v1/sessions?limit=200');
    expect(data.filter(({ title }) => title === 'late')).toEqual([]);
  });

  it('ends the streams of A2A and MCP at once, also those that are told by nothing but the gateway', async () => {
    const { key, revoke } = await shortKey();
    const authorization = `Bearer ${key}`;
    const streams = 'application/json, text/event-stream';
    const ask = (path: string, init: RequestInit & { headers?: Record<string, string> }) =>
      fetch(stage.gateway.url + path, {
        ...init,
        headers: { authorization, accept: streams, ...init.headers },
      });
    const post = (path: string, method: string, params: object, headers: Record<string, string> = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'slow 20' }] };
    const a2a = await post('/a2a', 'SendStreamingMessage', { message }, { 'a2a-version': '1.0' });
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const begun = await post('/mcp', 'initialize', params);
    await begun.text();
    const mcp = await ask('/mcp', {
      headers: { accept: 'text/event-stream', 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' },
    });
    expect([a2a.status, begun.status, mcp.status]).toEqual([200, 200, 200]);
    await revoke();
    expect(await mcp.text()).not.toContain('error');
    const told = await a2a.text();
    expect(told.split('"error"')).toHaveLength(2);
    expect(told).toContain('UNAUTHENTICATED');
  });

  it('ends its streams and its sockets at once, also those that follow nothing', async () => {
    const { key, client, revoke } = await shortKey();
    const { id } = await client.session();
    const sse = await fetch(`${stage.gateway.url}/v1/sessions/${id}/events/stream`, {
      headers: {
        authorization: `Bearer ${key}`,
        'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
      },
    });
    const following = await WsTestClient.open(stage.gateway.url, '/v1/ws', { key });
    await following.ask({ type: 'subscribe', id: 's', stream: 'session', session_id: id });
    const idle = await WsTestClient.open(stage.gateway.url, '/v1/ws', { key });
    const single = await WsTestClient.open(stage.gateway.url, `/v1/sessions/${id}/events/stream`, { key });
    const acp = await WsTestClient.open(stage.gateway.url, '/acp', { key });
    const kept = await WsTestClient.open(stage.gateway.url, '/v1/ws', { key: stage.client.key });
    await revoke();
    expect(await sse.text()).toContain('"code":"unauthenticated"');
    for (const socket of [following, idle, single, acp]) expect((await socket.closed).code).toBe(ENDED);
    expect(following.ofType('end')).toMatchObject([{ reason: 'unauthenticated' }]);
    expect(idle.ofType('error')).toMatchObject([{ error: { code: 'unauthenticated' } }]);
    expect(kept.socket.readyState).toBe(kept.socket.OPEN);
    kept.socket.close();
  });
});
