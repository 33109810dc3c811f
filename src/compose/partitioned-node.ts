import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { dirname, join } from 'node:path';
import type { Config } from '#config/load.ts';
import { DEFAULT_TENANT } from '#config/sections/tenancy.ts';
import { moveFrom, type PartitionMove } from '#eventlog/jetstream/balance.ts';
import type { Holder } from '#eventlog/jetstream/lease.ts';
import { PartitionTable } from '#eventlog/jetstream/partition-table.ts';
import {
  type OwnTenants,
  openOwnTenants,
  type Placing,
  partitionIds,
} from '#eventlog/jetstream/tenant-places.ts';
import { announceGateway, dataPaths, inputBoxKey, withdrawGateway } from '#operation/data-directory.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { createIdSource, FIRST_PARTITION, type Logger } from '#protocol/ports.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { syncDirectorySync, writeFileAtomicSync } from '#store/atomic-file.ts';
import type { GrpcSettings } from '#surfaces/grpc/server.ts';
import { challengesOf } from '#surfaces/http/challenges.ts';
import { answerJson } from '#surfaces/http/exchange.ts';
import { newRelaySecret, RelayedClients } from '#surfaces/http/relayed-clients.ts';
import { HostAllowList, TransportSecurity } from '#surfaces/http/request-checks.ts';
import { listen } from '#surfaces/http/server.ts';
import type { GrpcDoor, GrpcDoorDeps } from '#surfaces/relay/grpc-door.ts';
import { type Asked, Relay } from '#surfaces/relay/relay.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { SERVICE_NAMES } from '../../bridges/index.ts';
import { streamOptions } from './jetstream.ts';
import { PARTITION_HEADER, type RequestPlaces, requestPlaces } from './partition-of-request.ts';
import { type Parts, systemClock, systemRandom } from './parts.ts';
import { httpLimits, serverSettings } from './surface.ts';

export { partitionIds } from '#eventlog/jetstream/tenant-places.ts';

/** How often a node looks whether it decides for too many partitions, and how long one that has just changed is left alone. */
const BALANCE_EVERY_MS = 5_000;

/** `ended`: or it has not read its log yet. `grpcPort`: 0 where gRPC is not served. */
export type GatewayState =
  | { kind: 'decides'; url: string; grpcPort: number }
  | { kind: 'waits' }
  | { kind: 'ended' };

export interface NodeParts {
  config: Config;
  version: string;
  logger: Logger;
  /** Hands the deciding of a partition over to another node, whose origin is given. */
  handOver(move: PartitionMove): void;
  /** Called once, when another node has taken the address of this one. */
  onOvertaken(): void;
}

/** The door of a node that has a gateway for each of several partitions. */
export interface PartitionedNode {
  /** Where clients reach it. */
  url: string;
  /** Where they reach gRPC, `host:port`; undefined where it is not served. */
  grpcAddress: string | undefined;
  /** All of the log. */
  partitions: readonly string[];
  /** Those of which this node has a gateway. */
  serves: readonly string[];
  /** Says what the gateway of a partition does: where it listens, on this machine, when it decides. */
  gatewayIs(partition: string, state: GatewayState): void;
  /** Resolves when a gateway, of this node or another one, decides for each partition. */
  decided(): Promise<void>;
  /** Takes a configuration that was read anew. */
  reload(config: Config): Promise<void>;
  /** Takes no more, once its gateways have ended, and waits for what is under way within `drain_timeout_ms`. */
  close(): Promise<void>;
}

/**
 * Listens, and hands each request on to the gateway that decides for the partition of its tenant: one of this node, or another node. Rejects with
 * StoreOpenError, and with listening errors.
 */
