import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { challengesOf } from '#surfaces/http/challenges.ts';
import { DEFAULT_HTTP_LIMITS } from '#surfaces/http/limits.ts';
import { RelayedClients } from '#surfaces/http/relayed-clients.ts';
import { HostAllowList, TransportSecurity } from '#surfaces/http/request-checks.ts';
import { listen } from '#surfaces/http/server.ts';
import { PortRelay } from '#surfaces/relay/port-relay.ts';
import { Relay, type RelayDeps } from '#surfaces/relay/relay.ts';
import { nodeTimers } from '#surfaces/timers.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  const { port } = await listen(server, '127.0.0.1', 0);
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, url: `http://127.0.0.1:${port}` };
}

async function relayTo(
  owner?: string,
  names: string[] = [],
  more: Partial<RelayDeps> = {},
): Promise<{ relay: Relay; url: string }> {
  const ownUrl = 'http://node-2.internal:8080';
  const relay = new Relay({
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger: QUIET,
    timers: nodeTimers,
    newRequestId: () => 'req_test',
    challenges: challengesOf(() => ownUrl, []),
    limits: DEFAULT_HTTP_LIMITS,
    hosts: new HostAllowList(names),
    transport: new TransportSecurity([], false),
    ownUrl,
    version: '1.2.3',
    ...more,
  });
  const { port } = await listen(relay.server, '127.0.0.1', 0);
  relay.ownerIs(owner);
  closers.push(() => relay.close(0));
  return { relay, url: `http://127.0.0.1:${port}` };
}

const echo: RequestListener = (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = Buffer.concat(chunks);
    res.setHeader('Set-Cookie', ['a=1', 'b=2']);
    res.statusCode = 201;
    res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, bytes: body.length }));
  });
};

interface Echoed {
  method: string;
  url: string;
  headers: Record<string, string>;
  bytes: number;
}

