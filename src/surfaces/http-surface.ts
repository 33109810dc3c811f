import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Middleware } from 'koa';
import Koa from 'koa';
import type { AdmittedCaller, Gateway, Metering, TracedRequest } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import type { Spool } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import type { ProtocolServer } from '#protocol-server.ts';
import { addConsoleRoutes, type ConsoleDeps } from './discovery/console.ts';
import { addDocsRoutes } from './discovery/docs.ts';
import { type DocumentDeps, Documents } from './discovery/documents.ts';
import type { GrpcServer, GrpcSettings } from './grpc/server.ts';
import { challengesOf } from './http/challenges.ts';
import { applyCors, BrowserRules } from './http/cors.ts';
import {
  Exchange,
  type ExchangeDeps,
  errorHeaders,
  type HttpState,
  type RefusePath,
  send,
  sendError,
} from './http/exchange.ts';
import type { HttpLimits } from './http/limits.ts';
import { RelayedClients } from './http/relayed-clients.ts';
import {
  checkExpectation,
  checkHeaders,
  checkTarget,
  FailedLogins,
  HostAllowList,
  SenderProofs,
  TransportSecurity,
} from './http/request-checks.ts';
import {
  LEAVING_MS,
  listen,
  type OpenDoor,
  openServer,
  type TlsSettings,
  takeRequests,
  urlOf,
} from './http/server.ts';
import { addRoute, operationRoutes, READ } from './rest/routes.ts';
import { addServerRoutes, refusePath } from './servers/routes.ts';
import { EventStreams } from './sse/event-streams.ts';
import type { Timers } from './timers.ts';
import { WebSockets } from './ws/web-sockets.ts';

export interface HttpSurfaceDeps {
  /** Of REST and event streams. */
  gateway: Gateway;
  /** Of WebSockets. Default: the same. */
  socketGateway?: Gateway;
  /** What bounds callers. */
  metering: Metering;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  /** Fresh request id, `req_<ULID>`. */
  newRequestId(): string;
  /** Follows a request for its trace. Default: none is followed. */
  traceRequest?: (() => TracedRequest) | undefined;
  limits: HttpLimits;
  /** Where large bodies lie until they are answered. */
  spool: Spool;
  /** Reads the JSON of every client. */
  json: JsonReader;
  /** Facts of the self-describing documents; `publicUrl` is the configured one, else the address listened on. */
  documents: Omit<DocumentDeps, 'publicUrl'>;
  /** Folder of the built page at `/docs`. */
  docs: string;
  /** Undefined: `/console` is 404. */
  console: ConsoleDeps | undefined;
  /** Undefined: `/metrics` is 404. */
  metrics: MetricsSource | undefined;
  /** Makes the servers of other protocols; `publicUrl` as of each call, since a free port is known only after listening. */
  createServers(publicUrl: () => string): readonly ProtocolServer[];
  server: {
    /** Origin that clients use, without a trailing slash; undefined: the address listened on. */
    publicUrl?: string;
    /** Absent for plain HTTP. */
    tls?: TlsSettings;
    /** Listens already, and is left when this surface begins to listen. Default: a server of its own. */
    door?: OpenDoor;
    /** Others serve when this one ends, so it closes its connections between two requests. Default: where there is a `door`. */
    leavesOthers?: boolean;
    /** `Host` values accepted besides the own address and `publicUrl`. */
    allowedHosts: readonly string[];
    /** Origins of browser pages that may call. */
    allowedOrigins: readonly string[];
    /** Addresses or ranges whose `X-Forwarded-Proto` is believed. */
    trustedProxies: readonly string[];
    /** Shared by the nodes of a log, which are believed where a request comes from. Default: nobody is. */
    relaySecret?: () => string | undefined;
    /** Refuse plain HTTP from anywhere but loopback; config decides when. */
    requireTls: boolean;
    /** The port of gRPC; absent: gRPC is not served, and nothing of it is loaded. */
    grpc?: GrpcSettings;
  };
}

