import type { Clock, Logger, Random } from '#protocol/ports.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import { FORMS } from '../migrate/forms.ts';
import type { Timers } from '../timers.ts';
import {
  isSaid,
  Journal,
  type JournalOptions,
  leaseBucket,
  leaseKey,
  OPEN_MS,
  unreachable,
  untilDone,
} from './journal.ts';
import { JournaledStore } from './journaled-store.ts';
import { type Holder, Lease } from './lease.ts';

export interface JetStreamOptions
  extends Pick<JournalOptions, 'servers' | 'credentials' | 'name' | 'partition' | 'replicas'> {
  level: LevelStoreOptions;
  clock: Clock;
  random: Random;
  timers: Timers;
  logger: Logger;
  /** Called once, when another node decides: nothing is written from then on. */
  onOvertaken(): void;
  /** Where other nodes reach this one. Default: nowhere. */
  address?: Omit<Holder, 'node'> | undefined;
  /** Called while this node waits, with the one that decides; undefined where none does, or this one from now on. Default: nothing is called. */
  onHolder?: ((holder: Holder | undefined) => void) | undefined;
  /** Origin of the node that is to decide next, asked when this one ends. Default: whoever comes first. */
  successor?: (() => string | undefined) | undefined;
  /** Stops the waiting for another node's lease: the opening rejects with its reason then. Default: nothing does. */
  signal?: AbortSignal | undefined;
  /** How long another node's lease is waited for, in milliseconds. Default: for ever. */
  waitsMs?: number | undefined;
}

const ID_BYTES = 16;
/** How long a node that has the lease tries to begin its term. */
const BEGIN_MS = 5_000;

/**
 * Opens the store of a log on JetStream, with this node as the one that decides: waits until no other one does, and reads what that one
 * writes meanwhile. Rejects with StoreOpenError.
 */
export async function openJetStreamStore(options: JetStreamOptions): Promise<JournaledStore> {
  const { level, random, logger, onOvertaken, waitsMs, address, onHolder = () => undefined, ...of } = options;
  const newId = (object: string) => `${object}_${Buffer.from(random.bytes(ID_BYTES)).toString('hex')}`;
  // What a power loss takes from it is in the stream.
  const cache = await openLevelStore({ ...level, syncs: false });
  let journal: Journal | undefined;
  let lease: Lease | undefined;
  const overtaken = once(onOvertaken);
  try {
    journal = await Journal.open({ ...of, newLogId: () => newId('log'), schema: FORMS.current });
    const leaseParts = {
      ...of,
      connection: journal.connection,
      bucket: leaseBucket(of.name),
      key: leaseKey(of.partition ?? FIRST_PARTITION),
      self: { node: newId('node'), ...address },
      logger,
      onLost: overtaken,
      onHolder,
    };
    const patiently = <T>(action: () => Promise<T>) => untilDone(of, OPEN_MS, action);
    lease = await patiently(() => Lease.open(leaseParts));
    const newTermId = () => newId('term');
    const parts = { cache, journal, logger, lease, newTermId, onOvertaken: overtaken };
    const store = await patiently(() => JournaledStore.open(parts));
    const started = of.clock.monotonic();
    for (;;) {
      await lease.take(async (taken) => {
        if (waitsMs !== undefined && of.clock.monotonic() - started > waitsMs) throw inUse(store.stream);
        await store.followOn(taken);
      }, options.signal);
      try {
        await untilDone(of, BEGIN_MS, () => store.beginTerm());
        break;
      } catch (error) {
        if (waitsMs !== undefined || isSaid(error)) throw error;
        // Another node may reach what this one does not.
        logger.warn({ err: error }, 'the servers of the log take no term of this node; it waits again');
        await lease.giveBack();
      }
    }
    logger.info(
      { stream: store.stream, waited_ms: Math.round(of.clock.monotonic() - started) },
      'this node decides for the log',
    );
    return store;
  } catch (error) {
    await cache.close();
    await lease?.release();
    await journal?.close();
    throw isSaid(error) || error === options.signal?.reason
      ? error
      : unreachable(options.servers.join(', '), error);
  }
}

function inUse(stream: string): StoreOpenError {
  return new StoreOpenError(
    'locked',
    stream,
    `A gateway decides for the log of the stream ${stream}. Stop all gateways of this log, and run this again.`,
  );
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