export async function openPartitionedNode(parts: NodeParts): Promise<PartitionedNode> {
  const { config, logger, version } = parts;
  const partitions = partitionIds(config.store.partitions);
  const nodeUrl = config.store.advertise ?? '';
  const own = new Map<string, { url: string; grpc: string }>();
  const owners = new Map<string, Holder | undefined>();
  const able = new Set<string>();
  const settings = serverSettings(config);
  const newId = createIdSource(systemClock, systemRandom);
  let places: RequestPlaces | undefined;
  const hosts = new HostAllowList(settings.allowedHosts, settings.publicUrl);
  const shared = {
    clock: systemClock,
    logger,
    timers: nodeTimers,
    limits: httpLimits(config),
    hosts,
    transport: new TransportSecurity(settings.trustedProxies, settings.requireTls),
    clients: new RelayedClients(() => table.relaySecret),
    ownUrl: nodeUrl,
    destinationOf: (sent: Pick<IncomingMessage, 'url' | 'headers'>) => places?.of(sent) ?? FIRST_PARTITION,
  };
  const relay: Relay = new Relay({
    ...shared,
    version,
    newRequestId: () => newId('req'),
    challenges: challengesOf(() => settings.publicUrl ?? nodeUrl, []),
    ...(settings.tls && { tls: settings.tls }),
    isOwn: ({ origin }) => [...own.values()].some(({ url }) => url === origin),
    answers: (req, res) => answersForAll(relay, partitions, req, res),
  });
  const grpcAddress = grpcAddressOf(config);
  const door =
    settings.grpc &&
    (await grpcDoor(settings.grpc, grpcAddress, {
      ...shared,
      isOwn: ({ origin }) => [...own.values()].some(({ grpc }) => grpc === origin),
      isServing: async () => readyForAll(await askAll(relay, partitions, '/ready')).status === 200,
    }));
  const undecided = new Set(partitions);
  let allDecided: () => void = () => undefined;
  const decided = new Promise<void>((resolve) => {
    allDecided = resolve;
  });
  /** The gateway of this node is asked itself; the one of another node through that node. */
  const findOwner = (partition: string) => {
    const owner = owners.get(partition);
    const isHere = owner?.url === nodeUrl;
    const url = isHere ? own.get(partition)?.url : owner?.url;
    relay.ownerIs(url, partition);
    door?.ownerIs(isHere ? own.get(partition)?.grpc : grpcOf(owner, settings.tls !== undefined), partition);
    if (url !== undefined && undecided.delete(partition) && undecided.size === 0) allDecided();
  };
  const table: PartitionTable = await PartitionTable.open({
    ...streamOptions(config),
    ...placingOf(config),
    nodeUrl,
    nodeId: newId('node'),
    newRelaySecret: () => newRelaySecret(systemRandom),
    serves: () => [...able],
    clock: systemClock,
    timers: nodeTimers,
    logger,
    onOwner: (partition, owner) => {
      owners.set(partition, owner);
      findOwner(partition);
    },
    onOvertaken: parts.onOvertaken,
  });
  const placesOf = (now: Config) => requestPlaces(now, partitions, (tenant) => table.partitionOf(tenant));
  places = placesOf(config);
  const { host, port } = config.server;
  try {
    await listen(relay.server, host, port);
    await door?.listen();
  } catch (error) {
    relay.server.close();
    await table.close();
    throw error;
  }
  const { data } = config.store;
  announceGateway(data, { url: nodeUrl, pid: process.pid });
  const stopBalancing = balance(table, nodeUrl, parts);
  return {
    url: nodeUrl,
    grpcAddress,
    partitions,
    serves: servedBy(config),
    gatewayIs(partition, state) {
      if (state.kind === 'ended') able.delete(partition);
      else able.add(partition);
      if (state.kind === 'decides')
        own.set(partition, { url: state.url, grpc: `http://${LOOPBACK}:${state.grpcPort}` });
      else own.delete(partition);
      findOwner(partition);
    },
    decided: () => decided,
    async reload(now) {
      await table.place({ ...placingOf(now), partitions: partitions.length });
      const { tls, grpc } = serverSettings(now);
      door?.renewCertificate(grpc?.tls);
      if (tls !== undefined && relay.server instanceof TlsServer) relay.server.setSecureContext(tls);
      places = placesOf(now);
    },
    async close() {
      stopBalancing();
      const graceMs = config.limits.drain_timeout_ms;
      await Promise.all([relay.close(graceMs), door?.close(graceMs)]);
      withdrawGateway(data);
      await table.close();
    },
  };
}

function placingOf({ tenants, store: { partitions, placement: wanted } }: Config): Placing {
  const others = tenants.map(({ id }) => id).filter((id) => id !== DEFAULT_TENANT);
  return { partitions, tenants: [DEFAULT_TENANT, ...others], wanted };
}