describe('a node that does not decide', () => {
  it('hands a request on as it came, says that it did, and keeps the connection to itself', async () => {
    const owner = await serve(echo);
    const { url } = await relayTo(owner.url, ['gateway.example.com']);
    const answer = await new Promise<{ status: number; raw: string[]; body: Echoed }>((resolve) => {
      const headers = {
        Host: 'gateway.example.com',
        Authorization: 'Bearer k',
        'X-Forwarded-Proto': 'https',
        Connection: 'keep-alive, X-Mine',
        'X-Mine': 'of this connection',
        Via: '1.1 edge',
      };
      request(`${url}/v1/things?a=%20b&a=c`, { method: 'PUT', headers }, async (res) => {
        let text = '';
        for await (const chunk of res.setEncoding('utf8')) text += chunk as string;
        resolve({ status: res.statusCode ?? 0, raw: res.rawHeaders, body: JSON.parse(text) as Echoed });
      }).end('abc');
    });
    expect(answer.status).toBe(201);
    expect(answer.raw.filter((text) => /^[ab]=/.test(text))).toEqual(['a=1', 'b=2']);
    const { headers, ...rest } = answer.body;
    expect(rest).toEqual({ method: 'PUT', url: '/v1/things?a=%20b&a=c', bytes: 3 });
    expect(headers).toMatchObject({
      host: 'gateway.example.com',
      authorization: 'Bearer k',
      // Of a connection that nobody trusts to say so.
      'x-forwarded-proto': 'http',
      via: '1.1 edge, 1.1 node-2.internal:8080',
      'content-length': '3',
    });
    expect(headers['x-mine']).toBeUndefined();
  });

  it('says from which address a request came, with the secret of its log, and believes only who knows it', async () => {
    const owner = await serve(echo);
    const clients = new RelayedClients(() => 'the-secret');
    const first = await relayTo(owner.url, [], { clients });
    // A node in between, under another name.
    const second = await relayTo(first.url, [], { clients, ownUrl: 'http://node-3.internal:8080' });
    const asked = async (url: string, headers: Record<string, string>) =>
      ((await (await fetch(url, { headers })).json()) as Echoed).headers['harn-relayed-for'];
    expect(await asked(first.url, {})).toBe('the-secret 127.0.0.1');
    expect(await asked(first.url, { 'Harn-Relayed-For': 'the-secret 192.0.2.7' })).toBe(
      'the-secret 192.0.2.7',
    );
    expect(await asked(second.url, { 'Harn-Relayed-For': 'the-secret 192.0.2.7' })).toBe(
      'the-secret 192.0.2.7',
    );
    const certificate = 'c'.repeat(43);
    for (const url of [first.url, second.url])
      expect(await asked(url, { 'Harn-Relayed-For': `the-secret 192.0.2.7 ${certificate}` })).toBe(
        `the-secret 192.0.2.7 ${certificate}`,
      );
    expect(await asked(first.url, { 'Harn-Relayed-For': 'the-secret 192.0.2.7 no thumbprint' })).toBe(
      'the-secret 192.0.2.7',
    );
    for (const forged of [
      '192.0.2.7',
      `a-secret00 192.0.2.7 ${certificate}`,
      'a-secret00 192.0.2.7',
      'the-secret',
      'the-secret nobody',
      ' 192.0.2.7',
    ])
      expect(await asked(first.url, { 'Harn-Relayed-For': forged })).toBe('the-secret 127.0.0.1');
    const untold = await relayTo(owner.url);
    expect(await asked(untold.url, { 'Harn-Relayed-For': 'the-secret 192.0.2.7' })).toBeUndefined();
  });

  it('asks the owner under a name that is its own, where the client used that of this node', async () => {
    const owner = await serve(echo);
    const { url } = await relayTo(owner.url);
    const { headers } = (await (await fetch(`${url}/`)).json()) as Echoed;
    expect(`http://${headers['host']}`).toBe(owner.url);
  });

  it('refuses a host that is not its own, and a request that was with it all the time', async () => {
    const { url } = await relayTo((await serve(echo)).url);
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 400 .*"param":"Host"/s);
    const laps = Array<string>(21).fill('1.1 node-2.internal:8080');
    const looped = await fetch(url, { headers: { via: laps.join() } });
    expect(looped.status).toBe(503);
    expect(looped.headers.get('retry-after')).toBe('1');
    const other = await fetch(url, { headers: { via: '1.1 node-2.internal:80801' } });
    expect(other.status).toBe(201);
  });

  it('waits for news where nodes that heard of a take-over at other times hand a request to each other', async () => {
    const other = await relayTo(undefined, [], { ownUrl: 'http://node-3.internal:8080' });
    const one = await relayTo(other.url);
    other.relay.ownerIs(one.url);
    const answer = fetch(one.url);
    await pause(250);
    const owner = await serve(echo);
    one.relay.ownerIs(owner.url);
    expect((await answer).status).toBe(201);
  });

  it.each(['GET', 'DELETE', 'OPTIONS'])('frames the body that a %s brings in chunks', async (method) => {
    const owner = await serve(echo);
    const urls: string[] = [];
    owner.server.on('request', ({ url }) => void urls.push(url ?? ''));
    const { port, host } = new URL((await relayTo(owner.url)).url);
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`${method} /open HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write(`${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toContain(`"bytes":${hidden.length}`);
    socket.end();
    await pause(50);
    expect(urls).toEqual(['/open']);
  });

  it.each(['GET', 'DELETE', 'OPTIONS'])(
    'frames the long body of a %s whose length its Connection header names',
    async (method) => {
      const owner = await serve(echo);
      const urls: string[] = [];
      owner.server.on('request', ({ url }) => void urls.push(url ?? ''));
      const { port, host } = new URL((await relayTo(owner.url)).url);
      // More than is held, so that it is passed as it comes.
      const size = 400_000;
      const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'.padEnd(size, '\n');
      const socket = connect(Number(port), '127.0.0.1');
      const named = 'keep-alive, content-length, authorization';
      socket.write(
        `${method} /open HTTP/1.1\r\nHost: ${host}\r\nConnection: ${named}\r\nAuthorization: Bearer k\r\nContent-Length: ${size}\r\n\r\n`,
      );
      socket.write(hidden);
      const answer = String((await once(socket, 'data'))[0]);
      expect(answer).toContain(`"bytes":${size}`);
      expect(answer).toContain('"authorization":"Bearer k"');
      socket.destroy();
      await pause(50);
      expect(urls).toEqual(['/open']);
    },
  );

  it('says that it is alive, whoever decides', async () => {
    const { url } = await relayTo();
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true, status: 'ok', version: '1.2.3' });
  });

  it.each([200, 300_000, 5_000_000])('takes a body of %i bytes', async (size) => {
    const { url } = await relayTo((await serve(echo)).url);
    const answer = await fetch(url, { method: 'POST', body: Buffer.alloc(size, 'x') });
    expect(((await answer.json()) as Echoed).bytes).toBe(size);
  });

  it('passes each part of a stream at once, and its end', async () => {
    let say: (text: string) => void = () => undefined;
    let leave: () => void = () => undefined;
    const owner = await serve((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.flushHeaders();
      say = (text) => res.write(text);
      leave = () => res.destroy();
    });
    const { url } = await relayTo(owner.url);
    const reader = (await fetch(url)).body?.getReader();
    for (const text of ['id: 1\n\n', 'id: 2\n\n']) {
      say(text);
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(text);
    }
    leave();
    await expect(reader?.read()).rejects.toThrow();
  });

  it('lets the owner see that a client left', async () => {
    let left: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const owner = await serve((_req, res) => {
      res.on('close', left);
      res.writeHead(200);
      res.flushHeaders();
    });
    const { url } = await relayTo(owner.url);
    const abort = new AbortController();
    await fetch(url, { signal: abort.signal });
    abort.abort();
    await gone;
  });

  it('lets requests wait while another node takes over', async () => {
    const { relay, url } = await relayTo('http://127.0.0.1:9');
    const waiting = fetch(url, { method: 'POST', body: 'x' });
    await pause(250);
    relay.ownerIs((await serve(echo)).url);
    expect((await waiting).status).toBe(201);
  });

  it('sends again what may be repeated when the owner ends, and says of the rest that it is unclear', async () => {
    const seen: string[] = [];
    const hangs = await serve((req) => void seen.push(`${req.method}`));
    const { relay, url } = await relayTo(hangs.url);
    const key = { 'idempotency-key': 'k1' };
    const calls = [
      fetch(url),
      fetch(url, { method: 'POST', body: 'x', headers: key }),
      fetch(url, { method: 'POST', body: 'x' }),
    ];
    while (seen.length < 3) await pause(10);
    relay.ownerIs((await serve(echo)).url);
    const [read, keyed, unkeyed] = await Promise.all(calls);
    expect([read?.status, keyed?.status, unkeyed?.status]).toEqual([201, 201, 503]);
    expect(unkeyed?.headers.get('retry-after')).toBe('1');
    expect(await unkeyed?.text()).toContain('this may have been carried out');
  });

  describe('whose way to the owner loses what is sent', () => {
    /** Time that passes faster: what takes seconds takes some tenths of one. */
    const timers = {
      ...nodeTimers,
      after: (delayMs: number, run: () => void) => nodeTimers.after(delayMs / 10, run),
    };

    /** Takes connections and answers nothing, or the health only. */
    async function silentOwner() {
      const held: ServerResponse[] = [];
      const asked = { health: 0 };
      const state = { isThere: false };
      const owner = await serve((req, res) => {
        if (req.url === '/health') asked.health += 1;
        if (req.url === '/health' && state.isThere) res.end('{}');
        else held.push(res);
      });
      owner.server.on('upgrade', () => undefined);
      return { url: owner.url, held, asked, state };
    }

    it('refuses what waits for an answer, and says of what may not be repeated that it is unclear', async () => {
      const owner = await silentOwner();
      const { url } = await relayTo(owner.url, [], { timers });
      const [read, keyed, unkeyed] = await Promise.all([
        fetch(url),
        fetch(url, { method: 'POST', body: 'x', headers: { 'idempotency-key': 'k1' } }),
        fetch(url, { method: 'POST', body: 'x' }),
      ]);
      for (const answer of [read, keyed, unkeyed]) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      expect(await read.text()).toContain('does not answer this one');
      expect(await keyed.text()).toContain('does not answer this one');
      expect(await unkeyed.text()).toContain('this may have been carried out');
      // Asked for all who wait, by a connection of its own.
      expect(owner.asked.health).toBeGreaterThanOrEqual(2);
      expect(owner.asked.health).toBeLessThan(6);
      const socket = new WebSocket(url.replace('http', 'ws'));
      const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      expect(refused.statusCode).toBe(503);
      socket.on('error', () => undefined);
      socket.terminate();
    });

    it('waits for an owner that is there and only slow', async () => {
      const owner = await silentOwner();
      owner.state.isThere = true;
      const { url } = await relayTo(owner.url, [], { timers });
      const waiting = fetch(url, { method: 'POST', body: 'x' });
      while (owner.asked.health < 5) await pause(5);
      owner.held[0]?.end('late');
      expect(await (await waiting).text()).toBe('late');
      const asked = owner.asked.health;
      await pause(500);
      expect(owner.asked.health).toBe(asked);
    });

    it('hands on again when the way is back', async () => {
      const owner = await silentOwner();
      const { url } = await relayTo(owner.url, [], { timers });
      expect((await fetch(url)).status).toBe(503);
      owner.state.isThere = true;
      const waiting = fetch(url);
      while (owner.held.length < 4) await pause(5);
      owner.held[3]?.end('back');
      expect(await (await waiting).text()).toBe('back');
    });
  });

  it('joins a WebSocket with the owner, and passes its refusals', async () => {
    const owner = await serve(echo);
    const sockets = new WebSocketServer({ noServer: true });
    owner.server.on('upgrade', (req, socket, head) => {
      if (req.url === '/no')
        return void socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno');
      sockets.handleUpgrade(req, socket, head, (ws) => {
        ws.on('message', (data) => ws.send(`${req.headers['via']}: ${String(data)}`));
      });
    });
    const { relay, url } = await relayTo(owner.url);
    const ws = new WebSocket(url.replace('http', 'ws'));
    await once(ws, 'open');
    ws.send('hello');
    expect(String((await once(ws, 'message'))[0])).toBe('1.1 node-2.internal:8080: hello');
    const closed = once(ws, 'close');
    relay.ownerIs(undefined);
    await closed;
    relay.ownerIs(owner.url);
    const refused = new WebSocket(`${url.replace('http', 'ws')}/no`);
    const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(answer.statusCode).toBe(401);
    refused.on('error', () => undefined);
    refused.terminate();
  });

  it('lets what waits be answered where another node decides while it stops', async () => {
    const { relay, url } = await relayTo();
    const answer = fetch(url);
    await pause(50);
    const closed = relay.close(5_000);
    await pause(50);
    relay.ownerIs((await serve(echo)).url);
    expect((await answer).status).toBe(201);
    await closed;
  });

  it('is stopped with its answers, and cuts streams, which nobody would end', async () => {
    let answer: () => void = () => undefined;
    const owner = await serve((req, res) => {
      if (req.url === '/stream') res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      else answer = () => res.end('late');
    });
    const { relay, url } = await relayTo(owner.url);
    const stream = (await fetch(`${url}/stream`)).body?.getReader();
    const late = fetch(url);
    const broken = expect(stream?.read()).rejects.toThrow();
    const closing = relay.close(10_000);
    await broken;
    answer();
    const answered = await late;
    expect(answered.headers.get('connection')).toBe('close');
    expect(await answered.text()).toBe('late');
    await closing;
  });

  it('is left without closing its port; what it took goes on', async () => {
    const { relay, url } = await relayTo();
    const waiting = fetch(`${url}/held`);
    await pause(50);
    const { port } = new URL(url);
    const owner = await serve(echo);
    // Behind it the owner is this node, under the address that other nodes have; here that is another one.
    relay.leave();
    relay.ownerIs(owner.url);
    relay.server.on('request', (_req, res) => res.end('mine'));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('mine');
    expect((await waiting).status).toBe(201);
  });
});

describe('the port of gRPC of such a node', () => {
  it('passes bytes, waits for an owner, and cuts what was with another one', async () => {
    const owner = await serve(echo);
    const other = await serve((_req, res) => res.end('other'));
    const place = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });
    const free = await serve(echo);
    const { port } = new URL(free.url);
    free.server.close();
    await once(free.server, 'close');
    const relay = await PortRelay.open(
      { host: '127.0.0.1', port: Number(port) },
      { timers: nodeTimers, logger: QUIET },
    );
    closers.push(() => relay.leave());
    const waiting = fetch(`http://127.0.0.1:${port}/`);
    await pause(150);
    relay.ownerIs(place(owner.url));
    expect((await waiting).status).toBe(201);
    relay.ownerIs(place(other.url));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('other');
    await relay.leave();
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });
});
