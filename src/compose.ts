import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bridges } from '../bridges/index.ts';
import { apiKeyAuthenticator, type ApiKeyRecord } from './auth/api-keys.ts';
import type { Authenticate } from './auth/caller.ts';
import type { Config } from './config/load.ts';
import { readSecret } from './config/secret.ts';
import type { DecisionTools } from './dispatch/facts.ts';
import { GatewayCore } from './dispatch/gateway-core.ts';
import { closeExpiredSessions, ensureWorkspaces, forgetOldAnswers } from './dispatch/housekeeping.ts';
import { FrameNumbers } from './dispatch/runner/frame-numbers.ts';
import { TaskRunner } from './dispatch/runner/task-runner.ts';
import { type CheckStep, checkLog } from './eventlog/check-log.ts';
import { headOfCheckpoint, readCheckpoint } from './eventlog/checkpoint.ts';
import type { EventLog } from './eventlog/event-log.ts';
import { openEventLog } from './eventlog/open-log.ts';
import { Subscriptions } from './eventlog/subscription.ts';
import { parseStrict } from './json/strict-parse.ts';
import { announceGateway, dataPaths, developmentKey, inputBoxKey, withdrawGateway } from './operation/data-directory.ts';
import { createMetrics } from './operation/metrics.ts';
import { type SampleAgentProcess, startSampleAgent } from './operation/sample-agent-process.ts';
import { holdsScope } from './policy/scope.ts';
import { project } from './projections/projection.ts';
import { ProtocolError } from './protocol/errors.ts';
import { createIdSource } from './protocol/ids.ts';
import type { JsonValue } from './protocol/json.ts';
import type { Clock, Logger, Random } from './protocol/ports.ts';
import { openKeyRegistry } from './receipts/key-registry.ts';
import { Redactor } from './redaction/redactor.ts';
import { openLevelStore } from './store/level-store.ts';
import { createSecretBox } from './store/secret-box.ts';
import { createHttpSurface, type HttpSurface } from './surfaces/http-surface.ts';
import type { HttpLimits } from './surfaces/http/limits.ts';
import { nodeTimers } from './surfaces/timers.ts';
import type { Upstream } from './upstream.ts';
import type { Readiness } from './surfaces/discovery/documents.ts';

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };

const HOUSEKEEPING_INTERVAL_MS = 5_000;

/** What the composition needs from outside: everything else it makes itself. */
export interface GatewayParts {
  config: Config;
  packageRoot: string;
  version: string;
  logger: Logger;
  redactor: Redactor;
  env: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
  random?: Random;
  /** Upstreams besides the configured ones: a deterministic one in the bench and in tests. */
  extraUpstreams?: readonly Upstream[];
  /** Told the development key once, when it is made. */
  onDevelopmentKey?: (key: string) => void;
}

export interface RunningGateway {
  url: string;
  log: EventLog;
  /** Drains within `drain_timeout_ms`: no new work, streams told, tasks parked durably. */
  close(): Promise<void>;
}

/** Builds and starts a gateway: the only place that constructs things. Throws StoreOpenError and listening errors. */
export async function startGateway(parts: GatewayParts): Promise<RunningGateway> {
  const { config, logger, clock = systemClock, random = systemRandom } = parts;
  const data = config.store.data;
  const log = await openLog(parts, clock, random);
  let sample: SampleAgentProcess | undefined;
  try {
    const authenticate = authenticator(parts, random);
    sample = config.usesSampleAgent ? await startSampleAgent(sampleEntry(parts), logger) : undefined;
    const upstreams = makeUpstreams(parts, sample, clock);
    const core = makeCore(parts, log, upstreams, authenticate, clock, random);
    if (log.integrity.status === 'ok') {
      await ensureWorkspaces(log, config.workspaces);
      await core.runner.recover();
    }
    for (const upstream of upstreams.values()) upstream.start();
    const surface = makeSurface(parts, log, upstreams, authenticate, core, clock);
    const { url } = await surface.listen(config.server.host, config.server.port);
    announceGateway(data, { url, pid: process.pid });
    const stopHousekeeping = keepHouse(log, core.tools, clock, logger);
    const close = async () => {
      stopHousekeeping();
      withdrawGateway(data);
      await surface.close({ graceMs: config.limits.drain_timeout_ms });
      await core.runner.drain();
      core.subscriptions.close();
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await log.close();
      await sample?.close();
    };
    return { url, log, close };
  } catch (error) {
    await log.close();
    await sample?.close();
    throw error;
  }
}

