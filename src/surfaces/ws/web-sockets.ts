import type { IncomingMessage, Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AdmittedCaller, CallHead, Gateway, Metering } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import { traceFields } from '#protocol/trace-context.ts';
import { refuseKey, VERSIONS } from '#protocol/versions.ts';
import type { ServerSocket } from '#protocol-server.ts';
import { operation } from '#resources/operations.ts';
import type { FailedLogins, SenderProofs } from '#surfaces/http/request-checks.ts';
import type { Challenges } from '../http/challenges.ts';
import type { BrowserRules } from '../http/cors.ts';
import { writeRefusal } from '../http/parse-failure.ts';
import {
  checkHeaders,
  checkTarget,
  type HostAllowList,
  type TransportSecurity,
} from '../http/request-checks.ts';
import { callShape, decodeQuery } from '../rest/decode-call.ts';
import { ServerSocketSession } from '../servers/socket-session.ts';
import type { Timers } from '../timers.ts';
import { OPEN_SOCKET } from './frames.ts';
import {
  checkHandshake,
  checkOrigin,
  chooseSubprotocol,
  readCredentials,
  refuseQueryCredentials,
} from './handshake.ts';
import { WS_LIMITS } from './limits.ts';
import { serveAsPlainRequest, wantsWebSocket } from './plain-request.ts';
import { type SessionDeps, SocketSession } from './socket-session.ts';
import { type UpgradeTarget, upgradeTarget } from './stream-paths.ts';
import { EventTexts } from './wire.ts';

export interface WebSocketsDeps {
  gateway: Gateway;
  metering: Metering;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  json: JsonReader;
  newRequestId(): string;
  isDraining(): boolean;
  hosts: HostAllowList;
  transport: TransportSecurity;
  browsers: Pick<BrowserRules, 'origins'>;
  failedLogins: FailedLogins;
  challenges: Challenges;
  proofs: SenderProofs;
  /** Sockets of other protocols. */
  serverSockets: readonly ServerSocket[];
  limits: { maxHeaders: number; maxStreams: number; streamBufferBytes: number; heartbeatIntervalMs: number };
}

/** An upgrade that passed all checks. */
interface Admitted {
  target: UpgradeTarget | ServerSocket;
  head: CallHead;
}

/** What the surface does with every open socket, whatever is spoken on it. */
interface OpenSocket {
  tick(nowMs: number): void;
  /** The credential that opened it was revoked, or expired. */
  credentialEnded(error: ProtocolError): void;
  drain(): void;
  terminate(): void;
}

/** One look over all sockets per second: a timer per socket would cost more than the sockets do. */
const TICK_MS = 1_000;

const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  // Compression costs memory per socket and lets small frames grow into large ones.
  perMessageDeflate: false,
  closeTimeout: WS_LIMITS.closeTimeoutMs,
  // The frame budget is reached first, so that a flood of pings learns why it is closed.
  maxPendingAutoPongs: WS_LIMITS.frameBurst + 1,
} as const;

/** A refused client learns which version of RFC 6455 is spoken here (section 4.4). */
const SPOKEN_VERSION = ['Sec-WebSocket-Version', '13'];

/** All WebSockets of the gateway: takes upgrades on every stream path and on `/v1/ws`. See README.md. */
export class WebSockets {
  readonly #deps: WebSocketsDeps;
  readonly #session: SessionDeps;
  readonly #server = serverOf(chooseSubprotocol, WS_LIMITS.maxMessageBytes);
  /** By path: a protocol server has subprotocols and sizes of its own. */
  readonly #protocolServers: ReadonlyMap<string, { socket: ServerSocket; server: WebSocketServer }>;
  /** With what ends the watch over its credential. */
  readonly #open = new Map<OpenSocket, () => void>();
  #stopTicking: (() => void) | undefined;
  #overflows = 0;

