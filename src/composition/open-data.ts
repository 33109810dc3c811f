import type { Config } from '../config/load.ts';
import { checkContents } from '../dispatch/check-contents.ts';
import { checkReceipts } from '../dispatch/check-receipts.ts';
import { checkTreeNodes } from '../dispatch/check-tree-nodes.ts';
import { checkTrustRecords } from '../dispatch/check-trust-records.ts';
import { type CheckStep, checkLog } from '../eventlog/check-log.ts';
import { headOfCheckpoint, readCheckpoint } from '../eventlog/checkpoint.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import { openEventLog } from '../eventlog/open-log.ts';
import { dataPaths } from '../operation/data-directory.ts';
import { project } from '../projections/projection.ts';
import { isSettledState } from '../projections/state-keys.ts';
import type { Spool } from '../protocol/bytes.ts';
import type { Clock, Logger, Random } from '../protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '../receipts/key-registry.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { openBodySpool } from '../store/body-spool.ts';
import { type LevelStoreOptions, openLevelStore } from '../store/level-store.ts';
import type { Store } from '../store/store.ts';
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
  const store = await openStore({ path: paths.store });
  try {
    const spool = await openBodySpool(paths.spool);
    const keys = openKeyRegistry({ dir: paths.keys, clock, random });
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

/** Verifies the log of a data directory that no gateway uses, and what is stored beside it. */
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
    for await (const finding of checkContents(store)) yield { kind: 'finding', finding };
    for await (const finding of checkReceipts(store, keys.verificationKeys()))
      yield { kind: 'finding', finding };
    for await (const finding of checkTreeNodes(store)) yield { kind: 'finding', finding };
    for await (const finding of checkTrustRecords(store, keys.verificationKeys()))
      yield { kind: 'finding', finding };
  } finally {
    await store.close();
  }
}
