import { existsSync } from 'node:fs';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { readCheckpoint } from '#eventlog/checkpoint.ts';
import type { Finding } from '#eventlog/finding.ts';
import { Journal, type JournalOptions } from '#eventlog/jetstream/journal.ts';
import { newestHead, positionDel, positionOf } from '#eventlog/jetstream/journaled-store.ts';
import { type MoveProgress, moveIntoStream, OtherRowsError, roomFor } from '#eventlog/jetstream/move.ts';
import { openJetStreamStore } from '#eventlog/jetstream/open-jetstream.ts';
import { logMetaOf } from '#eventlog/log-meta.ts';
import { FORMS } from '#eventlog/migrate/forms.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { refuseHalfMigrated } from '#operation/exchange-stores.ts';
import { type Clock, type Logger, type Random, timestamp } from '#protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '#receipts/key-registry.ts';
import { keysIn } from '#resources/receipt/signing-keys.ts';
import { DataFileError } from '#store/checked-file.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { DamagedTable } from '#store/table-check.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { streamOptions } from './jetstream.ts';
import { checkStore, tableSeal } from './open-data.ts';

/** More than a lease that nobody gave back. */
const WAITS_MS = 5_000;

export interface MoveParts {
  config: Pick<Config, 'store'>;
  clock: Clock;
  random: Random;
  logger: Logger;
}

export type MoveStep =
  | MoveProgress
  | { kind: 'progress'; work: 'checked'; commits: number }
  | { kind: 'finding'; finding: Finding }
  /** The log has findings, and stays where it is. */
  | { kind: 'refused' }
  /** It was there already. */
  | { kind: 'current'; stream: string }
  | { kind: 'moved'; stream: string; commits: number };

/**
 * Brings the log of a stopped gateway into the stream that the configuration names, checked before and compared after. Interrupted, it goes
 * on when it is run again. Throws StoreOpenError, DataFileError, IntegrityError, and `service_unavailable`.
 */
export async function* moveToJetStream(parts: MoveParts): AsyncGenerator<MoveStep, void> {
  const { place, keys } = placeOf(parts);
  const store = await openLevelStore(place.level);
  try {
    const position = positionOf(store);
    if (position !== undefined) {
      yield { kind: 'current', stream: position.stream };
      return;
    }
    const meta = logMetaOf(store);
    if (meta === undefined)
      throw new IntegrityError('m/schema', 'the schema record', 'none that can be read');
    if ((yield* check(store, { ...place, keys })) > 0) return yield { kind: 'refused' };
    const journal = await journalFor(parts, meta.logId);
    const { stream } = journal;
    const { commit } = yield* bring(store, journal, () => journalFor(parts, meta.logId));
    yield { kind: 'moved', stream, commits: commit };
  } finally {
    await store.close();
  }
}

type Progress<T> = AsyncGenerator<MoveStep, T>;

async function* bring(
  store: Store,
  journal: Journal,
  anew: () => Promise<Journal>,
): Progress<{ commit: number }> {
  try {
    return yield* moveIntoStream(store, journal);
  } catch (error) {
    if (!(error instanceof OtherRowsError)) throw error;
    await journal.destroy();
    return yield* bring(store, await anew(), anew);
  } finally {
    await journal.close();
  }
}

async function journalFor(parts: MoveParts, logId: string): Promise<Journal> {
  const options: JournalOptions = {
    ...streamOptions(parts.config),
    ...parts,
    newLogId: () => logId,
    schema: FORMS.current,
    timers: nodeTimers,
  };
  const journal = await Journal.open(options);
  try {
    if ((await roomFor(logId, journal)) !== 'former') return journal;
  } catch (error) {
    await journal.close();
    throw error;
  }
  await journal.destroy();
  return journalFor(parts, logId);
}

/**
 * Brings the log of a stream into this data directory, where an embedded log goes on with it: reads what is missing, checks all of it, and
 * says so in the stream. Interrupted, it goes on when it is run again. Throws as the other way does.
 */
export async function* moveToLevelDb(parts: MoveParts): AsyncGenerator<MoveStep, void> {
  const { place, keys } = placeOf(parts);
  let stream = yield* leftBefore(parts, place.level);
  if (stream === undefined) {
    const store = await openJetStreamStore({
      ...streamOptions(parts.config),
      ...parts,
      level: place.level,
      timers: nodeTimers,
      waitsMs: WAITS_MS,
      onOvertaken: () => undefined,
    });
    try {
      if ((yield* check(store, { ...place, keys })) > 0) return yield { kind: 'refused' };
      // Those of other nodes too: from here on the registry is the truth.
      keys.adopt(keysIn(store), timestamp(parts.clock.now()));
      await store.leave();
      stream = store.stream;
    } finally {
      await store.close();
    }
  }
  const store = await openLevelStore(place.level);
  try {
    // Opened so, the write brings all before it onto the disk.
    await store.write([positionDel]);
    yield { kind: 'moved', stream, commits: (await newestHead(store)).commit };
  } finally {
    await store.close();
  }
}

/** The stream that an interrupted move has left behind already, with this directory as the place of its log. */
async function* leftBefore(parts: MoveParts, level: LevelStoreOptions): Progress<string | undefined> {
  const store = await openLevelStore(level);
  const position = positionOf(store);
  const logId = logMetaOf(store)?.logId;
  await store.close();
  if (position === undefined || logId === undefined) return undefined;
  const journal = await Journal.open({
    ...streamOptions(parts.config),
    ...parts,
    newLogId: () => logId,
    schema: FORMS.current,
    timers: nodeTimers,
  });
  try {
    const { last } = await journal.bounds();
    const isHere = position.stream === journal.stream && position.seq === last - 1;
    return isHere && (await journal.message(last))?.kind === 'left' ? journal.stream : undefined;
  } finally {
    await journal.close();
  }
}

const ONE_PARTITION =
  'must be 1 to move a log. On the way into JetStream raise it behind: the tenants that there are stay in the first partition. ' +
  'A log whose tenants lie in several partitions cannot be moved out';

interface Place {
  paths: { store: string; checkpoint: string };
  level: LevelStoreOptions;
  found: DamagedTable[];
}

/** Throws DataFileError for a directory that holds no keys: receipts could not be checked, nor the log go on with the same. */
function placeOf({ config, clock, random }: MoveParts): { place: Place; keys: KeyRegistry } {
  const { data, partitions } = config.store;
  if (partitions > 1) throw new ConfigError([{ path: 'store.partitions', message: ONE_PARTITION }]);
  refuseHalfMigrated(data);
  const paths = dataPaths(data);
  if (!existsSync(paths.keys))
    throw new DataFileError(data, 'holds no log of a gateway', 'Name the data directory with --data.');
  const keys = openKeyRegistry({ dir: paths.keys, clock, random });
  const found: DamagedTable[] = [];
  const level = {
    path: paths.store,
    seal: tableSeal(() => keys),
    onDamaged: (table: DamagedTable) => found.push(table),
  };
  return { place: { paths, level, found }, keys };
}

async function* check(store: Store, { paths, found, keys }: Place & { keys: KeyRegistry }): Progress<number> {
  const stored = readCheckpoint(paths.checkpoint, keys);
  let findings = 0;
  for await (const step of checkStore(store, { paths, keys, stored, found, forms: FORMS, keepsOpen: true })) {
    if (step.kind === 'progress') yield { kind: 'progress', work: 'checked', commits: step.commits };
    if (step.kind !== 'finding') continue;
    findings += 1;
    yield { kind: 'finding', finding: step.finding };
  }
  return findings;
}
