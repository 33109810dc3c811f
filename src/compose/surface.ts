import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DPOP_ALGORITHMS } from '#auth/oauth/dpop-proof.ts';
import type { TrustedIssuer } from '#auth/oauth/token-verifier.ts';
import { AgentCards } from '#cards/agent-cards.ts';
import type { Config } from '#config/load.ts';
import type { ClockWatch } from '#core/clock-watch.ts';
import type { RouteFacts } from '#core/facts.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { AdmittedCaller, Gateway } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import type { Face } from '#operation/metric-table.ts';
import { readinessOf } from '#operation/readiness.ts';
import { decisionOfHalt, haltOn } from '#policy/halts.ts';
import { decideTool } from '#policy/known-tool.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { timestamp } from '#protocol/ports.ts';
import { versionOf } from '#protocol/versions.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { ProtocolServer, ServerAgent, ServerDeps } from '#protocol-server.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { refusalIn } from '#resources/permission/action-question.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { type PersonaState, personaKeys } from '#resources/persona/state.ts';
import { refuseSecretUrl } from '#resources/push/push-targets.ts';
import { SignInCodes } from '#surfaces/discovery/sign-in-codes.ts';
import type { GrpcSettings } from '#surfaces/grpc/server.ts';
import type { HttpLimits } from '#surfaces/http/limits.ts';
import type { TlsSettings } from '#surfaces/http/server.ts';
import { createHttpSurface, type HttpSurface, type HttpSurfaceDeps } from '#surfaces/http-surface.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { type BridgeId, bridges, offerOf } from '../../bridges/index.ts';
import { metricsReader } from './authentication.ts';
import type { Core } from './core.ts';
import { neverReached } from './issuers.ts';
import { readMetrics } from './measuring.ts';
import type { OpenDirectory } from './open-data.ts';
import type { Parts } from './parts.ts';
import type { Watching } from './telemetry.ts';
import { undiscovered, withUndiscovered } from './undiscovered.ts';

/** A surface whose console takes codes in place of a key. */
interface ComposedSurface extends HttpSurface {
  /** A code that signs in to the console with this key: once, within a minute. */
  codeFor(key: string): string;
}

/** REST, SSE, WebSocket, discovery, metrics and the protocol servers of the bridges over the gateway. */
export function makeSurface(
  parts: Parts,
  { log, keys, spool }: OpenDirectory,
  clients: ReadonlyMap<string, ProtocolClient>,
  issuers: ReadonlyMap<string, TrustedIssuer>,
  core: Core,
  watch: ClockWatch,
  { measuring, telemetry }: Watching,
  within: Pick<HttpSurfaceDeps['server'], 'door' | 'relaySecret'>,
): ComposedSurface {
  const { gateway, tools, json } = core;
  const { config, logger, version, clock } = parts;
  const codes = new SignInCodes(parts);
  let draining = false;
  const readiness = () =>
    withUndiscovered(
      readinessOf(log, draining, neverReached(issuers), watch.details()),
      undiscovered(clients).filter((route) => haltOn(tools.self.halts, { route }) === undefined),
    );
  const cards = makeCards(parts, keys, clients, tools.routes, () => surface.grpcAddress());
  const calls = telemetry?.calls;
  const faceOf = (face: Face): Gateway => {
    const measured = measuring?.work.gatewayOf(face, gateway) ?? gateway;
    return calls?.gatewayOf(face, measured) ?? measured;
  };
  const surface = createHttpSurface({
    gateway: faceOf('rest'),
    socketGateway: faceOf('ws'),
    metering: core.metering,
    clock,
    timers: nodeTimers,
    logger,
    newRequestId: () => tools.newId('req'),
    ...(calls && { traceRequest: calls.request.bind(calls) }),
    limits: httpLimits(config),
    spool,
    json,
    documents: {
      version,
      defaultVersion: versionOf(config.server.default_protocol_version),
      readiness,
      cards,
      persona: publishedPersona(log, gateway),
      keySet: () => keys.publicJwks(),
      resource: {
        get issuers() {
          return config.auth.oauth;
        },
        dpopAlgorithms: DPOP_ALGORITHMS,
        takesCertificates: parts.partition?.takesCertificates ?? takesCertificates(config),
      },
    },
    docs: join(parts.packageRoot, 'dist/bundle/docs'),
    console: config.console.enabled ? consoleOf(parts, codes) : undefined,
    metrics:
      measuring && config.telemetry.metrics
        ? { authorize: metricsReader(gateway), read: () => measuring.metrics.read() }
        : undefined,
    createServers: (publicUrl) => makeServers(parts, clients, core, faceOf, publicUrl, cards, json),
    server: {
      ...serverSettings(config),
      ...within,
      ...(parts.partition && { leavesOthers: true }),
    },
  });
  measuring?.metrics.readFrom(
    readMetrics(parts, core, {
      isReady: () => readiness().ok,
      openStreams: () => surface.openStreams(),
      overflows: () => surface.overflows(),
      tokenCache: measuring.tokenCache,
    }),
  );
  return {
    ...surface,
    codeFor: (key) => codes.issue(key),
    close(options) {
      draining = true;
      return surface.close(options);
    },
  };
}