/** Gives away what other nodes have too little of, one partition at a time, when nothing changed since the last look. */
function balance(table: PartitionTable, nodeUrl: string, { logger, handOver }: NodeParts): () => void {
  let before = '';
  return nodeTimers.every(BALANCE_EVERY_MS, () => {
    const nodes = table.nodes();
    const seen = JSON.stringify([[...table.owners].sort(), nodes.map(({ url }) => url).sort()]);
    const isCalm = seen === before;
    before = seen;
    const move = isCalm ? moveFrom(nodeUrl, nodes, table.owners) : undefined;
    if (move === undefined) return;
    logger.info({ ...move }, 'another node is to decide for a partition');
    before = '';
    handOver(move);
  });
}

/** What is said about all partitions together, by whoever is asked. */
function answersForAll(
  relay: Relay,
  partitions: readonly string[],
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> | undefined {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (!isRead || req.headers[PARTITION_HEADER.toLowerCase()] !== undefined) return undefined;
  const [path = ''] = (req.url ?? '').split('?', 1);
  const made = FOR_ALL[path];
  return made && answerForAll(relay, partitions, path, made, req, res);
}

async function answerForAll(
  relay: Relay,
  partitions: readonly string[],
  path: string,
  made: (asked: AskedOfAll) => ForAll,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { status, body, cacheControl } = made(await askAll(relay, partitions, path));
  answerJson(req, res, { status, body, cacheControl });
}

type AskedOfAll = ReadonlyMap<string, (Asked & { json: JsonObject }) | undefined>;

/** Asked once for all who want to know at the same time: anybody may. */
const underWay = new WeakMap<Relay, Map<string, Promise<AskedOfAll>>>();

function askAll(relay: Relay, partitions: readonly string[], path: string): Promise<AskedOfAll> {
  const ofRelay = underWay.get(relay) ?? new Map<string, Promise<AskedOfAll>>();
  underWay.set(relay, ofRelay);
  const asked = ofRelay.get(path) ?? askEach(relay, partitions, path).finally(() => ofRelay.delete(path));
  ofRelay.set(path, asked);
  return asked;
}

async function askEach(relay: Relay, partitions: readonly string[], path: string): Promise<AskedOfAll> {
  const asked = partitions.map(async (partition) => {
    const answer = await relay.ask(partition, path, { [PARTITION_HEADER]: partition });
    return [partition, answer && { ...answer, json: jsonOf(answer.body) }] as const;
  });
  return new Map(await Promise.all(asked));
}

function jsonOf(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString('utf8')) as JsonObject;
  } catch {
    // A proxy in between may say it in words.
    return {};
  }
}

interface ForAll {
  status: number;
  body: JsonObject;
  cacheControl: string;
}

/** Ready is a node through which every tenant is served. */
function readyForAll(asked: AskedOfAll): ForAll {
  const states = [...asked].map(([partition, answer]) => [
    partition,
    answer === undefined ? 'undecided' : String(answer.json['status']),
  ]);
  const ok = [...asked.values()].every((answer) => answer?.status === 200);
  const reason = ok
    ? null
    : 'A partition is not served; details name it. Ask for it alone with the header Harn-Partition.';
  const body = {
    ok,
    status: ok ? 'ready' : 'starting',
    reason,
    details: { partitions: Object.fromEntries(states) },
  };
  return { status: ok ? 200 : 503, body, cacheControl: 'no-store' };
}

const FOR_ALL: Readonly<Record<string, (asked: AskedOfAll) => ForAll>> = {
  '/ready': readyForAll,
  /** Each partition has keys of its own; what was signed in any of them is verified with one set. */
  '/.well-known/jwks.json': (asked) => {
    const members = (name: string) => {
      const all = [...asked.values()].flatMap((answer) => (answer?.json[name] ?? []) as JsonObject[]);
      return [...new Map(all.map((key) => [key['kid'], key])).values()];
    };
    // Half a set would make good signatures look bad.
    if (![...asked.values()].every((answer) => answer?.status === 200))
      throw new ProtocolError(
        'service_unavailable',
        'The keys of a partition cannot be read at the moment. Send the request again.',
        { retryAfterSeconds: 1 },
      );
    const body = { keys: members('keys'), revoked_keys: members('revoked_keys') };
    return { status: 200, body, cacheControl: 'public, max-age=300' };
  },
};

