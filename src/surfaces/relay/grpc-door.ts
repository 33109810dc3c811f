import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import { CALLS_PER_CONNECTION, LATE, PING_TIMEOUT_MS } from '../grpc/bounds.ts';
import type { HealthMethod } from '../grpc/health.ts';
import type { GrpcSettings, GrpcTls } from '../grpc/server.ts';
import type { HttpLimits } from '../http/limits.ts';
import { RELAYED_FOR, type RelayedClients, type Sender } from '../http/relayed-clients.ts';
import type { HostAllowList, TransportSecurity } from '../http/request-checks.ts';
import { LEAVING_MS } from '../http/server.ts';
import type { Timers } from '../timers.ts';
import { Destinations, type Target, unavailable, WAIT_MS } from './destinations.ts';
import {
  framed,
  leaveUnread,
  ofCall,
  readMessage,
  refuse,
  respondWhole,
  statusTrailers,
  trailersOf,
} from './grpc-messages.ts';
import { timesThrough } from './headers.ts';

export interface GrpcDoorDeps {
  clock: Pick<Clock, 'monotonic'>;
  logger: Logger;
  timers: Timers;
  limits: HttpLimits;
  hosts: HostAllowList;
  transport: Pick<TransportSecurity, 'isSecure'>;
  /** Says to gateways where a call came from. Default: they count what comes under this node. */
  clients?: Pick<RelayedClients, 'headerFor'>;
  /** Where the other nodes reach this one, an origin; its host and port are what `Via` calls it. */
  ownUrl: string;
  /** Which of several deciding gateways a call is for; throws a ProtocolError for one that is for none. */
  destinationOf(call: Sender & { url: string }): string;
  /** Whether a gateway is one of this node's own, which takes the names of this node. */
  isOwn(owner: URL): boolean;
  /** What this node answers itself, by its path. */
  health: ReadonlyMap<string, HealthMethod>;
}

