import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { JournaledStore } from '#eventlog/jetstream/journaled-store.ts';
import { type JetStreamOptions, openJetStreamStore } from '#eventlog/jetstream/open-jetstream.ts';
import type { LevelStoreOptions } from '#store/level-store.ts';
import { nodeTimers } from '#surfaces/timers.ts';

export const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The store of a log that is named after the directory above it, so that each test directory has one of its own. */
export function openJetStreamFor(
  servers: readonly string[],
  level: LevelStoreOptions,
  given: Partial<Pick<JetStreamOptions, 'clock' | 'onOvertaken' | 'address'>> = {},
): Promise<JournaledStore> {
  return openJetStreamStore({
    servers,
    name: basename(dirname(level.path)).slice(0, 32),
    replicas: servers.length,
    level,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    random: { bytes: (size) => randomBytes(size) },
    timers: nodeTimers,
    logger: QUIET,
    onOvertaken: () => undefined,
    ...given,
  });
}
