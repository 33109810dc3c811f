import { readFileSync } from 'node:fs';
import { DPOP_ALGORITHMS } from '#auth/oauth/dpop-proof.ts';
import type { TrustedIssuer } from '#auth/oauth/token-verifier.ts';
import type { Config } from '#config/load.ts';
import type { ClockWatch } from '#core/clock-watch.ts';
import { JsonReader } from '#json/json-reader.ts';
import { createMetrics } from '#operation/metrics.ts';
import { readinessOf } from '#operation/readiness.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { HttpLimits } from '#surfaces/http/limits.ts';
import type { TlsSettings } from '#surfaces/http/server.ts';
import { createHttpSurface, type HttpSurface, type HttpSurfaceDeps } from '#surfaces/http-surface.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { metricsReader } from './authentication.ts';
import { makeCards } from './cards.ts';
import type { Core } from './core.ts';
import { neverReached } from './issuers.ts';
import type { OpenDirectory } from './open-data.ts';
import type { Parts } from './parts.ts';
import { publishedPersona } from './published-persona.ts';
import { makeServers } from './servers.ts';
import { undiscovered, withUndiscovered } from './undiscovered.ts';

/** REST, SSE, WebSocket, discovery, metrics and the faces of the bridges over the gateway. */
export function makeSurface(
  parts: Parts,
  { log, keys, spool }: OpenDirectory,
  upstreams: ReadonlyMap<string, ProtocolClient>,
  issuers: ReadonlyMap<string, TrustedIssuer>,
  core: Core,
  watch: ClockWatch,
): HttpSurface {
  const { gateway, runner, tools } = core;
  const { config, logger, version, clock } = parts;
  let draining = false;
  const readiness = () =>
    withUndiscovered(
      readinessOf(log, draining, neverReached(issuers), watch.details()),
      undiscovered(upstreams),
    );
  const metrics = createMetrics({
    runningTasks: () => runner.running(),
    queuedTasks: () => runner.queued(),
    openStreams: () => surface.openStreams(),
    commits: () => log.head.commit,
    events: () => Number(log.head.eventId),
    ready: () => readiness().ok,
    refused: () => core.refusals.counts(),
  });
  const json = new JsonReader();
  const cards = makeCards(parts, keys, upstreams, tools.routes);
  const surface = createHttpSurface({
    gateway,
    clock,
    timers: nodeTimers,
    logger,
    newRequestId: () => tools.newId('req'),
    limits: httpLimits(config),
    spool,
    json,
    documents: {
      version,
      readiness,
      cards,
      persona: publishedPersona(log, gateway),
      keySet: () => keys.publicJwks(),
      resource: {
        issuers: config.auth.oauth,
        dpopAlgorithms: DPOP_ALGORITHMS,
        takesCertificates: config.server.tls?.client_certificates ?? false,
      },
    },
    metrics: config.telemetry.metrics
      ? { authorize: metricsReader(gateway), read: () => metrics.read() }
      : undefined,
    createServers: (publicUrl) => makeServers(parts, upstreams, core, publicUrl, cards, json),
    server: serverSettings(config),
  });
  return {
    ...surface,
    close(options) {
      draining = true;
      return surface.close(options);
    },
  };
}

function serverSettings({ server }: Config): HttpSurfaceDeps['server'] {
  return {
    ...(server.public_url === undefined ? {} : { publicUrl: server.public_url }),
    ...(server.tls === undefined ? {} : { tls: readPem(server.tls) }),
    allowedHosts: server.allowed_hosts,
    allowedOrigins: server.allowed_origins,
    trustedProxies: server.trusted_proxies,
    requireTls: !server.insecure,
  };
}

function readPem({ cert, key, client_certificates }: NonNullable<Config['server']['tls']>): TlsSettings {
  return {
    cert: readFileSync(cert, 'utf8'),
    key: readFileSync(key, 'utf8'),
    requestsCertificate: client_certificates,
  };
}

function httpLimits({ limits }: Config): HttpLimits {
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