/** The configuration of the gateway of one partition: it is reached through its node alone. */
export function configOfPartition(config: Config, partition: string): Config {
  const { server, store, connectors, usesSampleConnector } = config;
  const { tls: _tls, grpc, ...plain } = server;
  const address = grpcAddressOf(config);
  const { advertise = '', ...place } = store;
  const isFirst = partition === FIRST_PARTITION;
  return {
    ...config,
    server: {
      ...plain,
      host: LOOPBACK,
      port: 0,
      public_url: server.public_url ?? advertise,
      allowed_hosts: [
        ...server.allowed_hosts,
        new URL(advertise).host,
        ...(grpc ? [ownGrpcAddress(advertise, grpc)] : []),
      ],
      ...(address && { grpc: { host: LOOPBACK, port: 0, public_address: address } }),
      trusted_proxies: [...server.trusted_proxies, LOOPBACK],
    },
    store: { ...place, data: dataOfPartition(store.data, partition) },
    // Its workspace is of the first tenant.
    connectors: usesSampleConnector && !isFirst ? [] : connectors,
    usesSampleConnector: usesSampleConnector && isFirst,
  };
}

/** Which tenants the gateway of a partition serves, as the servers of the log say. Rejects with StoreOpenError. */
export function tenantsOf(
  partition: string,
  { config, clock, logger }: Pick<Parts, 'config' | 'clock' | 'logger'>,
): Promise<OwnTenants> {
  return openOwnTenants(partition, { ...streamOptions(config), clock, logger, timers: nodeTimers });
}

const LOOPBACK = '127.0.0.1';

/** Where clients reach gRPC, as cards say; undefined where it is not served. */
function grpcAddressOf({
  server: { grpc, public_url },
  store: { advertise = '' },
}: Config): string | undefined {
  return grpc && (grpc.public_address ?? ownGrpcAddress(public_url ?? advertise, grpc));
}

function ownGrpcAddress(url: string, { port }: { port: number }): string {
  return `${new URL(url).hostname}:${port}`;
}

/** Where another node serves gRPC, which all nodes do in the same way; undefined where it is not known. */
function grpcOf(owner: Holder | undefined, isEncrypted: boolean): string | undefined {
  const { url, grpcPort: port } = owner ?? {};
  if (url === undefined || port === undefined) return undefined;
  return `${isEncrypted ? 'https' : 'http'}://${ownGrpcAddress(url, { port })}`;
}

/** The port of gRPC of the node; nothing of it is loaded where it is not served. */
async function grpcDoor(
  settings: GrpcSettings,
  address: string | undefined,
  { isServing, ...deps }: Omit<GrpcDoorDeps, 'health'> & { isServing(): Promise<boolean> },
): Promise<GrpcDoor> {
  const [{ GrpcDoor }, { healthMethods }] = await Promise.all([
    import('#surfaces/relay/grpc-door.ts'),
    import('#surfaces/grpc/health.ts'),
  ]);
  for (const name of [address, ownGrpcAddress(deps.ownUrl, settings)])
    if (name !== undefined) deps.hosts.add(name);
  const services = Object.values(SERVICE_NAMES);
  const health = healthMethods({ timers: deps.timers, services, isServing });
  return new GrpcDoor(settings, { ...deps, health });
}

/** The first partition has the directory that a log with one partition has. */
function dataOfPartition(data: string, partition: string): string {
  return partition === FIRST_PARTITION ? data : join(data, 'partitions', partition);
}

function servedBy({ store: { partitions, serves } }: Config): string[] {
  const all = partitionIds(partitions);
  return serves === undefined ? all : all.filter((_id, at) => serves.includes(at));
}

/** Lets each partition of a node begin with the keys of the node's data directory; each rotates its own from then on. */
export function ensurePartitionKeys(config: Config): void {
  const { data } = config.store;
  const { keys } = dataPaths(data);
  openKeyRegistry({ dir: keys, clock: systemClock, random: systemRandom, addsChecksum: !existsSync(keys) });
  inputBoxKey(data, systemRandom);
  for (const partition of servedBy(config)) {
    const own = dataPaths(dataOfPartition(data, partition)).keys;
    if (!existsSync(own)) copyKeys(keys, own);
  }
}

/** After a crash the copy is there whole, or not at all. */
function copyKeys(from: string, to: string): void {
  const draft = `${to}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from))
    writeFileAtomicSync(join(draft, name), readFileSync(join(from, name)), 0o600);
  renameSync(draft, to);
  syncDirectorySync(dirname(to));
}
