import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { healthMethods } from '#surfaces/grpc/health.ts';
import type { GrpcTls } from '#surfaces/grpc/server.ts';
import { DEFAULT_HTTP_LIMITS } from '#surfaces/http/limits.ts';
import { HostAllowList, TransportSecurity } from '#surfaces/http/request-checks.ts';
import { GrpcDoor } from '#surfaces/relay/grpc-door.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { CERT, KEY } from './tls-fixture.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_REFUSED_STREAM } = constants;
const CONTENT = { 'content-type': 'application/grpc' };
const METHOD = '/lf.a2a.v1.A2AService/SendMessage';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Take = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A gateway that does with a call what a test says. */
async function gateway(
  take: Take,
  settings: Settings = {},
): Promise<{ url: string; connections(): number; end(): void }> {
  const server = createServer({ settings });
  const sessions = new Set<{ destroy(): void; close(): void }>();
  let connections = 0;
  server.on('session', (session) => {
    connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    take(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = () => {
    server.close();
    for (const session of sessions) session.destroy();
  };
  closers.push(end);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    end,
  };
}

interface Given {
  tls?: GrpcTls;
  names?: string[];
  isReady?: () => boolean;
  limits?: Partial<typeof DEFAULT_HTTP_LIMITS>;
}

/** A door whose calls go where their metadata `tenant` says. */
async function doorTo(
  owners: Record<string, string>,
  { tls, names = [], isReady = () => true, limits }: Given = {},
) {
  const door = new GrpcDoor(
    { host: '127.0.0.1', port: 0, tls },
    {
      clock: { monotonic: () => performance.now() },
      logger: QUIET,
      timers: nodeTimers,
      limits: { ...DEFAULT_HTTP_LIMITS, ...limits },
      hosts: new HostAllowList(names),
      transport: new TransportSecurity([], false),
      ownUrl: 'http://node-2.internal:8080',
      destinationOf: ({ headers }) => {
        if (headers['tenant'] === 'none') throw new ProtocolError('invalid_request', 'No such tenant: 100%.');
        return String(headers['tenant'] ?? 'first');
      },
      isOwn: () => true,
      health: healthMethods({ timers: nodeTimers, services: ['a.B'], isServing: async () => isReady() }),
    },
  );
  const port = await door.listen();
  for (const [name, url] of Object.entries(owners)) door.ownerIs(url, name);
  let closing: Promise<void> | undefined;
  const close = (graceMs: number) => {
    closing ??= door.close(graceMs);
    return closing;
  };
  closers.push(() => close(0));
  return { door, port, close };
}

function client(port: number, options = {}): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`, options);
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  return session;
}

/** A call, and what became of it. */
function begin(session: ClientHttp2Session, metadata: OutgoingHttpHeaders = {}) {
  const call = session.request({
    ':method': 'POST',
    ':path': METHOD,
    te: 'trailers',
    ...CONTENT,
    ...metadata,
  });
  const ended = outcome(call);
  return { call, ended };
}

async function outcome(call: ClientHttp2Stream) {
  let head: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  const chunks: Buffer[] = [];
  call.on('response', (headers) => {
    head = headers;
  });
  call.on('trailers', (headers) => {
    trailers = headers;
  });
  call.on('data', (chunk: Buffer) => chunks.push(chunk));
  call.on('error', () => undefined);
  await new Promise((resolve) => call.on('close', resolve));
  return { head, trailers, body: Buffer.concat(chunks), reset: call.rstCode };
}

/** Answers with the message that it got, and says of the call what it saw. */
const echo: Take = (stream, headers) => {
  stream.respond({ ':status': 200, ...CONTENT, seen: JSON.stringify(headers) }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'last-event-id': '7' }));
  stream.pipe(stream);
};

/** Says which gateway it is. */
const named =
  (name: string): Take =>
  (stream) => {
    stream.respond({ ':status': 200, ...CONTENT }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(name);
  };

describe('the port of gRPC of a node with several partitions', () => {
  it('hands each call of a connection on to the gateway of its tenant', async () => {
    const [one, two] = [await gateway(named('one')), await gateway(named('two'))];
    const { port } = await doorTo({ acme: one.url, shop: two.url });
    const session = client(port);
    const calls = Array.from({ length: 20 }, (_, n) => {
      const { call, ended } = begin(session, { tenant: n % 2 === 0 ? 'acme' : 'shop' });
      call.end('x');
      return ended;
    });
    const said = (await Promise.all(calls)).map(({ body, trailers }) => `${body} ${trailers['grpc-status']}`);
    expect(said).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'one 0' : 'two 0')));
    // All calls share one connection to each.
    expect([one.connections(), two.connections()]).toEqual([1, 1]);
  });

  it('passes metadata and deadline, messages both ways and trailers, and keeps the connection to itself', async () => {
    const { url } = await gateway(echo);
    const { port } = await doorTo({ first: url }, { names: ['gateway.example.com'] });
    const { call, ended } = begin(client(port), {
      ':authority': 'gateway.example.com',
      authorization: 'Bearer k',
      'grpc-timeout': '5S',
      'key-bin': 'AAE=',
      'proxy-authorization': 'of this connection',
      'x-forwarded-proto': 'https',
      via: '1.1 edge',
    });
    call.end('hello');
    const { head, body, trailers } = await ended;
    expect(String(body)).toBe('hello');
    expect(trailers).toMatchObject({ 'grpc-status': '0', 'last-event-id': '7' });
    const seen = JSON.parse(String(head['seen'])) as Record<string, string>;
    expect(seen).toMatchObject({
      ':path': METHOD,
      ':authority': 'gateway.example.com',
      authorization: 'Bearer k',
      'grpc-timeout': '5S',
      'key-bin': 'AAE=',
      te: 'trailers',
      via: '1.1 edge, 2.0 node-2.internal:8080',
      // Of a connection that nobody trusts to say so.
      'x-forwarded-proto': 'http',
    });
    expect(seen).not.toHaveProperty('proxy-authorization');
  });

  it('passes an answer that is trailers only', async () => {
    const { url } = await gateway((stream) => {
      stream.respond(
        { ':status': 200, ...CONTENT, 'grpc-status': '16', 'grpc-message': 'no' },
        { endStream: true },
      );
    });
    const { port } = await doorTo({ first: url });
    // One that has sent all, and one that still sends.
    for (const isWhole of [true, false]) {
      const { call, ended } = begin(client(port));
      if (isWhole) call.end('x');
      else call.write('x');
      const { head, body } = await ended;
      expect(head).toMatchObject({ ':status': 200, 'grpc-status': '16', 'grpc-message': 'no' });
      expect(body.length).toBe(0);
    }
  });

  it('hands on no more than a client reads, and no more than a gateway reads', async () => {
    const SENT = 8 * 1024 * 1024;
    const piece = Buffer.alloc(64 * 1024, 'x');
    /** Writes as fast as it is taken. */
    const pour = (stream: ClientHttp2Stream | ServerHttp2Stream) => {
      let written = 0;
      const more = () => {
        while (written < SENT) {
          written += piece.length;
          if (!stream.write(piece)) return;
        }
        stream.end();
      };
      stream.on('drain', more);
      more();
      return () => written;
    };
    let poured: () => number = () => 0;
    let read: () => void = () => undefined;
    let got = 0;
    const { url } = await gateway((stream, { tenant }) => {
      stream.respond({ ':status': 200, ...CONTENT }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      if (tenant === 'down') poured = pour(stream);
      else
        read = () => {
          stream.on('data', (chunk: Buffer) => {
            got += chunk.length;
          });
          stream.on('end', () => stream.end());
        };
    });
    const { port } = await doorTo({ down: url, up: url, quick: (await gateway(named('quick'))).url });
    const session = client(port);
    const settled = async (count: () => number) => {
      for (let before = -1; before !== count(); ) {
        before = count();
        await pause(200);
      }
      return count();
    };
    const down = session.request({ ':method': 'POST', ':path': METHOD, tenant: 'down' });
    await once(down, 'response');
    expect(await settled(poured)).toBeLessThan(SENT / 4);
    const up = session.request({ ':method': 'POST', ':path': METHOD, tenant: 'up' });
    const sent = pour(up);
    await once(up, 'response');
    expect(await settled(sent)).toBeLessThan(SENT / 4);
    // Others of the same connection are served meanwhile.
    const other = begin(session, { tenant: 'quick' });
    other.call.end();
    expect(String((await other.ended).body)).toBe('quick');
    const ends = [outcome(down), outcome(up)];
    read();
    const [downEnd, upEnd] = await Promise.all(ends);
    expect(downEnd?.body.length).toBe(SENT);
    expect(downEnd?.trailers['grpc-status']).toBe('0');
    expect(got).toBe(SENT);
    expect(upEnd?.trailers['grpc-status']).toBe('0');
  });

  it('passes the reset of a client, and that it has gone', async () => {
    const resets: number[] = [];
    let arrived = 0;
    const { url } = await gateway((stream) => {
      arrived += 1;
      stream.respond({ ':status': 200, ...CONTENT });
      stream.write('one');
      stream.on('close', () => resets.push(stream.rstCode));
    });
    const { port } = await doorTo({ first: url });
    const canceled = begin(client(port));
    await once(canceled.call, 'data');
    canceled.call.close(NGHTTP2_CANCEL);
    await expect.poll(() => resets).toEqual([NGHTTP2_CANCEL]);
    const session = client(port);
    await once(begin(session).call, 'data');
    session.destroy();
    await expect.poll(() => resets).toEqual([NGHTTP2_CANCEL, NGHTTP2_CANCEL]);
    expect(arrived).toBe(2);
  });

  it.each([
    ['before it has answered', false],
    ['in the middle of its answer', true],
  ])('passes the reset of a gateway %s', async (_, isAnswered) => {
    const { url } = await gateway((stream) => {
      if (!isAnswered) return stream.close(NGHTTP2_REFUSED_STREAM);
      stream.respond({ ':status': 200, ...CONTENT }, { waitForTrailers: true });
      // Without this the library would end it in order.
      stream.on('wantTrailers', () => undefined);
      stream.write('half', () => stream.close(NGHTTP2_ENHANCE_YOUR_CALM));
    });
    const { port } = await doorTo({ first: url });
    const { call, ended } = begin(client(port));
    call.end('x');
    const { body, reset, trailers } = await ended;
    expect({ body: String(body), reset, trailers: { ...trailers } }).toEqual(
      isAnswered
        ? { body: 'half', reset: NGHTTP2_ENHANCE_YOUR_CALM, trailers: {} }
        : { body: '', reset: NGHTTP2_REFUSED_STREAM, trailers: {} },
    );
  });

  it('says that a call is unclear whose gateway ends, and of a stream that it broke', async () => {
    let seen = 0;
    const killed = await gateway((stream, { tenant }) => {
      seen += 1;
      if (tenant !== 'stream') return;
      stream.respond({ ':status': 200, ...CONTENT });
      stream.write('one');
    });
    const { door, port } = await doorTo({ unary: killed.url, stream: killed.url });
    const session = client(port);
    const [unary, stream] = [begin(session, { tenant: 'unary' }), begin(session, { tenant: 'stream' })];
    unary.call.end('x');
    stream.call.end('x');
    await once(stream.call, 'data');
    await expect.poll(() => seen).toBe(2);
    killed.end();
    const { head } = await unary.ended;
    expect(head).toMatchObject({ ':status': 200, 'grpc-status': '14', 'retry-after': '1' });
    expect(head['grpc-message']).toContain('may have been carried out');
    expect((await stream.ended).trailers).toMatchObject({ 'grpc-status': '14' });
    // The connection lives, and so does what comes later.
    door.ownerIs((await gateway(named('again'))).url, 'unary');
    const later = begin(session, { tenant: 'unary' });
    later.call.end();
    expect(String((await later.ended).body)).toBe('again');
  });

  it('lets calls that have not begun wait while another node takes over, and cuts what was at the one before', async () => {
    const before = await gateway((stream) => {
      stream.respond({ ':status': 200, ...CONTENT });
      stream.write('one');
    });
    const { door, port } = await doorTo({ first: before.url });
    const session = client(port);
    const cut = begin(session);
    await once(cut.call, 'data');
    door.ownerIs(undefined, 'first');
    expect((await cut.ended).trailers['grpc-status']).toBe('14');
    const waiting = begin(session);
    waiting.call.end('x');
    // Nobody listens there.
    door.ownerIs('http://127.0.0.1:9', 'first');
    await pause(250);
    door.ownerIs((await gateway(named('next'))).url, 'first');
    const { body, trailers } = await waiting.ended;
    expect(`${body} ${trailers['grpc-status']}`).toBe('next 0');
  });

  it('ends what waits for too long with UNAVAILABLE', async () => {
    const { port } = await doorTo({});
    const { call, ended } = begin(client(port));
    call.end('x');
    const { head } = await ended;
    expect(head).toMatchObject({
      'grpc-status': '14',
      'grpc-message': expect.stringContaining('No node decides'),
    });
  }, 30_000);

  it('refuses names that are not its own, circles, and what names no gateway', async () => {
    const { url } = await gateway(echo);
    const { port } = await doorTo({ first: url });
    const session = client(port);
    const refused = async (metadata: OutgoingHttpHeaders) => {
      const { call, ended } = begin(session, metadata);
      call.end();
      const { head } = await ended;
      return `${head[':status']} ${head['grpc-status']} ${decodeURIComponent(String(head['grpc-message']))}`;
    };
    expect(await refused({ ':authority': 'evil.example' })).toMatch(
      /^200 3 This Host is none of the gateway/,
    );
    const laps = Array<string>(21).fill('2.0 node-2.internal:8080');
    expect(await refused({ via: laps.join() })).toMatch(/^200 14 The nodes of this gateway do not agree/);
    expect(await refused({ tenant: 'none' })).toBe('200 3 No such tenant: 100%.');
    expect(await refused({ ':method': 'GET' })).toMatch(/^405 /);
  });

  it('takes metadata up to its bound alone, and passes all of that', async () => {
    const { url } = await gateway(echo);
    const { port } = await doorTo({ first: url }, { limits: { maxHeaderBytes: 100 * 1024 } });
    const session = client(port, { maxSendHeaderBlockLength: 1024 * 1024 });
    const large = begin(session, { large: 'x'.repeat(60 * 1024) });
    large.call.end();
    expect((await large.ended).trailers['grpc-status']).toBe('0');
    const { port: small } = await doorTo({ first: url });
    const other = client(small);
    const over = begin(other, { large: 'x'.repeat(20 * 1024) });
    over.call.end();
    expect((await over.ended).reset).toBe(NGHTTP2_REFUSED_STREAM);
    const within = begin(other, { large: 'x'.repeat(10 * 1024) });
    within.call.end();
    expect((await within.ended).trailers['grpc-status']).toBe('0');
  });

  it('bounds the calls of a connection as its gateways do', async () => {
    const session = client((await doorTo({})).port);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1_000);
  });

  it('opens more connections to a gateway that takes few calls on each', async () => {
    const few = await gateway(
      (stream) => {
        stream.respond({ ':status': 200, ...CONTENT });
        stream.write('one');
      },
      { maxConcurrentStreams: 2 },
    );
    const session = client((await doorTo({ first: few.url })).port);
    for (let n = 0; n < 5; n += 1) await once(begin(session).call, 'data');
    expect(few.connections()).toBe(3);
  });

  it('asks for a certificate where the operator says who signs them, and takes no connection without', async () => {
    const { url } = await gateway(echo);
    const { port } = await doorTo({ first: url }, { tls: { cert: CERT, key: KEY, clientCa: CERT } });
    const tls = (more: object) => {
      const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...more });
      session.on('error', () => undefined);
      closers.push(() => session.destroy());
      return session;
    };
    const { call, ended } = begin(tls({ cert: CERT, key: KEY }));
    call.end('x');
    const { head, trailers } = await ended;
    expect(trailers['grpc-status']).toBe('0');
    expect(JSON.parse(String(head['seen']))).toMatchObject({ 'x-forwarded-proto': 'https' });
    const stranger = begin(tls({}));
    expect((await stranger.ended).trailers).toEqual({});
  });

  it('says that it serves only while the node is ready, and ends a watch when it leaves', async () => {
    let isReady = false;
    const { port, close } = await doorTo({}, { isReady: () => isReady });
    const session = client(port);
    const health = (method: string) => begin(session, { ':path': `/grpc.health.v1.Health/${method}` });
    const check = async (bytes = Buffer.alloc(5)) => {
      const { call, ended } = health('Check');
      call.end(bytes);
      const { head, body, trailers } = await ended;
      return [...body, trailers['grpc-status'] ?? head['grpc-status']];
    };
    expect(await check()).toEqual([0, 0, 0, 0, 2, 8, 2, '0']);
    const watch = health('Watch');
    watch.call.end(Buffer.alloc(5));
    await once(watch.call, 'data');
    isReady = true;
    expect(await check()).toEqual([0, 0, 0, 0, 2, 8, 1, '0']);
    expect(await check(Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, 0x78]))).toEqual(['5']);
    expect(await check(Buffer.from([1, 0, 0, 0, 0]))).toEqual(['3']);
    expect(await check(Buffer.alloc(20_000))).toEqual(['3']);
    await once(watch.call, 'data');
    await close(1_000);
    const { body, trailers } = await watch.ended;
    expect([...body].filter((_, at) => at % 7 === 6)).toEqual([2, 1]);
    expect(trailers['grpc-status']).toBe('14');
  });

  it('leaves with the answers that are under way, cuts streams, and sends clients elsewhere', async () => {
    let answer: () => void = () => undefined;
    const { url } = await gateway((stream, { tenant }) => {
      const respond = () => {
        stream.respond({ ':status': 200, ...CONTENT }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      };
      if (tenant === 'stream') {
        respond();
        stream.write('one');
        return;
      }
      answer = () => {
        respond();
        stream.end('late');
      };
    });
    const { port, close } = await doorTo({ unary: url, stream: url });
    const session = client(port);
    const leaves = once(session, 'goaway');
    const [unary, stream] = [begin(session, { tenant: 'unary' }), begin(session, { tenant: 'stream' })];
    unary.call.end('x');
    stream.call.end('x');
    await once(stream.call, 'data');
    const closed = close(10_000);
    await leaves;
    expect(session.closed).toBe(true);
    const { trailers } = await stream.ended;
    expect(trailers).toMatchObject({ 'grpc-status': '14' });
    expect(trailers['grpc-message']).toContain('shuts down');
    answer();
    expect(String((await unary.ended).body)).toBe('late');
    await closed;
    const refused = client(port);
    await new Promise((resolve) => refused.on('close', resolve));
  });

  it('leaves a client that calls nothing', async () => {
    const { port } = await doorTo({}, { limits: { requestTimeoutMs: 100 } });
    const idle = client(port);
    await once(idle, 'goaway');
    await expect.poll(() => idle.destroyed).toBe(true);
  });
});
