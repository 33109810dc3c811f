import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { connectionOptions, type JournalOptions, subjectsOfLog } from './journal.ts';

const LOOK_MS = 3_000;

/** What one look at the servers of a log found. */
export interface JournalSight {
  servers: { url: string; fault?: string }[];
  /** Of its partitions; empty where no server could be asked, or where nobody has made them yet. */
  streams: StreamSight[];
}

interface StreamSight {
  name: string;
  replicas: number;
  /** Those that are up to date. */
  current: number;
}

/** Asks each server by itself, since a client that is given several is content with one of them. Makes nothing. */
export async function inspectJournal(
  options: Pick<JournalOptions, 'servers' | 'credentials' | 'name'>,
): Promise<JournalSight> {
  const looks = await Promise.all(options.servers.map((url) => lookAt(url, options)));
  const streams = looks.find((look) => look.streams.length > 0)?.streams ?? [];
  return { servers: looks.map(({ streams: _, ...server }) => server), streams };
}

async function lookAt(
  url: string,
  options: Pick<JournalOptions, 'credentials' | 'name'>,
): Promise<JournalSight['servers'][number] & Pick<JournalSight, 'streams'>> {
  let connection: NatsConnection | undefined;
  try {
    const once = { reconnect: false, maxReconnectAttempts: 0, ignoreClusterUpdates: true, timeout: LOOK_MS };
    connection = await connect({ ...connectionOptions({ ...options, servers: [url] }), ...once });
    const manager = await jetstreamManager(connection, { timeout: LOOK_MS });
    return { url, streams: await streamsOf(manager, options.name) };
  } catch (error) {
    return { url, fault: error instanceof Error ? error.message : String(error), streams: [] };
  } finally {
    await connection?.close();
  }
}

async function streamsOf(manager: JetStreamManager, log: string): Promise<StreamSight[]> {
  const found: StreamSight[] = [];
  for await (const name of manager.streams.names(subjectsOfLog(log))) {
    const { config, cluster } = await manager.streams.info(name);
    const others = (cluster?.replicas ?? []).filter(({ current, offline }) => current && offline !== true);
    // One server alone is no cluster, and has it.
    const leads = cluster === undefined || cluster.leader !== undefined ? 1 : 0;
    found.push({ name, replicas: config.num_replicas, current: leads + others.length });
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}