  constructor(deps: WebSocketsDeps) {
    this.#deps = deps;
    this.#session = {
      ...deps,
      limits: { ...WS_LIMITS, ...deps.limits },
      texts: new EventTexts(),
      onOverflow: () => {
        this.#overflows += 1;
      },
    };
    this.#protocolServers = new Map(
      deps.serverSockets.map((socket) => {
        const server = serverOf(firstOf(socket.subprotocols), socket.maxMessageBytes);
        return [socket.path, { socket, server }] as const;
      }),
    );
  }

  get size(): number {
    return this.#open.size;
  }

  /** Sockets that were cut because their client did not keep up. */
  get overflows(): number {
    return this.#overflows;
  }

  listenOn(server: Server): void {
    server.on('upgrade', (req, socket, head) => {
      if (!wantsWebSocket(req)) {
        serveAsPlainRequest(server, req, head);
        return;
      }
      // Until the upgrade is complete nobody else listens, and a connection that breaks must not end the process.
      socket.on('error', (error) => this.#deps.logger.debug({ err: error }, 'socket failed'));
      void this.#take(req, head);
    });
  }

  /** Ends every socket for a shutdown; what does not close within `graceMs` is cut. */
  drain(graceMs: number): void {
    if (this.#open.size === 0) return;
    for (const session of this.#open.keys()) session.drain();
    this.#deps.timers.after(graceMs, () => {
      for (const socket of this.#open.keys()) socket.terminate();
    });
  }

  /** Refusals are HTTP answers with the error envelope: the socket is not open yet. */
  async #take(req: IncomingMessage, head: Buffer): Promise<void> {
    const requestId = this.#deps.newRequestId();
    try {
      await this.#follow(await this.#admit(req, requestId), req, head);
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (error.status === 401) this.#deps.failedLogins.failed(req);
      if (error.status >= 500)
        this.#deps.logger.error(
          {
            request_id: requestId,
            ...traceFields(req.headers['traceparent']),
            err: error.cause ?? error,
          },
          'upgrade failed',
        );
      writeRefusal(this.#deps, error, req.socket, requestId, SPOKEN_VERSION);
    }
  }

  async #follow({ target, head: call }: Admitted, req: IncomingMessage, head: Buffer): Promise<void> {
    if ('open' in target) {
      this.#openServerFor(target, call, req, head);
      return;
    }
    const { id, path } = target;
    const session = this.#sessionOf(target, call, req, head);
    if (id === OPEN_SOCKET) {
      session.connection.open();
      return;
    }
    const stream = { stream: id, path, query: call.query, cursor: call.lastEventId };
    try {
      await session.follow(stream, call.requestId);
    } catch (error) {
      this.#remove(session);
      throw error;
    }
  }

  /** The checks of every request, then those of the caller, then those of the handshake (src/core/README.md, Order of a call). */
  async #admit(req: IncomingMessage, requestId: string): Promise<Admitted> {
    const { hosts, transport, browsers, limits, gateway, failedLogins, proofs } = this.#deps;
    const url = req.url ?? '';
    checkHeaders(req, limits.maxHeaders);
    hosts.check(req.headers.host, req.socket);
    checkTarget(url);
    transport.check(req);
    checkOrigin(req, browsers.origins, transport.isSecure(req));
    const target = this.#protocolServers.get(url.split('?', 1)[0] ?? '')?.socket ?? upgradeTarget(url);
    if (target === undefined)
      throw new ProtocolError('resource_not_found', 'No WebSocket here. Use /v1/ws or the path of a stream.');
    const { authorization, protocolVersion } = readCredentials(req);
    const credential = { authorization, proof: proofs.of(req) };
    await gateway.recognize(credential);
    failedLogins.check(req, credential);
    const caller = gateway.enter(credential, 'open' in target ? 'exempt' : protocolVersion);
    const { refused } = this.#deps.metering.meter?.take(caller) ?? {};
    if (refused !== undefined) throw refused;
    const head = callHead(req, target, requestId, caller);
    gateway.admit('open' in target ? target.operation : target.id, head);
    if ('id' in target) refuseKey(VERSIONS.get(protocolVersion ?? ''), req.headers['idempotency-key']);
    refuseQueryCredentials(url);
    checkHandshake(req);
    this.#refuseExcess();
    return { target, head };
  }

  #refuseExcess(): void {
    if (!this.#deps.isDraining() && this.#open.size < this.#deps.limits.maxStreams) return;
    throw new ProtocolError('service_unavailable', 'The gateway takes no more sockets. Try again later.', {
      retryAfterSeconds: 5,
    });
  }

  #sessionOf(
    { id, route }: UpgradeTarget,
    call: CallHead,
    req: IncomingMessage,
    head: Buffer,
  ): SocketSession {
    const { caller, traceparent } = call;
    const facts = { caller, traceparent, isSingle: id !== OPEN_SOCKET, connectionId: call.requestId };
    const beginning = { socket: req.socket, accept: () => accept(this.#server, req, head) };
    const log = this.#logClose(route, call);
    const session = new SocketSession(this.#session, facts, beginning, (code) => {
      this.#remove(session);
      log(code);
    });
    this.#add(session, call);
    return session;
  }

  #openServerFor(socket: ServerSocket, call: CallHead, req: IncomingMessage, head: Buffer): void {
    const server = this.#protocolServers.get(socket.path)?.server ?? this.#server;
    const beginning = { socket: req.socket, accept: () => accept(server, req, head) };
    const log = this.#logClose(socket.path, call);
    const facts = { head: call, headers: req.headers };
    const session = new ServerSocketSession(this.#session, facts, beginning, (code) => {
      this.#remove(session);
      log(code);
    });
    this.#add(session, call);
    session.open(socket);
  }

  #logClose(route: string, { requestId, traceparent }: CallHead): (closeCode: number) => void {
    const { clock, logger } = this.#deps;
    const startedMs = clock.monotonic();
    return (code) => {
      const trace = traceFields(traceparent);
      const fields = { request_id: requestId, ...trace, route, status: 101, close_code: code };
      logger.info({ ...fields, duration_ms: Math.round(clock.monotonic() - startedMs) }, 'socket closed');
    };
  }

  #add(session: OpenSocket, { caller }: CallHead): void {
    this.#open.set(
      session,
      this.#deps.gateway.watch(caller, (error) => session.credentialEnded(error)),
    );
    this.#stopTicking ??= this.#deps.timers.every(TICK_MS, () => this.#tick());
  }

  #remove(session: OpenSocket): void {
    this.#open.get(session)?.();
    this.#open.delete(session);
    if (this.#open.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(): void {
    const now = this.#deps.clock.monotonic();
    for (const session of this.#open.keys()) session.tick(now);
  }
}