/** Mebibytes of one connection: what all its calls may have that its client does not read, and some more. */
const CONNECTION_MEMORY_MB = 128;
/** Names and values that a node adds to a call. */
const OWN_HEADER_BYTES = 1_024;
/** Of calls that are on their way when a connection is to be left. Spec: RFC 9113, section 6.8. */
const LAST_STREAM_ID = 2 ** 31 - 1;
const { NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants;

/** The calls of one connection to a gateway. */
interface Link {
  session: ClientHttp2Session;
  /** Once the gateway has said what it takes; false for one that cannot be reached. */
  isReady: Promise<boolean>;
  calls: number;
}

/**
 * The port of gRPC of a node with several partitions. A connection may carry calls of several tenants, so each call is handed on by itself to
 * the gateway that decides for its partition: its metadata, its messages both ways as fast as they are read, its trailers and its reset. It reads no message
 * but those of health, and believes nobody.
 */
export class GrpcDoor {
  readonly #deps: GrpcDoorDeps;
  readonly #settings: GrpcSettings;
  readonly #own: URL;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #destinations: Destinations;
  /** By what is under way at the owner of a destination. */
  readonly #links = new WeakMap<Target['underWay'], Set<Link>>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Ends what has an answer already and may go on for ever. */
  readonly #streams = new Set<() => void>();

  constructor(settings: GrpcSettings, deps: GrpcDoorDeps) {
    this.#deps = deps;
    this.#settings = { ...settings };
    this.#own = new URL(deps.ownUrl);
    this.#destinations = new Destinations(deps);
    const { limits, logger } = deps;
    const options = {
      settings: { maxConcurrentStreams: CALLS_PER_CONNECTION, maxHeaderListSize: limits.maxHeaderBytes },
      maxSessionMemory: CONNECTION_MEMORY_MB,
    };
    const { tls } = settings;
    this.#server =
      tls === undefined
        ? createServer(options)
        : createSecureServer({
            ...options,
            ...contextOf(tls),
            ...asksFor(tls),
            handshakeTimeout: limits.headersTimeoutMs,
          });
    this.#server.maxConnections = limits.maxConnections;
    this.#server.on('session', (session) => this.#greet(session));
    this.#server.on('sessionError', (error) => logger.debug({ err: error }, 'connection failed'));
    this.#server.on('tlsClientError', (error) => logger.debug({ err: error }, 'connection failed'));
    this.#server.on('stream', (stream, headers) => void this.#take(stream, headers));
  }

  /** Resolves with the port; rejects with the error of the system. */
  async listen(): Promise<number> {
    const { host, port } = this.#settings;
    return await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Says where gRPC is served by the gateway that decides for a destination now, an origin. What is under way at another one is cut. */
  ownerIs(url: string | undefined, name: string): void {
    this.#destinations.ownerIs(url, name);
  }

  /** New connections get this certificate. Nothing for a port without TLS. */
  renewCertificate(tls: GrpcTls | undefined): void {
    if (tls === undefined || !('setSecureContext' in this.#server)) return;
    this.#settings.tls = tls;
    this.#server.setSecureContext(contextOf(tls));
  }

  /**
   * Sends clients elsewhere, cuts the streams, which their clients take up again, and waits for the rest for up to `graceMs`.
   */
  async close(graceMs: number): Promise<void> {
    const { timers } = this.#deps;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions)
      if (!session.destroyed) session.goaway(NGHTTP2_NO_ERROR, LAST_STREAM_ID);
    // As over HTTP, what waits for another node to decide goes on waiting.
    const stopWaiting = timers.after(graceMs, () => this.#destinations.close());
    await new Promise<void>((resolve) => timers.after(Math.min(LEAVING_MS, graceMs), resolve));
    for (const cut of [...this.#streams]) cut();
    for (const session of this.#sessions) session.close();
    const stop = timers.after(graceMs, () => {
      for (const session of this.#sessions) session.destroy();
    });
    await closed;
    stop();
    stopWaiting();
    this.#destinations.cut();
  }

  /** Keeps a connection alive, and ends it when its client has gone or calls nothing. */
  #greet(session: ServerHttp2Session): void {
    const { timers, limits, logger } = this.#deps;
    this.#sessions.add(session);
    let calls = 0;
    let stopIdle = () => {};
    const idle = () => {
      stopIdle = timers.after(limits.requestTimeoutMs, () => session.close());
    };
    idle();
    session.on('stream', (stream) => {
      calls += 1;
      stopIdle();
      stream.on('close', () => {
        calls -= 1;
        if (calls === 0) idle();
      });
    });
    let stopWaiting: (() => void) | undefined;
    const stopPings = timers.every(limits.heartbeatIntervalMs, () => {
      if (stopWaiting !== undefined) return;
      stopWaiting = timers.after(PING_TIMEOUT_MS, () => session.destroy());
      session.ping(() => {
        stopWaiting?.();
        stopWaiting = undefined;
      });
    });
    session.on('error', (error) => logger.debug({ err: error }, 'connection failed'));
    session.on('close', () => {
      this.#sessions.delete(session);
      stopPings();
      stopIdle();
      stopWaiting?.();
    });
  }

  async #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const { logger, hosts, health, destinationOf } = this.#deps;
    stream.on('error', (error) => logger.debug({ err: error }, 'call failed'));
    try {
      if (headers[':method'] !== 'POST') return respondWhole(stream, { ':status': 405, allow: 'POST' });
      const socket = socketOf(stream);
      const host = headers[':authority'] ?? headers.host;
      hosts.check(host, socket);
      const url = headers[':path'] ?? '';
      const method = health.get(url);
      if (method !== undefined) return await this.#answer(stream, method);
      const destination = this.#destinations.named(destinationOf({ url, headers, socket }));
      const laps = timesThrough(headers.via, this.#own.host);
      await this.#destinations.untilOver(destination, stream, laps, (target) =>
        this.#try(target, stream, headers),
      );
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (error.code === 'internal_error') logger.error({ err: thrown }, 'call failed');
      refuse(stream, trailersOf(error));
    }
  }

  async #answer(stream: ServerHttp2Stream, method: HealthMethod): Promise<void> {
    const { timers, limits } = this.#deps;
    const late = trailersOf(new ProtocolError('invalid_request', LATE));
    const stop = timers.after(limits.requestTimeoutMs, () => refuse(stream, late));
    const { remoteAddress, remotePort } = socketOf(stream);
    const request = await readMessage(stream).finally(stop);
    const end = this.#ends(stream);
    await method({
      request,
      peer: `${remoteAddress} ${remotePort}`,
      write: (bytes) => {
        if (stream.destroyed || stream.writableEnded) return;
        if (!stream.headersSent)
          stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.write(framed(bytes));
      },
      end: () => end(statusTrailers(0)),
      fail: ({ code, details }) => end(statusTrailers(code, details)),
      onEnd: (run) => void stream.on('close', run),
    });
  }

  /** What ends a call with these trailers, whatever was answered of it. A node that leaves ends it too, once something was. */
  #ends(stream: ServerHttp2Stream): (trailers: OutgoingHttpHeaders) => void {
    let said: OutgoingHttpHeaders = {};
    const end = (trailers: OutgoingHttpHeaders) => {
      if (stream.destroyed || stream.writableEnded) return;
      if (!stream.headersSent) return refuse(stream, trailers);
      said = trailers;
      stream.end();
    };
    const leave = () => {
      if (stream.headersSent) end(trailersOf(leaving()));
    };
    this.#streams.add(leave);
    stream.on('wantTrailers', () => {
      // A call that is reset has none.
      if (stream.closed) return;
      stream.sendTrailers(said);
      leaveUnread(stream);
    });
    stream.on('close', () => this.#streams.delete(leave));
    return end;
  }

  /** False when it can be tried again. */
  async #try(target: Target, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<boolean> {
    const link = await this.#linkTo(target);
    if (link === undefined) return false;
    if (!stream.destroyed)
      this.#pass(link, stream, link.session.request(this.#passed(headers, target.owner, stream)));
    return true;
  }

  #passed(headers: IncomingHttpHeaders, owner: URL, stream: ServerHttp2Stream): OutgoingHttpHeaders {
    const { transport, clients } = this.#deps;
    const { host, [RELAYED_FOR]: _, ...call } = ofCall(headers);
    const sender = { headers, socket: socketOf(stream) };
    const from = clients?.headerFor(sender);
    const asked = headers[':authority'] ?? String(host);
    const via = `2.0 ${this.#own.host}`;
    return {
      ':method': 'POST',
      ':path': headers[':path'],
      ':authority': this.#isShared(asked, owner) ? asked : owner.host,
      ...call,
      te: 'trailers',
      via: call['via'] === undefined ? via : `${call['via']}, ${via}`,
      // Of who asked this node; the owner believes it of the nodes that its operator trusts.
      'x-forwarded-proto': transport.isSecure(sender) ? 'https' : 'http',
      ...(from === undefined ? {} : { [RELAYED_FOR]: from }),
    };
  }

  /** Whether the owner takes this host too: the name of this node another one does not. */
  #isShared(host: string, owner: URL): boolean {
    if (host === `${this.#own.hostname}:${this.#settings.port}`) return this.#deps.isOwn(owner);
    return this.#deps.hosts.isNamed(host);
  }

  #pass(link: Link, stream: ServerHttp2Stream, upstream: ClientHttp2Stream): void {
    link.calls += 1;
    const { session } = link;
    const end = this.#ends(stream);
    let trailers: OutgoingHttpHeaders | undefined;
    upstream.on('error', (error) => this.#deps.logger.debug({ err: error }, 'call failed'));
    upstream.on('response', (answer, flags) => {
      if (stream.destroyed || stream.headersSent) return;
      const head = { ':status': answer[':status'], ...ofCall(answer) };
      if ((flags & NGHTTP2_FLAG_END_STREAM) !== 0) return respondWhole(stream, head);
      stream.respond(head, { waitForTrailers: true });
      upstream.pipe(stream, { end: false });
    });
    const passOn = () => {
      if (trailers !== undefined && upstream.readableEnded) end(trailers);
    };
    upstream.on('trailers', (said) => {
      trailers = ofCall(said);
      passOn();
    });
    upstream.on('end', passOn);
    upstream.on('close', () => {
      link.calls -= 1;
      const isReset =
        upstream.rstCode !== NGHTTP2_NO_ERROR && !session.destroyed && !session.socket.destroyed;
      if (isReset && trailers === undefined) stream.close(upstream.rstCode);
      else end(trailers ?? trailersOf(lost()));
    });
    stream.pipe(upstream);
    stream.on('close', () => {
      upstream.close(stream.rstCode);
      // What nobody reads any more would keep it open.
      upstream.resume();
    });
  }

  /** A connection to the owner that takes one more call; undefined where it cannot be reached. */
  async #linkTo({ owner, underWay }: Target): Promise<Link | undefined> {
    const links = this.#links.get(underWay) ?? new Set();
    this.#links.set(underWay, links);
    const open = [...links].find(takesMore) ?? this.#connect(owner, underWay, links);
    return (await open.isReady) && takesMore(open) ? open : undefined;
  }

  #connect(owner: URL, underWay: Target['underWay'], links: Set<Link>): Link {
    const { limits, logger, timers } = this.#deps;
    const { tls } = this.#settings;
    const session = connect(owner, {
      maxSendHeaderBlockLength: limits.maxHeaderBytes + OWN_HEADER_BYTES,
      // To nodes that want a certificate of everybody.
      ...(owner.protocol === 'https:' && tls?.clientCa !== undefined ? { cert: tls.cert, key: tls.key } : {}),
    });
    underWay.add(session);
    const stop = timers.after(WAIT_MS, () => session.destroy());
    session.on('error', (error) => logger.debug({ err: error, owner: owner.host }, 'connection failed'));
    const isReady = new Promise<boolean>((resolve) => {
      session.once('remoteSettings', () => resolve(true));
      session.once('close', () => resolve(false));
    });
    const link: Link = { session, isReady, calls: 0 };
    links.add(link);
    void isReady.then(stop);
    session.on('close', () => {
      underWay.delete(session);
      links.delete(link);
    });
    return link;
  }
}

function takesMore({ session, calls }: Link): boolean {
  const { maxConcurrentStreams = CALLS_PER_CONNECTION } = session.remoteSettings;
  return !session.closed && !session.destroyed && calls < maxConcurrentStreams;
}

/** A session gives a stand-in for its socket, which has what is asked for here. */
function socketOf(stream: ServerHttp2Stream): Socket {
  return stream.session?.socket as Socket;
}

function contextOf({ cert, key, clientCa }: GrpcTls) {
  return { cert, key, ...(clientCa === undefined ? {} : { ca: clientCa }) };
}

/** Who signed a certificate matters where the operator names who has to have; an access token names the very one. */
function asksFor({ clientCa, requestsCertificate = false }: GrpcTls) {
  return {
    requestCert: clientCa !== undefined || requestsCertificate,
    rejectUnauthorized: clientCa !== undefined,
  };
}

function lost(): ProtocolError {
  return unavailable(
    'The gateway that decides ended before it answered, so this may have been carried out. Look before you send it again.',
  );
}

function leaving(): ProtocolError {
  return unavailable('This node shuts down. Take the stream up again, at another one.');
}
