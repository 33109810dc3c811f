import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '#config/load.ts';
import { type CheckStep, checkLog } from '#eventlog/check-log.ts';
import { type CheckpointVerdict, headOfCheckpoint, readCheckpoint } from '#eventlog/checkpoint.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import type { JournalSight } from '#eventlog/jetstream/inspect.ts';
import { refuseOtherSchema } from '#eventlog/log-meta.ts';
import { FORMS, type Forms } from '#eventlog/migrate/forms.ts';
import { openEventLog } from '#eventlog/open-log.ts';
import type { Scratch } from '#eventlog/scratch.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { refuseHalfMigrated } from '#operation/exchange-stores.ts';
import type { Spool } from '#protocol/bytes.ts';
import { type Clock, type Logger, type Random, timestamp } from '#protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '#receipts/key-registry.ts';
import { checkContents } from '#resources/artifact/check-contents.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { checkReceipts } from '#resources/receipt/check-receipts.ts';
import { checkTreeNodes } from '#resources/receipt/check-tree-nodes.ts';
import { keysIn } from '#resources/receipt/signing-keys.ts';
import { saidSlots } from '#resources/said-slots.ts';
import { endsWithRun } from '#resources/states.ts';
import { checkFrames } from '#resources/task/check-frames.ts';
import { checkTrustRecords } from '#resources/trust/check-trust-records.ts';
import { openBodySpool } from '#store/body-spool.ts';
import { DataFileError } from '#store/checked-file.ts';
import type { TableSeal } from '#store/checked-tables.ts';
import { JOURNAL_KEY } from '#store/keys.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import { takeSnapshot } from '#store/snapshot.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import type { DamagedTable } from '#store/table-check.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import type { Nodes } from './jetstream.ts';

export interface OpenLogParts {
  config: Config;
  logger: Logger;
  clock: Clock;
  random: Random;
  /** The stored form and the steps to it. Default: those of this version. */
  forms?: Forms;
  /** Opens although the signing key is lost, for a rotation. Default: it is an error. */
  opensWithoutKey?: boolean;
  /** Default: what the configuration says. */
  openStore?: (options: LevelStoreOptions) => Promise<Store>;
  /** Called once, when another node decides for the log: this one can write no more. Default: nothing is called. */
  onOvertaken?: () => void;
  /** The other nodes of a log that several share. Default: they do not learn where this one is. */
  nodes?: Nodes;
  /** The partition of its log, four digits. Default: what the log says. */
  partition?: string | undefined;
}

/** What a data directory holds, open. */
export interface OpenData {
  log: EventLog;
  keys: KeyRegistry;
}

