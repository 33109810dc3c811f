import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ProtocolError } from '#protocol/errors.ts';
import type {
  ProtocolServer,
  ServerConnection,
  ServerExchange,
  ServerSocket,
  ServerStream,
} from '#protocol-server.ts';
import { envelopeOf, eventually, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

/** What the face under test was asked, and what it holds open. */
class RecordingFace implements ProtocolServer {
  readonly seen: string[] = [];
  readonly streams: ServerStream[] = [];
  readonly connections: ServerConnection[] = [];
  readonly browserHeaders = { sent: ['X-Sent'], read: ['X-Read'] };
  readonly routes: ProtocolServer['routes'] = [
    { method: 'POST', path: '/face/{id}:act', handle: (exchange, { id }) => this.#act(exchange, id) },
    { method: 'GET', path: '/face/stream', handle: (exchange) => this.#stream(exchange) },
    { method: 'GET', path: '/face/library', handle: (exchange) => this.#library(exchange) },
    {
      method: 'GET',
      path: '/face/{id}',
      handle: (exchange, { id }) => exchange.send(200, 'text/plain', id ?? ''),
    },
  ];
  readonly sockets: readonly ServerSocket[] = [
    {
      path: '/face/socket',
      operation: 'submitTask',
      subprotocols: ['face.v2', 'face.v1'],
      maxMessageBytes: 64,
      open: (connection) => {
        this.connections.push(connection);
        return {
          message: (text) => void connection.send(`heard ${text}`),
          closed: (code) => this.seen.push(`closed ${code}`),
          drain: () => connection.close(1001, 'drained'),
        };
      },
    },
  ];

  drain(): void {
    this.seen.push('drain');
  }

  async close(): Promise<void> {
    this.seen.push('close');
  }

  async #act(exchange: ServerExchange, id = ''): Promise<void> {
    const body = await exchange.parseJson(await exchange.readBody(32));
    if (id === 'bad') throw new ProtocolError('invalid_request', 'No.', { param: 'id' });
    const { caller, traceparent } = exchange.call();
    exchange.send(200, 'application/json', JSON.stringify({ id, body, actor: caller.actor, traceparent }));
  }

  #stream(exchange: ServerExchange): void {
    const stream = exchange.openStream({
      isResumed: false,
      headers: ['X-Read', 'yes'],
      failureFrame: (error) => `data: ${error.code}\n\n`,
    });
    this.streams.push(stream);
    stream.write({ sse: Buffer.from('data: first\n\n') });
  }

  #library(exchange: ServerExchange): void {
    const { res } = exchange.takeOver(() => {
      this.seen.push('library drains');
      res.end();
    });
    res.writeHead(200).write('written');
  }
}

let face: RecordingFace;
let under: UnderTest;
beforeEach(async () => {
  face = new RecordingFace();
  under = await startSurface({
    createServers: () => [face],
    // A shutdown does not wait for a client that keeps its connection after the answer.
    limits: { maxStreams: 2, keepAliveTimeoutMs: 60_000 },
    server: { allowedOrigins: ['https://app.example.com'] },
  });
});
afterEach(() => under.close());

const post = (path: string, body: string, headers = {}) =>
  fetch(`${under.url}${path}`, { method: 'POST', body, headers });

describe('a route of a face', () => {
  it('may have a verb after its parameter, and gets a Call with what the request says of itself', async () => {
    const answer = await post('/face/one:act', '{"a":1}', { authorization: 'Bearer x', traceparent: '00-a' });
    expect(await answer.json()).toEqual({
      id: 'one',
      body: { a: 1 },
      actor: 'actor_test',
      traceparent: '00-a',
    });
    expect(under.gateway.entries).toEqual([{ authorization: 'Bearer x', version: 'exempt' }]);
    expect(await (await fetch(`${under.url}/face/two`)).text()).toBe('two');
  });

  it('stands behind the edge: headers, targets, hosts and pages are checked, and its answers are safe', async () => {
    const answer = await fetch(`${under.url}/face/one`);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect((await fetch(`${under.url}/face/%2e%2e%2fone`)).status).toBe(400);
    const foreign = await post('/face/one:act', '{}', { origin: 'https://evil.example.com' });
    expect((await envelopeOf(foreign)).param).toBe('Origin');
    expect(under.log.map(({ fields }) => fields['route'])).toContain('/face/{id}');
  });

  it('tells browser pages which of its headers they may send and read', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${under.url}/face/one`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Sent');
    const answer = await fetch(`${under.url}/face/one`, { headers: { origin: headers.origin } });
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Read');
  });

  it('answers a thrown error, a body that is too large and broken JSON with the envelope', async () => {
    expect((await envelopeOf(await post('/face/bad:act', '{}'))).param).toBe('id');
    expect((await post('/face/one:act', `"${'x'.repeat(40)}"`)).status).toBe(413);
    expect((await post('/face/one:act', '{"a":1,"a":2}')).status).toBe(400);
    expect((await fetch(`${under.url}/face/one`, { method: 'DELETE' })).headers.get('allow')).toBe('GET');
  });
});

describe('a stream of a face', () => {
  it('leaves its connection to the next request', async () => {
    const client = new RawClient(under.port);
    const ask = (path: string) =>
      client.send(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${under.port}\r\n\r\n`);
    ask('/face/stream');
    await client.until((text) => text.includes('data: first'));
    face.streams[0]?.write({ sse: Buffer.from('data: zwölf\n\n') });
    face.streams[0]?.end('complete');
    await client.until((text) => text.endsWith('0\r\n\r\n'));
    expect(client.body).toBe('d\r\ndata: first\n\n\r\ne\r\ndata: zw\xc3\xb6lf\n\n\r\n0\r\n\r\n');
    ask('/face/two');
    await client.until((text) => text.endsWith('two'));
    client.socket.destroy();
  });

  it('closes its connection when the gateway shuts down', async () => {
    const client = new RawClient(under.port);
    client.send(`GET /face/stream HTTP/1.1\r\nHost: 127.0.0.1:${under.port}\r\n\r\n`);
    await client.until((text) => text.includes('data: first'));
    expect(await under.surface.close({ graceMs: 2_000 })).toBe(true);
    await client.closed;
    expect(client.text.endsWith('0\r\n\r\n')).toBe(true);
  });

  it('is counted, carries its headers and tells its errors in its own words', async () => {
    const answer = await fetch(`${under.url}/face/stream`);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-read')).toBe('yes');
    expect(under.surface.openStreams()).toBe(1);
    face.streams[0]?.end('failed', new ProtocolError('rate_limited', 'Slow down.'));
    expect(await answer.text()).toBe('data: first\n\ndata: rate_limited\n\n');
    await eventually(() => under.surface.openStreams() === 0);
  });

  it('is refused above the limit, whoever writes it', async () => {
    const open = [await fetch(`${under.url}/face/stream`), await fetch(`${under.url}/face/library`)];
    expect(under.surface.openStreams()).toBe(2);
    expect((await fetch(`${under.url}/face/stream`)).status).toBe(503);
    expect((await fetch(`${under.url}/face/library`)).status).toBe(503);
    await Promise.all(open.map((answer) => answer.body?.cancel()));
    await eventually(() => under.surface.openStreams() === 0);
  });

  it('ends at a shutdown, of which a library learns; then the face is closed', async () => {
    const stream = await fetch(`${under.url}/face/stream`);
    const library = await fetch(`${under.url}/face/library`);
    expect(library.headers.get('x-content-type-options')).toBe('nosniff');
    const closed = under.surface.close({ graceMs: 5_000 });
    expect(await stream.text()).toBe('data: first\n\nretry: 1000\n\n');
    expect(await library.text()).toBe('written');
    expect(await closed).toBe(true);
    expect(face.seen).toEqual(['drain', 'library drains', 'close']);
  });
});