export interface HttpSurface {
  /** The Node server, for protocol servers that take upgrades on the same port. */
  readonly server: Server;
  /** Open event streams and WebSockets, for metrics. */
  openStreams(): number;
  /** Streams and sockets that were cut since the start because their client did not keep up, for metrics. */
  overflows(): Readonly<Record<'sse' | 'ws' | 'grpc', number>>;
  /** Where gRPC is served, `host:port`; undefined where it is not, or not yet. */
  grpcAddress(): string | undefined;
  /** The port that gRPC listens on; undefined where it is not served, or not yet. */
  grpcPort(): number | undefined;
  /** New connections get this certificate; those that are open go on. Nothing for plain HTTP. Throws for no usable pair. */
  renewCertificate(pair: Pick<TlsSettings, 'cert' | 'key'>): void;
  /** Ends what protocol servers run beside the Tasks on what an operator has halted. */
  endHalted(): Promise<void>;
  /** Listens and returns the URL of clients and the bound port; rejects with the system error. */
  listen(host: string, port: number): Promise<{ url: string; port: number }>;
  /**
   * Stops accepting, ends streams with the reason `draining`, and waits for answers under way up to `graceMs`, then cuts
   * what is left. True when nothing was cut. A second call waits for the same end.
   */
  close(options: { graceMs: number }): Promise<boolean>;
}

/** REST, SSE, WebSocket, discovery, metrics and the protocol servers of bridges on one HTTP server, over the gateway port. */
export function createHttpSurface(deps: HttpSurfaceDeps): HttpSurface {
  let publicUrl = deps.server.publicUrl ?? '';
  let closing: Promise<boolean> | undefined;
  let grpc: GrpcServer | undefined;
  let grpcAddress: string | undefined;
  let grpcPort: number | undefined;
  const streams = new EventStreams(deps);
  const documents = new Documents({ ...deps.documents, publicUrl: () => publicUrl });
  const protocolServers = deps.createServers(() => publicUrl);
  const bounds = edgeDeps(
    deps,
    protocolServers,
    () => publicUrl,
    () => closing !== undefined,
  );
  const app = createApp(deps, bounds, documents, streams, protocolServers);
  const { door, leavesOthers = door !== undefined } = deps.server;
  const server = door?.server ?? openServer({ ...deps, ...tlsOf(deps) });
  const sockets = new WebSockets({
    ...deps,
    ...bounds,
    gateway: deps.socketGateway ?? deps.gateway,
    serverSockets: protocolServers.flatMap((each) => each.sockets ?? []),
  });
  return {
    server,
    openStreams: () => streams.size + sockets.size,
    async endHalted() {
      await Promise.all(protocolServers.map((each) => each.endHalted?.()));
    },
    overflows: () => ({ sse: streams.overflows, ws: sockets.overflows, grpc: grpc?.overflows ?? 0 }),
    grpcAddress: () => grpcAddress,
    grpcPort: () => grpcPort,
    renewCertificate(pair) {
      grpc?.renewCertificate(pair);
      if (server instanceof TlsServer) server.setSecureContext(pair);
    },
    async listen(host, port) {
      door?.leave();
      takeRequests(server, { ...deps, ...bounds, listener: app.callback() });
      sockets.listenOn(server);
      const address = await listen(server, host, port);
      const url = urlOf(host, address, deps.server.tls !== undefined);
      if (publicUrl === '') publicUrl = url;
      if (deps.server.grpc !== undefined) {
        const { publicAddress } = deps.server.grpc;
        grpc = await openGrpc(deps.server.grpc, protocolServers, { ...deps, ...bounds, streams });
        grpcPort = await grpc.listen();
        grpcAddress = publicAddress ?? `${hostOf(publicUrl)}:${grpcPort}`;
        // Clients send the address of the card as the authority of their calls.
        bounds.hosts.add(grpcAddress);
      }
      return { url, port: address.port };
    },
    close({ graceMs }) {
      const leavingMs = leavesOthers ? Math.min(LEAVING_MS, graceMs) : 0;
      const endStreams = () => {
        for (const each of protocolServers) each.drain?.();
        streams.drain();
        sockets.drain(graceMs);
      };
      closing ??= Promise.all([
        drainServer(server, deps.timers, { graceMs, leavingMs, onLeft: endStreams }),
        grpc?.close(graceMs) ?? true,
      ]).then((clean) => closeServers(protocolServers, !clean.includes(false)));
      endStreams();
      return closing;
    },
  };
}

