import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CallHead, Gateway } from '../../gateway.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { operation } from '../../protocol/operations.ts';
import type { Clock, Logger } from '../../protocol/ports.ts';
import { OPEN_SOCKET, WS_SUBPROTOCOL } from '../../protocol/ws-frames.ts';
import type { HostAllowList } from '../http/host-allow-list.ts';
import { writeRefusal } from '../http/parse-failure.ts';
import { checkHeaders, checkTarget } from '../http/request-checks.ts';
import type { TransportSecurity } from '../http/transport-security.ts';
import { callShape } from '../rest/decode-call.ts';
import { decodeQuery } from '../rest/query.ts';
import type { Timers } from '../timers.ts';
import { checkHandshake, checkOrigin, readCredentials, refuseQueryCredentials } from './handshake.ts';
import { WS_LIMITS } from './limits.ts';
import { serveAsPlainRequest, wantsWebSocket } from './plain-request.ts';
import { type SessionDeps, SocketSession } from './socket-session.ts';
import { type UpgradeTarget, upgradeTarget } from './stream-paths.ts';
import { EventTexts } from './wire-text.ts';

export interface WebSocketsDeps {
  gateway: Gateway;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  newRequestId(): string;
  isDraining(): boolean;
  hosts: HostAllowList;
  transport: TransportSecurity;
  allowedOrigins: ReadonlySet<string>;
  limits: { maxHeaders: number; maxStreams: number; streamBufferBytes: number; heartbeatIntervalMs: number };
}

/** An upgrade that passed all checks. */
interface Admitted {
  target: UpgradeTarget;
  head: CallHead;
}

/** One look over all sockets per second: a timer per socket would cost more than the sockets do. */
const TICK_MS = 1_000;

const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  // Compression costs memory per socket and lets small frames grow into large ones.
  perMessageDeflate: false,
  maxPayload: WS_LIMITS.maxMessageBytes,
  maxFragments: WS_LIMITS.maxFragments,
  maxBufferedChunks: WS_LIMITS.maxBufferedChunks,
  closeTimeout: WS_LIMITS.closeTimeoutMs,
  // The frame budget is reached first, so that a flood of pings learns why it is closed.
  maxPendingAutoPongs: WS_LIMITS.frameBurst + 1,
  /** The subprotocol that carries a credential is never echoed. */
  handleProtocols: (offered: Set<string>) => (offered.has(WS_SUBPROTOCOL) ? WS_SUBPROTOCOL : false),
} as const;

/** A refused client is told which version of RFC 6455 is spoken here (section 4.4). */
const SPOKEN_VERSION = ['Sec-WebSocket-Version', '13'];

/** All WebSockets of the gateway: takes upgrades on every stream path and on `/v1/ws`. Source: contract C10. */
export class WebSockets {
  readonly #deps: WebSocketsDeps;
  readonly #session: SessionDeps;
  readonly #server = new WebSocketServer(SERVER_OPTIONS);
  readonly #open = new Set<SocketSession>();
  #stopTicking: (() => void) | undefined;

  constructor(deps: WebSocketsDeps) {
    this.#deps = deps;
    this.#session = { ...deps, limits: { ...WS_LIMITS, ...deps.limits }, texts: new EventTexts() };
  }

  get size(): number {
    return this.#open.size;
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
    for (const session of this.#open) session.drain();
    this.#deps.timers.after(graceMs, () => {
      for (const { connection } of this.#open) connection.terminate();
    });
  }

  /** Refusals are HTTP answers with the error envelope: the socket is not open yet. */
  async #take(req: IncomingMessage, head: Buffer): Promise<void> {
    const requestId = this.#deps.newRequestId();
    try {
      await this.#follow(this.#admit(req, requestId), req, head);
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (error.status >= 500)
        this.#deps.logger.error({ request_id: requestId, err: error.cause ?? error }, 'upgrade failed');
      writeRefusal(this.#deps, error, req.socket, requestId, SPOKEN_VERSION);
    }
  }

  async #follow({ target, head: call }: Admitted, req: IncomingMessage, head: Buffer): Promise<void> {
    const { id, path } = target;
    const session = this.#sessionOf(target, call, req.socket, () => this.#accept(req, head));
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

  /** The checks of every request, then those of the caller, then those of the handshake (order of contract C22). */
  #admit(req: IncomingMessage, requestId: string): Admitted {
    const { hosts, transport, allowedOrigins, limits, gateway } = this.#deps;
    const url = req.url ?? '';
    checkHeaders(req, limits.maxHeaders);
    hosts.check(req.headers.host, req.socket);
    checkTarget(url);
    transport.check(req);
    checkOrigin(req, allowedOrigins);
    const target = upgradeTarget(url);
    if (target === undefined)
      throw new ProtocolError('resource_not_found', 'No WebSocket here. Use /v1/ws or the path of a stream.');
    const head = callHead(req, target, requestId);
    gateway.admit(target.id, head);
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
    socket: Socket,
    accept: () => WebSocket | undefined,
  ): SocketSession {
    const { clock, logger, timers } = this.#deps;
    const { requestId, authorization, protocolVersion, traceparent } = call;
    const startedMs = clock.monotonic();
    const facts = { authorization, protocolVersion, traceparent, isSingle: id !== OPEN_SOCKET };
    const session = new SocketSession(this.#session, facts, { socket, accept }, (code) => {
      this.#remove(session);
      const fields = { request_id: requestId, route, status: 101, close_code: code };
      logger.info({ ...fields, duration_ms: Math.round(clock.monotonic() - startedMs) }, 'socket closed');
    });
    this.#open.add(session);
    this.#stopTicking ??= timers.every(TICK_MS, () => this.#tick());
    return session;
  }
  #accept(req: IncomingMessage, head: Buffer): WebSocket | undefined {
    let accepted: WebSocket | undefined;
    // Nothing in it waits, so the socket is there when it returns, or never.
    this.#server.handleUpgrade(req, req.socket, head, (ws) => {
      accepted = ws;
    });
    return accepted;
  }

  #remove(session: SocketSession): void {
    this.#open.delete(session);
    if (this.#open.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(): void {
    const now = this.#deps.clock.monotonic();
    for (const session of this.#open) session.tick(now);
  }
}

const NEVER = new AbortController().signal;

function callHead(req: IncomingMessage, { id, path }: UpgradeTarget, requestId: string): CallHead {
  const { headers, url = '' } = req;
  return {
    requestId,
    ...readCredentials(req),
    path,
    query: decodeQuery(url, callShape(operation(id)).singleParams),
    idempotencyKey: undefined,
    lastEventId: single(headers['last-event-id']),
    traceparent: single(headers['traceparent']),
    signal: NEVER,
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