/** The same with the place where large bodies lie while they are looked at. */
export interface OpenDirectory extends OpenData {
  spool: Spool;
  /** Asked before anything leaves for an agent or a receiver. Default: this process may at any time. */
  mayAct?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** The log alone; what the offline `log` commands do. */
export async function openLog(parts: OpenLogParts): Promise<EventLog> {
  return (await openData(parts)).log;
}

/** Opens store, keys and log of a data directory. */
export async function openData(parts: OpenLogParts): Promise<OpenDirectory> {
  const { config, logger, clock, random, opensWithoutKey = false } = parts;
  refuseHalfMigrated(config.store.data);
  const { project } = await loadRooms();
  const paths = dataPaths(config.store.data);
  const keysOf = once(() =>
    openKeyRegistry({ dir: paths.keys, clock, random, addsChecksum: true, opensWithoutKey }),
  );
  const openStore = parts.openStore ?? (await configuredStore(parts));
  const store = await openStore({
    path: paths.store,
    seal: tableSeal(keysOf),
    onDamaged: (table) => logger.warn({ table }, 'a table of the store is damaged'),
  });
  try {
    const spool = await openBodySpool(paths.spool);
    const keys = keysOf();
    const log = await openEventLog({
      store,
      keys,
      clock,
      random,
      timers: nodeTimers,
      logger,
      projection: project,
      said: saidSlots,
      endsWithRun,
      checkpointPath: paths.checkpoint,
      partition: parts.partition,
      ...(parts.forms === undefined ? {} : { forms: parts.forms }),
    });
    if (config.store.kind === 'jetstream' && log.integrity.status === 'ok')
      keys.adopt(keysIn(store), timestamp(Math.max(clock.now(), log.timeMs)));
    return { log, keys, spool, mayAct: store.mayAct?.bind(store) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What one look at the servers of the log found; undefined where the log is in the data directory. Throws ConfigError. */
export async function inspectLogServers(config: Config): Promise<JournalSight | undefined> {
  if (config.store.kind === 'leveldb') return undefined;
  const { inspectServers } = await import('./jetstream.ts');
  return inspectServers({ config });
}

async function configuredStore(parts: OpenLogParts): Promise<(options: LevelStoreOptions) => Promise<Store>> {
  if (parts.config.store.kind === 'leveldb') return openEmbedded;
  const { jetStreamStore } = await import('./jetstream.ts');
  return jetStreamStore(parts);
}

/** A copy of a log that others write must not go on by itself: there would be two logs of one id. */
async function openEmbedded(options: LevelStoreOptions): Promise<Store> {
  const store = await openLevelStore(options);
  if (store.get(JOURNAL_KEY) === undefined) return store;
  await store.close();
  throw new StoreOpenError(
    'unreadable',
    options.path,
    `${options.path} is the copy of a log in JetStream. Set store.kind to jetstream; or bring the log here with ` +
      '"harn-gateway log move --to leveldb".',
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What one look at a data directory found. */
export type DataSight =
  | { kind: 'absent' }
  /** `pid`: who has it open, where that said so. */
  | { kind: 'in_use'; pid: number | undefined }
  | { kind: 'readable'; schema: number };

/**
 * Looks whether the data of a directory can be opened by this version; makes nothing. Throws what opening it would: StoreOpenError,
 * OtherSchemaError, DataFileError.
 */
export async function inspectData({
  data,
  kind,
}: Pick<Config['store'], 'data' | 'kind'>): Promise<DataSight> {
  const { store: path } = dataPaths(data);
  if (!existsSync(join(path, 'CURRENT'))) return { kind: 'absent' };
  refuseHalfMigrated(data);
  try {
    const store = await (kind === 'leveldb' ? openEmbedded : openLevelStore)({ path });
    try {
      refuseOtherSchema(store);
      return { kind: 'readable', schema: FORMS.current };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.reason !== 'locked') throw error;
    return { kind: 'in_use', pid: error.ownerPid };
  }
}

/** Signs with the key that signs now. The keys are asked for only when the store has its lock. */
export function tableSeal(keys: () => KeyRegistry): TableSeal {
  return {
    sign: (bytes) => {
      const key = keys().current();
      return `${key.keyId}.${key.sign(bytes).toString('base64')}`;
    },
    verify: (bytes, seal) => {
      const [keyId = '', signature = ''] = seal.split('.');
      return keys().verify(keyId, bytes, signature) === 'ok';
    },
  };
}

/** A checkpoint is signed, which is its checksum: one that is damaged says nothing of the log. Throws DataFileError. */
export function refuseBadCheckpoint(data: string, keys: KeyRegistry): void {
  const path = dataPaths(data).checkpoint;
  const stored = readCheckpoint(path, keys);
  if (stored.status !== 'bad') return;
  throw new DataFileError(
    path,
    `is damaged (expected ${stored.expected}, found ${stored.observed})`,
    'Restore it from a backup; or run "harn-gateway log check", and where it finds nothing else "harn-gateway log accept-truncation", which writes it anew.',
  );
}

/** Called when a gateway runs on the data, so that a snapshot of its log is checked; its process, if known. */
export interface SnapshotStep {
  kind: 'snapshot';
  pid: number | undefined;
}

/**
 * Verifies the log of a data directory and what is stored beside it; of a running gateway as it was at one moment. Throws
 * StoreOpenError, and OtherSchemaError for the data of another version.
 */
export async function* checkData(
  data: string,
  clock: Clock,
  random: Random,
  forms: Forms = FORMS,
): AsyncGenerator<CheckStep | SnapshotStep> {
  refuseHalfMigrated(data);
  const paths = dataPaths(data);
  const keysOf = once(() => openKeyRegistry({ dir: paths.keys, clock, random }));
  const found: DamagedTable[] = [];
  const onDamaged = (table: DamagedTable) => found.push(table);
  // Read first: a running gateway is never behind its checkpoint.
  const readStored = () => readCheckpoint(paths.checkpoint, keysOf());
  try {
    const store = await openLevelStore({ path: paths.store, seal: tableSeal(keysOf), onDamaged });
    yield* checkStore(store, { paths, keys: keysOf(), stored: readStored(), found, forms });
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.reason !== 'locked') throw error;
    yield { kind: 'snapshot', pid: error.ownerPid };
    const stored = readStored();
    const snapshot = join(data, `${SNAPSHOT_PREFIX}${process.pid}`);
    forgetSnapshots(data);
    try {
      await takeSnapshot(paths.store, snapshot);
      const store = await openLevelStore({ path: snapshot, onDamaged });
      yield* checkStore(store, { paths, keys: keysOf(), stored, found, forms });
    } finally {
      rmSync(snapshot, { recursive: true, force: true });
    }
  }
}

const SNAPSHOT_PREFIX = 'snapshot-';

/** Those of checks that were killed. */
function forgetSnapshots(data: string): void {
  for (const name of readdirSync(data)) {
    const pid = Number(name.startsWith(SNAPSHOT_PREFIX) && name.slice(SNAPSHOT_PREFIX.length));
    if (pid > 0 && !isAlive(pid)) rmSync(join(data, name), { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

interface StoreToCheck {
  paths: Pick<ReturnType<typeof dataPaths>, 'store' | 'checkpoint'>;
  keys: KeyRegistry;
  stored: CheckpointVerdict;
  /** Tables that the opening found damaged. */
  found: readonly DamagedTable[];
  forms: Forms;
  /** Where the folds are rebuilt. Default: memory. */
  scratch?: Scratch;
  /** Default: the store is closed at the end. */
  keepsOpen?: boolean;
}

/** Closes the store at its end, unless told to keep it open. */
export async function* checkStore(
  store: Store,
  { paths, keys, stored, found, forms, scratch, keepsOpen = false }: StoreToCheck,
): AsyncGenerator<CheckStep> {
  try {
    refuseOtherSchema(store, forms);
    for (const { file, lost } of found)
      yield hashFinding(
        join(paths.store, basename(file)),
        'whole blocks',
        `${lost.length} damaged blocks of keys`,
      );
    for (const { after, upTo } of store.lost)
      yield hashFinding(paths.store, 'whole tables', `damage between "${after}" and "${upTo}"`);
    if (stored.status === 'bad') {
      const { expected, observed } = stored;
      yield { kind: 'finding', finding: { problem: 'chain', where: paths.checkpoint, expected, observed } };
    }
    // The registry beside an embedded log is the truth; of a copy of a shared one, other nodes have registries too.
    const verifier = store.get(JOURNAL_KEY) === undefined ? keys : keys.with(keysIn(store));
    const checkpoint = stored.status === 'ok' ? { checkpoint: headOfCheckpoint(stored.checkpoint) } : {};
    const { project } = await loadRooms();
    const place = scratch === undefined ? {} : { scratch };
    yield* checkLog({ store, projection: project, said: saidSlots, keys: verifier, ...checkpoint, ...place });
    const verification = verifier.verificationKeys();
    yield* findingsOf(checkContents(store));
    yield* findingsOf(checkFrames(store));
    yield* findingsOf(checkReceipts(store, verification));
    yield* findingsOf(checkTreeNodes(store));
    yield* findingsOf(checkTrustRecords(store, verification));
  } finally {
    if (!keepsOpen) await store.close();
  }
}

function hashFinding(where: string, expected: string, observed: string): CheckStep {
  return { kind: 'finding', finding: { problem: 'hash', where, expected, observed } };
}

/** A check ends at what the store cannot read. The other checks go on. */
async function* findingsOf(check: AsyncIterable<Finding>): AsyncGenerator<CheckStep> {
  try {
    for await (const finding of check) yield { kind: 'finding', finding };
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    yield hashFinding(error.where, error.expected, error.observed);
  }
}
