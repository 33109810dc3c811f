import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { JsonReader } from '#json/json-reader.ts';
import { SlicedWork } from '#json/large-json.ts';
import type { ServerDeps } from '#protocol-server.ts';
import { createA2aServer } from '../../../bridges/a2a/server/server.ts';
import { createAcpServer } from '../../../bridges/acp/server/server.ts';
import { McpServer } from '../../../bridges/mcp/server/server.ts';
import { WsTestClient } from '../../harness/ws-client.ts';
import { AUTH, eventually, startSurface, type UnderTest } from './surface-under-test.ts';

/** 80 000 characters in three slices, each read twice, after a turn that decodes them. */
const LONG = 'x'.repeat(10);
const ITEMS = JSON.stringify(Array.from({ length: 80_000 / (LONG.length + 3) }, () => LONG));

/** The turns of the reader come when the test lets them. */
class Turns {
  readonly waiting: (() => void)[] = [];
  taken = 0;
  readonly json = new JsonReader(new SlicedWork((turn) => this.waiting.push(turn)));

  one(): void {
    this.taken += 1;
    this.waiting.shift()?.();
  }

  /** Lets turns pass until the condition holds; never is more than one asked for. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      expect(this.waiting.length).toBeLessThan(2);
      if (this.waiting.length > 0) this.one();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

let turns: Turns;
let under: UnderTest;
beforeEach(async () => {
  turns = new Turns();
  const { json } = turns;
  under = await startSurface({
    json,
    createServers: (publicUrl) => {
      const agent = { id: 'shop', route: 'a2a:shop', isDefault: true, description: undefined };
      const deps = {
        gateway: under?.gateway ?? lateGateway,
        clock: { now: () => 0, monotonic: () => 0 },
        timers: { every: () => () => undefined, after: () => () => undefined },
        agents: () => [agent],
        publicUrl,
        parseJson: (text: string) => json.readPeerText(text),
        drafts: [],
        limits: { maxBodyBytes: 4 * 1024 * 1024 },
      } as unknown as ServerDeps;
      return [createA2aServer(deps), createAcpServer(deps), new McpServer(deps)];
    },
  });
});
afterEach(() => under.close());

/** The surface makes its faces before it is there itself. */
const lateGateway = new Proxy({} as UnderTest['gateway'], {
  get: (_, name) => {
    const { gateway } = under;
    const member = gateway[name as keyof typeof gateway];
    return typeof member === 'function' ? (member as () => unknown).bind(gateway) : member;
  },
});

const MCP = { Accept: 'application/json, text/event-stream' };
const DOORS: readonly [string, string, string, Record<string, string>][] = [
  ['REST', '/v1/tasks', `{"input":${ITEMS}}`, {}],
  [
    'A2A over JSON-RPC',
    '/a2a/shop',
    `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":1,"x":${ITEMS}}}`,
    { 'A2A-Version': '1.0' },
  ],
  ['A2A over HTTP+JSON', '/a2a/shop/message:send', `{"x":${ITEMS}}`, { 'A2A-Version': '1.0' }],
  ['MCP', '/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${ITEMS}}}`, MCP],
];

describe('large bodies', () => {
  it.each(DOORS)(
    'over %s are read in turns, and others are answered between any two',
    async (_, path, body, headers) => {
      const answers: number[] = [];
      const post = async () => {
        const sent = { ...AUTH, 'Content-Type': 'application/json', ...headers };
        const { status } = await fetch(`${under.url}${path}`, { method: 'POST', headers: sent, body });
        answers.push(status);
      };
      const posts = [post(), post(), post()];
      await eventually(() => turns.waiting.length > 0);
      for (let n = 0; n < 4; n += 1) {
        turns.one();
        expect((await fetch(`${under.url}/health`)).status).toBe(200);
      }
      expect([answers, under.gateway.calls]).toEqual([[], []]);
      await turns.until(() => answers.length === 3);
      await Promise.all(posts);
      expect(turns.taken).toBe(3 * (1 + 2 * Math.ceil(body.length / 32_768) - 1));
    },
  );

  it('that nobody waits for any more are not read on', async () => {
    const leaving = new AbortController();
    let connection: Socket | undefined;
    under.surface.server.once('connection', (socket) => {
      connection = socket;
    });
    const [, path, body] = DOORS[0] ?? ['', '', ''];
    const headers = { ...AUTH, 'Content-Type': 'application/json' };
    const sent = fetch(`${under.url}${path}`, { method: 'POST', headers, body, signal: leaving.signal });
    await eventually(() => turns.waiting.length > 0);
    turns.one();
    leaving.abort();
    await expect(sent).rejects.toThrow();
    await eventually(() => connection?.destroyed === true);
    await turns.until(() => under.log.some(({ fields }) => fields['status'] === 499));
    while (turns.waiting.length > 0) turns.one();
    expect([turns.taken, under.gateway.calls]).toEqual([2, []]);
  });
});

describe('large frames', () => {
  it('of the Harn socket are read in turns, in their order, and what comes behind waits', async () => {
    const client = await WsTestClient.open(under.url, '/v1/ws');
    const message = {
      role: 'user',
      parts: [{ type: 'json', value: JSON.parse(ITEMS), visibility: 'public' }],
    };
    client.send({ type: 'user_message', id: 'large', session_id: 'session_1', message });
    client.send({ type: 'ping', id: 'behind' });
    await eventually(() => turns.waiting.length > 0);
    for (let n = 0; n < 3; n += 1) {
      turns.one();
      expect((await fetch(`${under.url}/health`)).status).toBe(200);
    }
    expect(client.frames).toEqual([]);
    await turns.until(() => client.frames.length === 2);
    expect(under.gateway.calls).toHaveLength(1);
    client.sendRaw(`{"type":"ping","id":${ITEMS}}`);
    client.send({ type: 'ping', id: 'after' });
    await turns.until(() => client.frames.length === 4);
    expect(client.frames.slice(2).map(({ type, id }) => [type, id])).toEqual([
      ['error', null],
      ['ack', 'after'],
    ]);
    client.socket.close();
    expect((await client.closed).code).toBe(1005);
  });

  it('of the Harn socket are taken before its end, when the client leaves behind one', async () => {
    const client = await WsTestClient.open(under.url, '/v1/ws');
    const message = {
      role: 'user',
      parts: [{ type: 'json', value: JSON.parse(ITEMS), visibility: 'public' }],
    };
    client.send({ type: 'user_message', id: 'large', session_id: 'session_1', message });
    client.socket.close();
    await turns.until(() => under.log.some(({ fields }) => fields['close_code'] !== undefined));
    await client.closed;
    expect(under.gateway.calls.map(({ id }) => id)).toHaveLength(1);
  });

  it('of ACP are read in turns, in their order', async () => {
    const socket = new WebSocket(`${under.url.replace('http', 'ws')}/acp`, ['acp.v1'], { headers: AUTH });
    const heard: { id: unknown; error?: { code: number } }[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    const ask = (id: number, params: string) =>
      socket.send(`{"jsonrpc":"2.0","id":${id},"method":"session/list","params":${params}}`);
    ask(1, `{"x":${ITEMS}}`);
    ask(2, '{}');
    await eventually(() => turns.waiting.length > 0);
    turns.one();
    expect((await fetch(`${under.url}/health`)).status).toBe(200);
    expect(heard).toEqual([]);
    await turns.until(() => heard.length === 2);
    ask(3, `{"x":${ITEMS},"x":1}`);
    ask(4, '{}');
    await turns.until(() => heard.length === 4);
    expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(heard.map(({ error }) => error?.code)).toEqual([-32600, -32600, -32602, -32600]);
    socket.terminate();
  });
});
