import { ClockWatch } from '#core/clock-watch.ts';
import { endExpired } from '#core/expiry.ts';
import { BATCHES_AT_START, forgetOldAnswers } from '#core/old-answers.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { announceGateway, checkKeptCards, withdrawGateway } from '#operation/data-directory.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import type { RetentionSweep } from '#resources/event/retention.ts';
import { loadRooms, type RoomCode } from '#resources/load-rooms.ts';
import { ensurePersonas } from '#resources/persona/configured-personas.ts';
import { ensureSigningKeys } from '#resources/receipt/signing-keys.ts';
import type { ReloadReport } from '#resources/runtime/schema.ts';
import { ensureVaults } from '#resources/vault/configured-vaults.ts';
import { ensureWorkspaces } from '#resources/workspace/configured-workspaces.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { authenticator } from './authentication.ts';
import { makeClients, sampleAgent } from './clients.ts';
import { type Core, makeCore } from './core.ts';
import { lookAtIssuers, trustedIssuers } from './issuers.ts';
import { logsTraces } from './logging.ts';
import { openMeasuring } from './measuring.ts';
import { type OpenNode, openNode } from './node.ts';
import { type OpenLogParts, openData, refuseBadCheckpoint } from './open-data.ts';
import { type GatewayParts, type Parts, systemClock, systemRandom } from './parts.ts';
import { isHalted, Reloader, refuseReload, refuseReloadOfOne } from './reload.ts';
import { makeRetention } from './retention.ts';
import { signingKeyFacts } from './signing-keys.ts';
import { makeSurface } from './surface.ts';
import { openTelemetry, sendsMetrics } from './telemetry.ts';

export { refuseHalfMigrated } from '#operation/exchange-stores.ts';
export { BackupError, readBackup } from './backup-file.ts';
export { BackupFolder, isBackupPath, type KeptBackup, sourcesOf, writtenThrough } from './backup-folder.ts';
export {
  BackupKeyError,
  freshPassphraseKey,
  identityOfPassphrase,
  readIdentity,
  readRecipient,
  recipientOfIdentity,
} from './backup-secrets.ts';
export { inspectUpstreams, type UpstreamSight } from './clients.ts';
export { type IssuerSight, inspectIssuers } from './issuers.ts';
export { type AdvertisedSight, inspectAdvertised, inspectServers, type ServerSight } from './log-servers.ts';
export { createLogging } from './logging.ts';
export { type MigrationParts, type MigrationStep, migrateData } from './migrate-data.ts';
export type { MoveStep } from './move-log.ts';
export { checkData, type DataSight, inspectData, inspectLogServers, openLog } from './open-data.ts';
export type { GatewayState } from './partitioned-node.ts';
export { type GatewayParts, type OwnPartition, systemClock, systemRandom } from './parts.ts';
export { becauseOf, checkBackup, restoreData } from './restore-data.ts';
export { changeKeysOffline, type KeyChange } from './signing-keys.ts';
export { takesCertificates } from './surface.ts';
export { inspectReceivers, type ReceiverSight } from './telemetry.ts';

const HOUSEKEEPING_INTERVAL_MS = 5_000;

/** Only keeps the process alive, so any length will do. */
const HOLD_INTERVAL_MS = 60_000;

export interface RunningGateway {
  url: string;
  /** Where gRPC is served, `host:port`; undefined where it is not. */
  grpcAddress: string | undefined;
  /** The port that gRPC listens on here. */
  grpcPort: number | undefined;
  log: EventLog;
  /** Runs the housekeeping now: deadlines, expiries, retention. It also runs every few seconds. */
  tidy(): Promise<void>;
  /** Reads the configuration again and lets it take effect. Rejects with a ProtocolError; nothing has changed then. */
  reload(): Promise<ReloadReport>;
  /** A link that signs in to the console with this key: once, within a minute. */
  consoleLink(key: string): string;
  /**
   * Drains: no new work, streams ended with a reason, tasks parked durably.
   * @param graceMs how long what is under way may take. Default: `drain_timeout_ms`
   */
  close(graceMs?: number): Promise<void>;
}

/** The door of a node with several partitions; loaded only for it, as it brings NATS along. */
export const partitionTools = () => import('./partitioned-node.ts');

/** What `log move` does; loaded only for it, as it brings NATS along. */
export const moveTools = () => import('./move-log.ts');

