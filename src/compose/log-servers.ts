import type { Config } from '#config/load.ts';
import type { JsonValue } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import { fetchSmallJson } from './fetch-json.ts';
import { operatorGuard } from './outbound-guard.ts';

/** What the monitoring address of a NATS server said. */
export interface ServerSight {
  url: string;
  /** Whether a message is on the disk before it is acknowledged. Undefined where it cannot be read. */
  syncsAlways?: boolean;
  /** Else, how often files are synced, in seconds. */
  syncSeconds?: number;
  /** Why nothing is known of it. */
  fault?: string;
}

const NS_PER_S = 1_000_000_000;

/** Asks each monitoring address of the configuration how its server keeps messages: clients of NATS are not told. */
export function inspectServers({ store }: Pick<Config, 'store'>): Promise<ServerSight[]> {
  const guard = operatorGuard({});
  return Promise.all(
    store.monitoring.map(async (url): Promise<ServerSight> => {
      try {
        return { url, ...syncsOf(await fetchSmallJson(guard, new URL('/jsz', url))) };
      } catch (error) {
        return { url, fault: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

/** Where other nodes of a log look for this one. `fault`: why it is not found there. */
export interface AdvertisedSight {
  url: string;
  fault?: string;
}

/** Asks the address of this node whether a gateway is there; undefined where it names none. */
export async function inspectAdvertised({
  store: { advertise: url },
}: Pick<Config, 'store'>): Promise<AdvertisedSight | undefined> {
  if (url === undefined) return undefined;
  try {
    const said = await fetchSmallJson(operatorGuard({}), new URL('/health', url));
    return objectOf(said)['ok'] === true ? { url } : { url, fault: 'what answers is no gateway' };
  } catch (error) {
    return { url, fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Throws where the answer is none of a server with JetStream. */
function syncsOf(facts: JsonValue): Pick<ServerSight, 'syncsAlways' | 'syncSeconds'> {
  const config = objectOf(facts)['config'];
  if (!isObject(config)) throw new Error('it says nothing of JetStream');
  const { sync_always: always, sync_interval: interval } = config;
  if (always === true) return { syncsAlways: true };
  return {
    syncsAlways: false,
    ...(typeof interval === 'number' ? { syncSeconds: interval / NS_PER_S } : {}),
  };
}