describe('a socket of a face', () => {
  const connect = (
    protocols: string[] = [],
    headers: Record<string, string> = { authorization: 'Bearer test' },
  ) => new WebSocket(`${under.url.replace('http', 'ws')}/face/socket`, protocols, { headers });
  const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve));
  const refused = (socket: WebSocket) =>
    new Promise<number | undefined>((resolve) => {
      socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode));
      socket.on('error', () => undefined);
    });

  it('is opened for callers only, by header or by subprotocol, which is not echoed', async () => {
    expect(await refused(connect([], {}))).toBe(401);
    expect(
      await refused(connect([], { authorization: 'Bearer test', origin: 'https://evil.example.com' })),
    ).toBe(403);
    const socket = connect(['harn.bearer.secret', 'face.v1'], {});
    await opened(socket);
    expect(socket.protocol).toBe('face.v1');
    expect(face.connections[0]?.call().caller.actor).toBe('actor_test');
    expect(under.gateway.entries.at(-1)).toEqual({ authorization: 'Bearer secret', version: 'exempt' });
    expect(under.surface.openStreams()).toBe(1);
    socket.terminate();
    await eventually(() => face.seen.includes('closed 1006'));
    expect(face.connections[0]?.signal.aborted).toBe(true);
  });

  it('takes text up to its size and sends text', async () => {
    const socket = connect();
    await opened(socket);
    const heard = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send('hello');
    expect(await heard).toBe('heard hello');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send('x'.repeat(65));
    expect(await closed).toBe(1009);
  });

  it('is closed by its face at a shutdown', async () => {
    const socket = connect();
    await opened(socket);
    const closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve(`${code} ${reason}`)),
    );
    await under.surface.close({ graceMs: 5_000 });
    expect(await closed).toBe('1001 drained');
  });
});
