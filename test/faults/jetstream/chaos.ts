import { NatsServers } from '../../harness/nats-servers.ts';
import type { Report } from '../report.ts';
import { SeededRandom } from '../seeded-random.ts';
import { EPISODES, takeOvers } from './take-over.ts';

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