function createApp(
  deps: HttpSurfaceDeps,
  bounds: EdgeDeps,
  documents: Documents,
  streams: EventStreams,
  protocolServers: readonly ProtocolServer[],
): Koa {
  const { limits, logger, json } = deps;
  const app = new Koa<HttpState>();
  // Koa would print errors of its own; all of ours are caught at the edge.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'connection failed'));
  const routes = operationRoutes({
    gateway: deps.gateway,
    documents,
    streams,
    limits,
    spool: deps.spool,
    json,
  });
  const { metrics } = deps;
  if (metrics) addRoute(routes, READ, '/metrics', (exchange) => answerMetrics(metrics, exchange));
  addDocsRoutes(routes, deps.docs);
  if (deps.console) addConsoleRoutes(routes, deps.console, json);
  addServerRoutes(routes, protocolServers, { limits, streams, json });
  const refuse = refusePath(protocolServers, { limits, streams, json });
  app.use(edge(bounds, refuse));
  app.use(routes.routes());
  app.use(notFound(refuse));
  return app as unknown as Koa;
}

/** What every request and every upgrade is checked against. */
function edgeDeps(
  deps: HttpSurfaceDeps,
  protocolServers: readonly ProtocolServer[],
  publicUrl: () => string,
  isDraining: () => boolean,
): EdgeDeps {
  const { server, limits } = deps;
  const { issuers, dpopAlgorithms } = deps.documents.resource;
  const transport = new TransportSecurity(server.trustedProxies, server.requireTls);
  const clients = new RelayedClients(server.relaySecret ?? (() => undefined));
  return {
    ...deps,
    isDraining,
    challenges: challengesOf(publicUrl, issuers.length > 0 ? dpopAlgorithms : []),
    proofs: new SenderProofs(transport, publicUrl, clients),
    failedLogins: new FailedLogins({
      clock: deps.clock,
      limit: limits.failedLoginsPerMinute,
      knows: (credential) => deps.gateway.knows(credential),
      clients,
    }),
    hosts: new HostAllowList(server.allowedHosts, server.publicUrl),
    transport,
    browsers: new BrowserRules(
      server.allowedOrigins,
      protocolServers.flatMap((each) => each.browserHeaders ?? []),
    ),
    maxHeaders: limits.maxHeaders,
  };
}

/** Loaded where it is asked for only. */
async function openGrpc(
  settings: GrpcSettings,
  protocolServers: readonly ProtocolServer[],
  deps: HttpSurfaceDeps & EdgeDeps & { streams: EventStreams },
): Promise<GrpcServer> {
  const { GrpcServer } = await import('./grpc/server.ts');
  const services = await Promise.all(protocolServers.map((each) => each.grpc?.() ?? []));
  return new GrpcServer(services.flat(), settings, {
    ...deps,
    isReady: () => !deps.isDraining() && deps.documents.readiness().ok,
  });
}

/** Clients use the name that they know the gateway by. */
function hostOf(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}

async function closeServers(protocolServers: readonly ProtocolServer[], clean: boolean): Promise<boolean> {
  await Promise.all(protocolServers.map((each) => each.close?.()));
  return clean;
}

function tlsOf({ server }: HttpSurfaceDeps): { tls?: TlsSettings } {
  return server.tls === undefined ? {} : { tls: server.tls };
}

interface EdgeDeps extends ExchangeDeps {
  hosts: HostAllowList;
  transport: TransportSecurity;
  browsers: BrowserRules;
  maxHeaders: number;
}

