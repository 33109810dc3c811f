import type { Config } from '../config/load.ts';
import { checkContents } from '../dispatch/check-contents.ts';
import { checkReceipts } from '../dispatch/check-receipts.ts';
import { checkTreeNodes } from '../dispatch/check-tree-nodes.ts';
import { checkTrustRecords } from '../dispatch/check-trust-records.ts';
import { type CheckStep, checkLog } from '../eventlog/check-log.ts';
import { headOfCheckpoint, readCheckpoint } from '../eventlog/checkpoint.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Finding } from '../eventlog/finding.ts';
import { openEventLog } from '../eventlog/open-log.ts';
import { dataPaths } from '../operation/data-directory.ts';
import { project } from '../projections/projection.ts';
import { isSettledState } from '../projections/state-keys.ts';
import type { Spool } from '../protocol/bytes.ts';
import type { Clock, Logger, Random } from '../protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '../receipts/key-registry.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { openBodySpool } from '../store/body-spool.ts';
import { DataFileError } from '../store/checked-file.ts';
import type { TableSeal } from '../store/checked-tables.ts';
import { type LevelStoreOptions, openLevelStore } from '../store/level-store.ts';
import type { Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';
import type { DamagedTable } from '../store/table-check.ts';
import { nodeTimers } from '../surfaces/timers.ts';

export interface OpenLogParts {
  config: Config;
  logger: Logger;
  redactor: Redactor;
  clock: Clock;
  random: Random;
  /** Default: LevelDB. */
  openStore?: (options: LevelStoreOptions) => Promise<Store>;
}

/** What a data directory holds, open. */
export interface OpenData {
  log: EventLog;
  keys: KeyRegistry;
}

/** The same with the place where large bodies lie while they are looked at. */
export interface OpenDirectory extends OpenData {
  spool: Spool;
}

/** The log alone; what the offline `log` commands do. */
export async function openLog(parts: OpenLogParts): Promise<EventLog> {
  return (await openData(parts)).log;
}

/** Opens store, keys and log of a data directory. */
export async function openData(parts: OpenLogParts): Promise<OpenDirectory> {
  const { config, logger, redactor, clock, random, openStore = openLevelStore } = parts;
  const paths = dataPaths(config.store.data);
  const keysOf = once(() => openKeyRegistry({ dir: paths.keys, clock, random }));
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
      redact: (value) => redactor.redactValue(value).value,
      projection: project,
      isSettled: isSettledState,
      checkpointPath: paths.checkpoint,
    });
    return { log, keys, spool };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Signs with the key that signs now. The keys are asked for only when the store has its lock. */
function tableSeal(keys: () => KeyRegistry): TableSeal {
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

/** Verifies the log of a data directory that no gateway uses, and what is stored beside it. */
export async function* checkData(data: string, clock: Clock, random: Random): AsyncGenerator<CheckStep> {
  const paths = dataPaths(data);
  const keysOf = once(() => openKeyRegistry({ dir: paths.keys, clock, random }));
  const damaged: DamagedTable[] = [];
  const store = await openLevelStore({
    path: paths.store,
    seal: tableSeal(keysOf),
    onDamaged: (table) => damaged.push(table),
  });
  try {
    const keys = keysOf();
    for (const { file, setAside } of damaged) {
      const observed = `a damaged table, kept as ${setAside}`;
      yield {
        kind: 'finding',
        finding: { problem: 'hash', where: file, expected: 'whole blocks', observed },
      };
    }
    for (const { after, upTo } of store.lost) {
      const observed = `damage between "${after}" and "${upTo}"`;
      yield {
        kind: 'finding',
        finding: { problem: 'hash', where: paths.store, expected: 'whole tables', observed },
      };
    }
    const stored = readCheckpoint(paths.checkpoint, keys);
    if (stored.status === 'bad') {
      const { expected, observed } = stored;
      yield { kind: 'finding', finding: { problem: 'chain', where: paths.checkpoint, expected, observed } };
    }
    const checkpoint = stored.status === 'ok' ? { checkpoint: headOfCheckpoint(stored.checkpoint) } : {};
    yield* checkLog({ store, projection: project, ...checkpoint });
    const verification = keys.verificationKeys();
    yield* findingsOf(checkContents(store));
    yield* findingsOf(checkReceipts(store, verification));
    yield* findingsOf(checkTreeNodes(store));
    yield* findingsOf(checkTrustRecords(store, verification));
  } finally {
    await store.close();
  }
}

/** A check that meets what the store cannot read ends there, and the others go on. */
async function* findingsOf(check: AsyncIterable<Finding>): AsyncGenerator<CheckStep> {
  try {
    for await (const finding of check) yield { kind: 'finding', finding };
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    const { where, expected, observed } = error;
    yield { kind: 'finding', finding: { problem: 'hash', where, expected, observed } };
  }
}
