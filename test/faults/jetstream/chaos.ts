import { NatsServers } from '../../harness/nats-servers.ts';
import { canMount } from '../full-disk.ts';
import type { Report } from '../report.ts';
import { SeededRandom } from '../seeded-random.ts';
import { EPISODES, takeOvers } from './take-over.ts';
import { EPISODES_OF_DISKS, EPISODES_OF_NODES, type NodeEpisode, threeNodes } from './three-nodes.ts';

const DISK_BYTES = 256 * 1024 * 1024;

/** What can be done to three gateways on this machine. */
export const NODE_EPISODES: readonly NodeEpisode[] = canMount
  ? [...EPISODES_OF_NODES, ...EPISODES_OF_DISKS]
  : EPISODES_OF_NODES;

/** So many episodes of any kind on servers of their own, in an order that the seed says. */
export async function jetStreamChaos(seed: number, episodes: number): Promise<Report> {
  const random = new SeededRandom(seed);
  const servers = await NatsServers.start({ servers: 3 });
  try {
    const chosen = Array.from({ length: episodes }, () => random.pick(EPISODES));
    const { report, outages } = await takeOvers(servers, seed, chosen);
    for (const { how, ms } of outages) report.measure(`ms without a writer, ${how}`, ms);
    return report;
  } finally {
    await servers.close();
  }
}

/** The same with three gateways, all of which serve. `kinds`: of which the episodes are chosen. */
export async function jetStreamNodes(
  seed: number,
  episodes: number,
  kinds: readonly NodeEpisode[] = NODE_EPISODES,
): Promise<Report> {
  const random = new SeededRandom(seed);
  const servers = await startParted();
  try {
    const chosen = Array.from({ length: episodes }, () => random.pick(kinds));
    return await threeNodes(servers, seed, chosen);
  } finally {
    await servers.close();
  }
}

/** Servers whose network and disks can be broken, as far as this machine allows it. */
export const startParted = (): Promise<NatsServers> =>
  NatsServers.start({ servers: 3, canSplit: true, ...(canMount ? { diskBytes: DISK_BYTES } : {}) });