/**
 * First step of every request: checks what no operation needs to know about, and is the one place where errors become
 * answers. Answers are written to the raw response, so Koa must not answer too.
 */
function edge(deps: EdgeDeps, refuse: RefusePath): Middleware<HttpState> {
  return async (ctx, next) => {
    ctx.respond = false;
    const exchange = new Exchange(ctx.req, ctx.res, deps);
    ctx.state.exchange = exchange;
    try {
      if (!admit(exchange, deps)) return;
      await deps.gateway.recognize(exchange.credential);
      deps.failedLogins.check(ctx.req, exchange.credential);
      await next();
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      const [path = ''] = (ctx.req.url ?? '').split('?');
      const isAnswered =
        !ctx.res.headersSent && refuse(exchange, path, error, errorHeaders(error, deps.challenges));
      if (!isAnswered) sendError(exchange, error);
    }
  };
}

/** False when the request is answered already. */
function admit(exchange: Exchange, deps: EdgeDeps): boolean {
  const { req } = exchange;
  checkHeaders(req, deps.maxHeaders);
  deps.hosts.check(req.headers.host, req.socket);
  checkTarget(req.url ?? '');
  checkExpectation(req);
  deps.transport.check(req);
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] === undefined) return true;
  return !applyCors(exchange, deps.browsers, deps.transport.isSecure(req));
}

interface MatchedContext {
  matched?: { methods: string[] }[];
}

/** Last step: no route took the request. A known path names its methods. Spec: RFC 9110, section 15.5.6. */
function notFound(refuse: RefusePath): Middleware<HttpState> {
  return async (ctx) => {
    const { exchange } = ctx.state;
    const methods = new Set(((ctx as MatchedContext).matched ?? []).flatMap((layer) => layer.methods));
    const error =
      methods.size === 0
        ? new ProtocolError('resource_not_found', 'No such path. GET /openapi.json lists the paths.')
        : new ProtocolError(
            'resource_not_found',
            `Use one of the methods of this path: ${[...methods].join(', ')}.`,
          );
    const headers = methods.size === 0 ? [] : ['Allow', [...methods].join(', ')];
    if (!refuse(exchange, ctx.path, error, headers)) sendError(exchange, error, headers);
  };
}

/** Time between two looks for connections whose answer has ended: their clients may keep them open for a while. */
const IDLE_LOOK_MS = 50;

/**
 * Goes on for `leavingMs`, then stops accepting and waits for answers under way; after `graceMs` the remaining connections are cut.
 * `onLeft` ends the streams that were opened meanwhile. Returns true when nothing had to be cut.
 */
async function drainServer(
  server: Server,
  timers: Timers,
  { graceMs, leavingMs, onLeft }: { graceMs: number; leavingMs: number; onLeft: () => void },
): Promise<boolean> {
  if (!server.listening) return true;
  if (leavingMs > 0) {
    await new Promise<void>((resolve) => timers.after(leavingMs, resolve));
    onLeft();
  }
  return await new Promise<boolean>((resolve) => {
    let clean = true;
    const stop = timers.after(graceMs, () => {
      clean = false;
      server.closeAllConnections();
    });
    let stopLooking: () => void = () => undefined;
    const look = () => {
      server.closeIdleConnections();
      stopLooking = timers.after(IDLE_LOOK_MS, look);
    };
    server.close(() => {
      stop();
      stopLooking();
      resolve(clean);
    });
    look();
  });
}

interface MetricsSource {
  /** Throws a ProtocolError for a caller who may not read the metrics. */
  authorize(caller: AdmittedCaller): void;
  /** The metrics in the Prometheus text format. */
  read(): Promise<{ contentType: string; text: string }>;
}

/** `/metrics` needs authentication, not the version header. */
export async function answerMetrics(source: MetricsSource, exchange: Exchange): Promise<void> {
  source.authorize(exchange.caller('exempt'));
  const { contentType, text } = await source.read();
  send(exchange, 200, contentType, text);
}
