import { afterAll, beforeAll, describe } from 'vitest';
import { describeStoreContract } from '../../contracts/store-contract.ts';
import { openJetStreamFor } from '../../harness/jetstream-store.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';

describe.skipIf(NATS_SERVER === undefined)(needsNats('a store in front of JetStream'), () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start();
  });
  afterAll(() => servers.close());

  describeStoreContract('the store of a log on JetStream', (path) =>
    openJetStreamFor(servers.urls, { path }),
  );
});
