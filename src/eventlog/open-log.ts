import { dirname } from 'node:path';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import { FIRST_PARTITION, partitionOf } from '#protocol/ports.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import { type CheckpointVerdict, headOfCheckpoint, readCheckpoint } from './checkpoint.ts';
import { CHECKPOINT_FILE, CommitLog } from './commit-log.ts';
import { EMPTY_HEAD } from './commit-walk.ts';
import type { EventLog, Integrity, LogHead, Projection } from './event-log.ts';
import { openLogMeta } from './log-meta.ts';
import type { Forms } from './migrate/forms.ts';
import { NO_EVENT, type SaidSlots } from './segment.ts';
import type { Timers } from './timers.ts';
import { type TailVerdict, verifyTail } from './verify-tail.ts';

const DEFAULT_CACHE_CHARS = 4 * 1024 * 1024;
const DEFAULT_CHECKPOINT_INTERVAL_MS = 1_000;

export interface EventLogOptions {
  store: Store;
  keys: KeyRegistry;
  clock: Clock;
  random: Random;
  timers: Timers;
  logger: Logger;
  projection: Projection;
  /** What states hold of what events said, which rows do not repeat. Default: nothing. */
  said?: SaidSlots;
  /** Resources that are nothing but events, and of which none comes once their run has ended. Default: none. */
  endsWithRun?: (key: string) => boolean;
  /** `<data>/checkpoint.json`, outside the store. */
  checkpointPath: string;
  /** Least time between two checkpoint files. Default 1,000. */
  checkpointIntervalMs?: number;
  /** The stored form and the steps to it. Default: those of this version. */
  forms?: Forms;
  /** The four digits that event ids begin with. Default: those of the log, `0000` for an empty one. */
  partition?: string | undefined;
  /** Bound of the cache of parsed states, in characters of JSON. Default 4 Mi. */
  stateCacheChars?: number;
}

/**
 * Opens the log and verifies it from its signed checkpoint to its end. A store that is truncated or damaged is opened for
 * reading; `integrity` says why. Throws OtherSchemaError for data of another version.
 */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { store, keys, clock, timers, logger, projection } = options;
  const { logId, start } = await verifyAtStart(options);
  const partition = partitionFor(start.head, options);
  if (start.integrity.status !== 'ok')
    logger.error({ integrity: start.integrity }, 'the log fails its check');
  return new CommitLog({
    store,
    clock,
    timers,
    logger,
    projection,
    said: options.said ?? (() => undefined),
    endsWithRun: options.endsWithRun ?? (() => false),
    cacheChars: options.stateCacheChars ?? DEFAULT_CACHE_CHARS,
    checkpoint: {
      keys,
      path: options.checkpointPath,
      logId,
      intervalMs: options.checkpointIntervalMs ?? DEFAULT_CHECKPOINT_INTERVAL_MS,
    },
    start,
    partition,
  });
}

/** Ids of two partitions in one log would be in no order. */
function partitionFor({ eventId }: LogHead, { partition, checkpointPath }: EventLogOptions): string {
  const found = eventId === NO_EVENT ? undefined : partitionOf(eventId);
  if (found === undefined || partition === undefined || found === partition)
    return partition ?? found ?? FIRST_PARTITION;
  const where = dirname(checkpointPath);
  throw new StoreOpenError(
    'unreadable',
    where,
    `${where} holds the log of partition ${found}, and this gateway is of partition ${partition}. Give each partition a data directory of its own.`,
  );
}

interface Start {
  logId: string;
  start: TailVerdict & { trusted: LogHead };
}

/** The first fault decides: the store's own record, then the checkpoint file, then the log behind it. */
async function verifyAtStart(options: EventLogOptions): Promise<Start> {
  const { store, keys, checkpointPath } = options;
  const stored = readCheckpoint(checkpointPath, keys);
  const checkpoint = stored.status === 'ok' ? stored.checkpoint : undefined;
  const trusted = checkpoint === undefined ? EMPTY_HEAD : headOfCheckpoint(checkpoint);
  const meta = await logMeta(options);
  const logId = meta.logId ?? checkpoint?.log_id ?? UNKNOWN_LOG;
  const fault = meta.fault ?? checkpointFault(stored, logId);
  const verdict = await verifyTail(store, fault === undefined ? trusted : EMPTY_HEAD);
  const isEmpty = verdict.head.commit === 0;
  // An emptied store is a truncated one, whatever id it was given since.
  const integrity = fault === undefined || verdict.integrity.status !== 'ok' ? verdict.integrity : fault;
  if (isEmpty && checkpoint !== undefined)
    return { logId, start: { ...verdict, trusted, integrity: truncated(trusted, verdict.head) } };
  return { logId, start: { ...verdict, trusted, integrity } };
}

const UNKNOWN_LOG = 'log_unknown';

function truncated(expected: LogHead, found: LogHead): Integrity {
  return { status: 'truncated', expected, found };
}

async function logMeta({
  store,
  random,
  forms,
}: EventLogOptions): Promise<{ logId?: string; fault?: Integrity }> {
  try {
    return await openLogMeta(store, random, forms);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    const { where, expected, observed } = error;
    return { fault: { status: 'damaged', where, expected, observed } };
  }
}

function checkpointFault(stored: CheckpointVerdict, logId: string): Integrity | undefined {
  const fault = (expected: string, observed: string): Integrity => ({
    status: 'damaged',
    where: CHECKPOINT_FILE,
    expected,
    observed,
  });
  if (stored.status === 'bad') return fault(stored.expected, stored.observed);
  if (stored.status === 'ok' && stored.checkpoint.log_id !== logId)
    return fault(`a checkpoint of ${logId}`, `one of ${stored.checkpoint.log_id}`);
  return undefined;
}