/** Selects one of the subprotocols that a client offers, or none. */
type ChooseSubprotocol = (offered: Set<string>) => string | false;

function firstOf(subprotocols: readonly string[]): ChooseSubprotocol {
  return (offered) => subprotocols.find((name) => offered.has(name)) ?? false;
}

/** A server of handshakes. The subprotocol that carries a credential is never echoed. */
function serverOf(handleProtocols: ChooseSubprotocol, maxPayload: number): WebSocketServer {
  // A message that may be larger comes in more pieces, each as large as those of our own.
  const times = Math.ceil(maxPayload / WS_LIMITS.maxMessageBytes);
  const maxFragments = times * WS_LIMITS.maxFragments;
  const maxBufferedChunks = times * WS_LIMITS.maxBufferedChunks;
  return new WebSocketServer({
    ...SERVER_OPTIONS,
    maxPayload,
    maxFragments,
    maxBufferedChunks,
    handleProtocols,
  });
}

function accept(server: WebSocketServer, req: IncomingMessage, head: Buffer): WebSocket | undefined {
  let accepted: WebSocket | undefined;
  // Nothing in it waits, so the socket is there when it returns, or never.
  server.handleUpgrade(req, req.socket, head, (ws) => {
    accepted = ws;
  });
  return accepted;
}

const NEVER = new AbortController().signal;

function callHead(
  req: IncomingMessage,
  target: UpgradeTarget | ServerSocket,
  requestId: string,
  caller: AdmittedCaller,
): CallHead {
  const { headers, url = '' } = req;
  const isFace = 'open' in target;
  return {
    requestId,
    caller,
    path: isFace ? {} : target.path,
    query: decodeQuery(url, isFace ? new Set() : callShape(operation(target.id)).singleParams),
    idempotencyKey: undefined,
    lastEventId: single(headers['last-event-id']),
    traceparent: single(headers['traceparent']),
    signal: NEVER,
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