/** The built page, and where its users sign in besides by a key. */
function consoleOf({ config, packageRoot, version }: Parts, codes: SignInCodes): HttpSurfaceDeps['console'] {
  return {
    folder: join(packageRoot, 'dist/bundle/console'),
    version,
    issuers: () => {
      const { client_id } = config.console;
      return client_id === undefined ? [] : config.auth.oauth.map(({ issuer }) => ({ issuer, client_id }));
    },
    codes,
  };
}

export function serverSettings({ server, store }: Config): HttpSurfaceDeps['server'] {
  return {
    ...(server.public_url === undefined ? {} : { publicUrl: server.public_url }),
    ...(server.tls === undefined ? {} : { tls: readPem(server.tls) }),
    // Other nodes of the log ask it by that name.
    allowedHosts: [
      ...server.allowed_hosts,
      ...(store.advertise === undefined ? [] : [new URL(store.advertise).host]),
    ],
    allowedOrigins: server.allowed_origins,
    trustedProxies: server.trusted_proxies,
    requireTls: !server.insecure,
    ...(server.grpc === undefined ? {} : { grpc: grpcSettings(server, server.grpc) }),
  };
}

function grpcSettings(
  { host, tls }: Config['server'],
  own: NonNullable<Config['server']['grpc']>,
): GrpcSettings {
  const clientCa = own.tls?.client_ca;
  const pem = tls && { ...readPem(tls), ...(clientCa && { clientCa: readFileSync(clientCa, 'utf8') }) };
  return {
    host: own.host ?? host,
    port: own.port,
    publicAddress: own.public_address,
    ...(pem && { tls: pem }),
  };
}

function readPem({ cert, key, client_certificates }: NonNullable<Config['server']['tls']>): TlsSettings {
  return {
    cert: readFileSync(cert, 'utf8'),
    key: readFileSync(key, 'utf8'),
    requestsCertificate: client_certificates,
  };
}

export function takesCertificates({ server }: Pick<Config, 'server'>): boolean {
  return server.tls?.client_certificates ?? false;
}

export function httpLimits({ limits }: Config): HttpLimits {
  return {
    maxBodyBytes: limits.max_body_bytes,
    maxJsonDepth: limits.max_json_depth,
    maxArtifactBytes: limits.max_artifact_bytes,
    maxBundleBytes: limits.max_bundle_bytes,
    maxHeaderBytes: limits.max_header_bytes,
    maxHeaders: limits.max_headers,
    headersTimeoutMs: limits.headers_timeout_ms,
    requestTimeoutMs: limits.request_timeout_ms,
    keepAliveTimeoutMs: limits.keep_alive_timeout_ms,
    maxRequestsPerConnection: limits.max_requests_per_connection,
    maxConnections: limits.max_connections,
    failedLoginsPerMinute: limits.failed_logins_per_minute,
    maxStreams: limits.max_streams,
    streamBufferBytes: limits.stream_buffer_bytes,
    heartbeatIntervalMs: limits.heartbeat_interval_ms,
  };
}

/** The signed cards of the gateway and of every agent behind it. */
function makeCards(
  { version, clock, config: { server } }: Parts,
  keys: Pick<KeyRegistry, 'current'>,
  clients: ReadonlyMap<string, ProtocolClient>,
  routes: RouteFacts,
  grpcAddress: () => string | undefined,
): AgentCards {
  const agent = (route: string, client: ProtocolClient) => ({
    id: route.slice(route.indexOf(':') + 1),
    isDefault: route === routes.default,
    description: client.describe(),
  });
  return new AgentCards({
    agents: () => [...clients].map(([route, client]) => agent(route, client)),
    agentOf: (name) => {
      const route = routes.find(name)?.route ?? routes.default;
      const client = route === undefined ? undefined : clients.get(route);
      return client && agent(client.route, client);
    },
    key: () => keys.current(),
    offer: offerOf({ grpc: server.grpc !== undefined, preferred: server.a2a_preferred }),
    grpcAddress,
    version,
    createdAt: timestamp(clock.now()),
    now: () => clock.now(),
  });
}

