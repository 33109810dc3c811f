import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { killChildren } from '../child-processes.ts';
import { EPISODES, takeOvers } from './take-over.ts';

const LIMIT_MS = 240_000;
const SEED = 23;

describe.skipIf(NATS_SERVER === undefined)(needsNats('two gateways on one log'), () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start({ servers: 3 });
  });
  afterAll(async () => {
    await killChildren();
    await servers.close();
  });

  it(
    'lose nothing, whatever is done to the one that decides, to its network and to the servers',
    async () => {
      const { report, outages } = await takeOvers(servers, SEED, [...EPISODES, 'kill -9']);
      process.stderr.write(`chaos, seed ${SEED}: ${JSON.stringify({ counts: report.counts, outages })}\n`);
      expect(report.violations, JSON.stringify(outages)).toEqual([]);
      expect(outages).toHaveLength(EPISODES.length + 1);
    },
    LIMIT_MS,
  );
});