/** Something that has to be closed; closed in reverse order of opening, also when the start fails half way. */
type Closer = () => Promise<unknown> | unknown;

/** Builds and starts a gateway: the only place that constructs things. Throws StoreOpenError, listening errors and the reason of the signal. */
export async function startGateway(given: GatewayParts): Promise<RunningGateway> {
  // A reload changes the configuration in place: a copy of its own for each gateway.
  const config = { ...given.config };
  const parts: Parts = {
    ...given,
    config,
    clock: given.clock ?? systemClock,
    random: given.random ?? systemRandom,
  };
  const closers: Closer[] = [];
  try {
    return await start(parts, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function start(parts: Parts, closers: Closer[]): Promise<RunningGateway> {
  const { config, logger, clock } = parts;
  checkKeptCards(config.store.data);
  const sample = sampleAgent(parts);
  closers.push(() => sample.close());
  const node = await openNode(parts);
  closers.push(() => node?.close());
  const data = await openData({ ...parts, partition: parts.partition?.id, ...nodesOf(parts, node) });
  const { log } = data;
  // For what works on tasks; each request says its trace itself.
  const working = { ...parts, logger: logsTraces(logger, log) };
  closers.push(() => log.close());
  refuseBadCheckpoint(config.store.data, data.keys);
  const ownTenants = parts.partition && (await (await partitionTools()).tenantsOf(parts.partition.id, parts));
  closers.push(() => ownTenants?.close());
  const issuers = trustedIssuers(parts);
  lookAtIssuers(issuers);
  const authentication = authenticator(parts, log, issuers);
  let publicUrl = config.server.public_url;
  const clients = makeClients(working, log, sample, () => publicUrl);
  closers.push(() => Promise.all([...clients.values()].map((client) => client.close())));
  const watch = ClockWatch.open({ clock, logger, log });
  const rooms = await loadRooms();
  const isMeasured = config.telemetry.metrics || sendsMetrics(config, parts.env);
  const measuring = isMeasured ? openMeasuring(parts, log, clients, authentication) : undefined;
  closers.push(() => measuring?.close());
  const telemetry = await openTelemetry(parts, log, clients, measuring);
  closers.push(() => telemetry?.close());
  let reloader: Reloader | undefined;
  let endHaltedCalls = async (): Promise<void> => undefined;
  closers.push(() => reloader?.close());
  const reload = (actor: string) => reloader?.reload(actor) ?? refuseReload();
  // One gateway of a node alone would take tenants and keys of which the door and the others know nothing.
  const reloadAsked = parts.partition === undefined ? reload : refuseReloadOfOne;
  const core = makeCore(working, data, rooms, clients, authentication, watch, {
    measuring,
    telemetry,
    isHere: ownTenants?.has,
    reload: reloadAsked,
    stopHaltedAgents: async () => {
      await endHaltedCalls();
      await reloader?.stopHaltedAgents();
    },
    startReleased: (route) => reloader?.startReleased(route),
  });
  closers.push(() => core.subscriptions.close());
  closers.push(() => core.sending.close());
  closers.push(() => core.runner.drain());
  closers.push(() => core.liveConnections.closeAll());
  closers.push(() => core.replayChecks.close());
  closers.push(endStreamsOfEndedKeys(log, core.gateway, logger));
  core.runner.haltsChanged();
  for (const client of clients.values()) if (!isHalted(core, client)) client.start();
  if (log.integrity.status === 'ok') {
    const { redact } = core.tools;
    await ensureWorkspaces(log, redact(config.workspaces).value, logger);
    await ensurePersonas(log, core.tools, redact(config.personas).value);
    await ensureVaults(log, redact(config.vaults).value);
    await ensureSigningKeys(log, signingKeyFacts(data.keys, config));
    // Before the first key is remembered, so that the clock of the windows is known at every later start.
    await forgetOldAnswers(log, watch.windowNow(), BATCHES_AT_START);
    await core.liveConnections.detachLost();
    await core.runner.recover();
    await core.sending.outbox.start();
  }
  const surface = makeSurface(
    parts,
    data,
    clients,
    issuers,
    core,
    watch,
    { measuring, telemetry },
    {
      ...(node && { door: node.door, relaySecret: node.relaySecret }),
      ...(ownTenants && { relaySecret: ownTenants.relaySecret }),
    },
  );
  endHaltedCalls = () => surface.endHalted();
  let graceMs: number | undefined;
  closers.push(() => surface.close({ graceMs: graceMs ?? config.limits.drain_timeout_ms }));
  reloader = new Reloader({
    parts,
    core,
    clients,
    issuers,
    authentication,
    surface,
    makeClients: (next) =>
      makeClients({ ...working, config: next, extraClients: [] }, log, sample, () => publicUrl),
  });
  await node?.decides();
  const { url } = await surface.listen(config.server.host, config.server.port);
  publicUrl ??= url;
  // Behind a node, it is the node that clients look for.
  if (parts.partition === undefined) {
    announceGateway(config.store.data, { url, pid: process.pid });
    closers.push(() => withdrawGateway(config.store.data));
  }
  const retention = makeRetention(parts, log, core.removeInTurn);
  const startedMs = clock.now();
  const tidy = async () => {
    lookAtIssuers(issuers);
    await reloader?.closeIdle();
    // A reload may have changed it.
    const live = { ttlMs: config.sessions.live_client_ttl_ms, sinceMs: startedMs };
    return keepHouse(log, core, rooms, clock, retention, watch, live);
  };
  closers.push(() => retention.stop());
  closers.push(() => core.eraser.stop());
  closers.push(tidyRegularly(tidy, logger));
  const consoleLink = (key: string) => `${url}/console/#code=${surface.codeFor(key)}`;
  const close = (given?: number) => {
    graceMs = given;
    return closeAll(closers);
  };
  const grpc = { grpcAddress: surface.grpcAddress(), grpcPort: surface.grpcPort() };
  return { url, ...grpc, log, tidy, reload: () => reload('operator'), consoleLink, close };
}

/** How the other nodes of the log find this one. */
function nodesOf(
  { partition, onWaiting, signal }: Parts,
  node: OpenNode | undefined,
): Pick<OpenLogParts, 'nodes'> {
  if (node !== undefined) return { nodes: node.nodes };
  if (partition === undefined) return {};
  const { nodeUrl: url, grpcPort, successor } = partition;
  let isWaiting = false;
  const onHolder = (holder: unknown) => {
    if (isWaiting || holder === undefined) return;
    isWaiting = true;
    // It listens when it decides.
    onWaiting?.(url);
  };
  return { nodes: { address: { url, grpcPort }, successor, onHolder, signal } };
}

/** Keeps the process alive until everything is closed. A refused client whose body is not read does not keep it alive. */
async function closeAll(closers: Closer[]): Promise<void> {
  const hold = setInterval(() => undefined, HOLD_INTERVAL_MS);
  try {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  } finally {
    clearInterval(hold);
  }
}

async function keepHouse(
  log: EventLog,
  { tools, gateway, receiptLog, liveConnections, eraser }: Core,
  { expiries }: RoomCode,
  clock: Clock,
  retention: RetentionSweep,
  watch: ClockWatch,
  live: { ttlMs: number; sinceMs: number },
): Promise<void> {
  watch.look();
  tools.inputs.tidy();
  await gateway.recheckStreams();
  if (log.status !== 'open' || log.integrity.status !== 'ok') return;
  await Promise.all([
    forgetOldAnswers(log, watch.windowNow()),
    ...expiries.map((expiry) => endExpired(expiry, log, tools, clock)),
    // A clock that jumped may make everything look old.
    watch.isCalm ? retention.runIfDue() : undefined,
    receiptLog.keepUp(),
    watch.isCalm ? liveConnections.detachSilent(live.ttlMs, live.sinceMs) : undefined,
    eraser.runOpen(),
  ]);
}

/** Ends the streams of a key when it is revoked. Those of a key that expires are ended by the housekeeping. */
function endStreamsOfEndedKeys(log: EventLog, gateway: Core['gateway'], logger: Logger): () => void {
  return log.tail((events) => {
    if (!events.some(({ event }) => event.event === 'vendor.harn_gateway.api_key_ended')) return;
    gateway
      .recheckStreams()
      .catch((error: unknown) => logger.warn({ err: error }, 'streams of an ended key were not notified'));
  });
}

function tidyRegularly(tidy: () => Promise<void>, logger: Logger): () => void {
  return nodeTimers.every(HOUSEKEEPING_INTERVAL_MS, () => {
    tidy().catch((error: unknown) =>
      logger.warn({ err: error }, 'housekeeping stopped; it goes on at its next turn'),
    );
  });
}