/** The protocol server of every bridge that has one. */
function makeServers(
  { config, clock, random, logger, version }: Parts,
  clients: ReadonlyMap<string, ProtocolClient>,
  { gateway, log, tools, sending }: Core,
  faceOf: (face: Face) => Gateway,
  publicUrl: () => string,
  cards: AgentCards,
  json: JsonReader,
): ProtocolServer[] {
  const { limits } = config;
  const reader = { get: log.state.bind(log) };
  const deps: ServerDeps = {
    gateway,
    clock,
    random,
    timers: nodeTimers,
    logger,
    newRequestId: () => tools.newId('req'),
    publicUrl,
    version,
    card: (agentId, form) => cards.a2a(agentId, publicUrl(), form),
    personaCard: (persona, form) => cards.persona(persona, publicUrl(), form),
    client: (route) => clients.get(route),
    agents: () => [...clients.values()].map((client) => agentOf(client, tools.routes.default)),
    checkReceiver: async (url) => {
      refuseSecretUrl(url, tools);
      await sending.checkTarget(url);
    },
    keptBack: (workspaceId, route, tool) => {
      const decided = decideTool(tools.self.policy, route, tool);
      if (decided.effect !== 'allow') return decided;
      return refusalIn(reader, tools.self, workspaceId, { route, sideEffect: tool.sideEffect });
    },
    parseJson: (text) => json.readPeerText(text, limits.max_json_depth),
    drafts: config.server.drafts,
    refuses: (workspaceId, route, sideEffect) =>
      refusalIn(reader, tools.self, workspaceId, { route, sideEffect }) !== undefined,
    haltOf: (route, tool) => {
      const halt = haltOn(tools.self.halts, { route, ...(tool !== undefined && { skillId: tool }) });
      return halt && decisionOfHalt(halt);
    },
    limits: {
      maxBodyBytes: limits.max_body_bytes,
      maxJsonDepth: limits.max_json_depth,
      streamBufferBytes: limits.stream_buffer_bytes,
      heartbeatIntervalMs: limits.heartbeat_interval_ms,
    },
  };
  return (Object.keys(bridges) as BridgeId[]).flatMap(
    (id) => bridges[id].createServer?.({ ...deps, gateway: faceOf(id) }) ?? [],
  );
}

function agentOf(client: ProtocolClient, defaultRoute: string | undefined): ServerAgent {
  const { route } = client;
  const id = route.slice(route.indexOf(':') + 1);
  return { id, route, isDefault: route === defaultRoute, description: client.describe() };
}

interface PersonaReader {
  requestId: string;
  /** Undefined for one who sent no credential; throws for a bad one. */
  caller(): AdmittedCaller | undefined;
  signal: AbortSignal;
}

/**
 * The persona whose card may be read. Anybody may read the card of a persona from the operator's files; one made by API needs
 * the right to read the persona. Undefined for a hidden persona as for an absent one.
 */
function publishedPersona(log: EventLog, gateway: Gateway) {
  return async (id: string, reader: PersonaReader): Promise<Persona | undefined> => {
    if (!ID.test(id)) return undefined;
    const state = log.state<PersonaState>(personaKeys.persona(id));
    if (state === undefined || state.internal.file_hash !== null) return state?.resource;
    const caller = reader.caller();
    if (caller === undefined) return undefined;
    const { requestId, signal } = reader;
    const call = {
      requestId,
      caller,
      signal,
      path: { persona_id: id },
      query: {},
      body: undefined,
      idempotencyKey: undefined,
      lastEventId: undefined,
      accept: undefined,
      traceparent: undefined,
    };
    try {
      const { body } = await gateway.call('getPersona', call);
      return body.kind === 'json' ? (body.value as unknown as Persona) : undefined;
    } catch (error) {
      if (error instanceof ProtocolError && HIDDEN.has(error.code)) return undefined;
      throw error;
    }
  };
}

/** Ids that can be in a key; anything else names nothing. */
const ID = /^[A-Za-z0-9_.-]{1,128}$/;
const HIDDEN: ReadonlySet<string> = new Set(['resource_not_found', 'permission_denied']);