/** Opens store, keys and log of a data directory; also what the offline `log` commands do. */
export async function openLog(
  { config, logger, redactor }: Pick<GatewayParts, 'config' | 'logger' | 'redactor'>,
  clock: Clock,
  random: Random,
): Promise<EventLog> {
  const paths = dataPaths(config.store.data);
  const store = await openLevelStore({ path: paths.store });
  try {
    return await openEventLog({
      store,
      keys: openKeyRegistry({ dir: paths.keys, clock, random }),
      clock,
      random,
      timers: nodeTimers,
      logger,
      redact: (value) => redactor.redactValue(value).value,
      projection: project,
      checkpointPath: paths.checkpoint,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Verifies the log of a data directory that no gateway uses. */
export async function* checkData(data: string, clock: Clock, random: Random): AsyncGenerator<CheckStep> {
  const paths = dataPaths(data);
  const store = await openLevelStore({ path: paths.store });
  try {
    const keys = openKeyRegistry({ dir: paths.keys, clock, random });
    const stored = readCheckpoint(paths.checkpoint, keys);
    if (stored.status === 'bad') {
      const { expected, observed } = stored;
      yield { kind: 'finding', finding: { problem: 'chain', where: paths.checkpoint, expected, observed } };
    }
    const checkpoint = stored.status === 'ok' ? { checkpoint: headOfCheckpoint(stored.checkpoint) } : {};
    yield* checkLog({ store, projection: project, ...checkpoint });
  } finally {
    await store.close();
  }
}

function authenticator({ config, redactor, onDevelopmentKey }: GatewayParts, random: Random): Authenticate {
  const configured: readonly ApiKeyRecord[] = config.auth.api_keys;
  if (configured.length > 0) return apiKeyAuthenticator(configured);
  const { record, fresh } = developmentKey(config.store.data, random);
  if (fresh !== undefined) {
    redactor.addKnownSecret(fresh);
    onDevelopmentKey?.(fresh);
  }
  return apiKeyAuthenticator([record]);
}

function sampleEntry({ packageRoot }: GatewayParts): string {
  return join(packageRoot, 'dist', 'bridges', 'a2a', 'sample-agent', 'main.js');
}

function makeUpstreams(
  { config, logger, env, redactor, extraUpstreams = [] }: GatewayParts,
  sample: SampleAgentProcess | undefined,
  clock: Clock,
): Map<string, Upstream> {
  const sources = { env, readFile: (path: string) => readFileSync(path, 'utf8') };
  const deps = {
    clock,
    timers: {
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
      clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
    },
    logger,
    readSecret: (ref: Parameters<typeof readSecret>[0]) => {
      const secret = readSecret(ref, sources);
      redactor.addKnownSecret(secret);
      return secret;
    },
    parseJson: (text: string) => parseStrict(Buffer.from(text), FRAME_LIMITS),
  };
  const rows = sample ? [{ id: 'sample', card: sample.cardUrl }] : config.upstreams.a2a;
  const made = [...bridges.a2a.createUpstreams(rows, deps), ...extraUpstreams];
  return new Map(made.map((upstream) => [upstream.route, upstream]));
}

/** The wire bounds frames before they are parsed; this only bounds depth and names. */
const FRAME_LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 64 };

interface Core {
  gateway: GatewayCore;
  runner: TaskRunner;
  tools: DecisionTools;
  subscriptions: Subscriptions;
}

function makeCore(
  { config, logger, redactor }: GatewayParts,
  log: EventLog,
  upstreams: ReadonlyMap<string, Upstream>,
  authenticate: Authenticate,
  clock: Clock,
  random: Random,
): Core {
  const { limits } = config;
  const box = createSecretBox(inputBoxKey(config.store.data), random);
  const redact = (value: JsonValue) => {
    const { value: clean, hits } = redactor.redactValue(value);
    return { value: clean, hit: hits.length > 0 };
  };
  const tools: DecisionTools = {
    newId: createIdSource(clock, random),
    limits: {
      inlineBytes: limits.inline_payload_bytes,
      artifactBytes: limits.max_artifact_bytes,
      queuedTasks: limits.max_queued_tasks,
    },
    redact,
    sealInput: (plain) => box.seal(plain),
    routes: { exists: (route) => upstreams.has(route), default: config.defaultRoute ?? firstRoute(upstreams) },
    // The runner needs these tools itself, so its part is asked for late.
    runs: {
      hasSlot: (route) => runner.hasSlot(route),
      queued: () => runner.queued(),
      wake: (taskId) => runner.wake(taskId),
      forwardCancel: (taskId) => runner.forwardCancel(taskId),
    },
  };
  const concurrency = new Map(config.upstreams.a2a.map(({ id, limits: own }) => [`a2a:${id}`, own.concurrency]));
  const runner: TaskRunner = new TaskRunner({
    log,
    tools,
    upstreams,
    logger,
    openInput: (sealed) => box.open(sealed),
    redactFrame: redact,
    frameNumbers: new FrameNumbers(log),
    limits: {
      perRoute: (route) => concurrency.get(route) ?? limits.max_running_tasks,
      total: limits.max_running_tasks,
      cancelWaitMs: limits.cancel_wait_ms,
    },
    timeoutSignal: (ms) => AbortSignal.timeout(ms),
  });
  log.onReopen(() => {
    runner.recover().catch((error: unknown) => logger.error({ err: error }, 'open tasks could not be taken up'));
  });
  const subscriptions = new Subscriptions(log);
  const gateway = new GatewayCore({
    log,
    subscriptions,
    authenticate,
    tools,
    newTraceId: () => Buffer.from(random.bytes(16)).toString('hex'),
    awaitCancel: (taskId) => runner.cancel(taskId),
    idempotencyWindowMs: limits.idempotency_window_ms,
    streamBufferBytes: limits.stream_buffer_bytes,
  });
  return { gateway, runner, tools, subscriptions };
}

function firstRoute(upstreams: ReadonlyMap<string, Upstream>): string {
  return upstreams.keys().next().value ?? 'none';
}

function makeSurface(
  parts: GatewayParts,
  log: EventLog,
  upstreams: ReadonlyMap<string, Upstream>,
  authenticate: Authenticate,
  { gateway, runner, tools }: Core,
  clock: Clock,
): HttpSurface {
  const { config, logger, version } = parts;
  const { server } = config;
  let draining = false;
  const readiness = () => readinessOf(log, draining);
  const metrics = createMetrics({
    runningTasks: () => runner.running(),
    queuedTasks: () => runner.queued(),
    openStreams: () => surface.openStreams(),
    commits: () => log.head.commit,
    events: () => Number(log.head.eventId),
    ready: () => readiness().ok,
  });
  const surface = createHttpSurface({
    gateway,
    clock,
    timers: nodeTimers,
    logger,
    newRequestId: () => tools.newId('req'),
    limits: httpLimits(config),
    documents: {
      version,
      readiness,
      describeAgents: () => [...upstreams.values()].flatMap((upstream) => upstream.describe() ?? []),
      startedAtMs: clock.now(),
    },
    metrics: { authorize: metricsReader(authenticate), read: () => metrics.read() },
    server: {
      ...(server.public_url === undefined ? {} : { publicUrl: server.public_url }),
      ...(server.tls === undefined ? {} : { tls: readPem(server.tls) }),
      allowedHosts: server.allowed_hosts,
      allowedOrigins: server.allowed_origins,
      trustedProxies: server.trusted_proxies,
      requireTls: !server.insecure,
    },
  });
  return { ...surface, server: surface.server, close: (options) => ((draining = true), surface.close(options)) };
}

function readPem({ cert, key }: { cert: string; key: string }): { cert: string; key: string } {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}

function metricsReader(authenticate: Authenticate): (authorization: string | undefined) => Promise<void> {
  return async (authorization) => {
    const result = authenticate(authorization);
    if (result.kind !== 'caller') throw new ProtocolError('unauthenticated', 'Send a valid key as "Authorization: Bearer <key>".');
    if (holdsScope(result.caller, 'admin')) return;
    throw new ProtocolError('permission_denied', 'Metrics need the scope admin.', { details: { required_scope: 'admin' } });
  };
}

function readinessOf(log: EventLog, draining: boolean): Readiness {
  if (draining) return { ok: false, status: 'draining', reason: 'The gateway is stopping.', details: {} };
  const { integrity } = log;
  if (integrity.status === 'truncated') {
    const details = { integrity: 'truncated', expected_commit: integrity.expected.commit, found_commit: integrity.found.commit };
    const reason = 'The store holds less than its checkpoint says. Restore it, or run "harn-gateway log accept-truncation".';
    return { ok: false, status: 'fenced', reason, details };
  }
  if (integrity.status === 'damaged') {
    const reason = 'A stored record fails its check. Run "harn-gateway log check".';
    return { ok: false, status: 'fenced', reason, details: { integrity: 'damaged', where: integrity.where } };
  }
  if (log.status !== 'open') return { ok: false, status: 'fenced', reason: 'A write failed; the store is being reopened.', details: {} };
  return { ok: true, status: 'ready', reason: null, details: {} };
}

function httpLimits({ limits }: Config): HttpLimits {
  return {
    maxBodyBytes: limits.max_body_bytes,
    maxJsonDepth: limits.max_json_depth,
    maxArtifactBytes: limits.max_artifact_bytes,
    maxHeaderBytes: limits.max_header_bytes,
    maxHeaders: limits.max_headers,
    headersTimeoutMs: limits.headers_timeout_ms,
    requestTimeoutMs: limits.request_timeout_ms,
    keepAliveTimeoutMs: limits.keep_alive_timeout_ms,
    maxRequestsPerConnection: limits.max_requests_per_connection,
    maxConnections: limits.max_connections,
    maxStreams: limits.max_streams,
    streamBufferBytes: limits.stream_buffer_bytes,
    heartbeatIntervalMs: limits.heartbeat_interval_ms,
  };
}

function keepHouse(log: EventLog, tools: DecisionTools, clock: Clock, logger: Logger): () => void {
  return nodeTimers.every(HOUSEKEEPING_INTERVAL_MS, () => {
    if (log.status !== 'open' || log.integrity.status !== 'ok') return;
    Promise.all([forgetOldAnswers(log, clock), closeExpiredSessions(log, tools, clock)]).catch((error: unknown) =>
      logger.warn({ err: error }, 'housekeeping stopped; it goes on at its next turn'),
    );
  });
}
