import { readFileSync } from 'node:fs';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { inspectJournal, type JournalSight } from '#eventlog/jetstream/inspect.ts';
import type { JournalOptions } from '#eventlog/jetstream/journal.ts';
import { type JetStreamOptions, openJetStreamStore } from '#eventlog/jetstream/open-jetstream.ts';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import type { LevelStoreOptions } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { nodeTimers } from '#surfaces/timers.ts';

interface JetStreamParts {
  config: Pick<Config, 'store'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  onOvertaken?: () => void;
  nodes?: Nodes;
  /** Four digits. Default: `0000`. */
  partition?: string | undefined;
}

/** How this node is found by the others of its log, who takes the news of which one decides, and how long that one is waited for. */
export type Nodes = Pick<JetStreamOptions, 'address' | 'onHolder' | 'signal' | 'successor' | 'waitsMs'>;

type StreamOptions = Pick<JournalOptions, 'servers' | 'name' | 'replicas' | 'credentials'>;

/** What opens the store of a log in JetStream, as the configuration says. Loaded only where it says so. */
export function jetStreamStore(parts: JetStreamParts): (options: LevelStoreOptions) => Promise<Store> {
  const { clock, random, logger, onOvertaken = () => undefined } = parts;
  const { partition } = parts;
  const of = {
    ...streamOptions(parts.config),
    partition,
    clock,
    random,
    logger,
    onOvertaken,
    ...parts.nodes,
  };
  return (level) => openJetStreamStore({ ...of, level, timers: nodeTimers });
}

/** Looks once at the servers that the configuration names, without a gateway. Throws ConfigError. */
export function inspectServers({ config }: Pick<JetStreamParts, 'config'>): Promise<JournalSight> {
  return inspectJournal(streamOptions(config));
}

/** Where the configuration says that the stream of the log is. Throws ConfigError. */
export function streamOptions({ store }: Pick<Config, 'store'>): StreamOptions {
  const { servers, name, replicas, credentials: file } = store;
  if (servers.length === 0)
    throw new ConfigError([{ path: 'store.servers', message: 'must name at least one NATS server' }]);
  return { servers, name, replicas, credentials: file === undefined ? undefined : readCredentials(file) };
}

function readCredentials(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ path: 'store.credentials', message: `cannot be read: ${detail}` }]);
  }
}
