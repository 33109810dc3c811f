import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';

let servers: NatsServers | undefined;
afterEach(async () => {
  await servers?.close();
  servers = undefined;
});

describe.skipIf(NATS_SERVER === undefined)(needsNats('NATS servers for tests'), () => {
  it('three make a cluster that keeps a stream while one of them is gone, and takes that one back', async () => {
    servers = await NatsServers.start({ servers: 3 });
    const connection = await connect({ servers: [...servers.urls], reconnectTimeWait: 100 });
    try {
      const manager = await jetstreamManager(connection);
      await manager.streams.add({ name: 'T', subjects: ['t'], num_replicas: 3 });
      await servers.signal(2, 'SIGKILL');
      await expect
        .poll(async () => (await manager.streams.info('T').catch(() => undefined))?.config.num_replicas)
        .toBe(3);
      await servers.restart(2);
      expect((await manager.streams.info('T')).cluster?.replicas).toHaveLength(2);
    } finally {
      await connection.close();
    }
  });
});
