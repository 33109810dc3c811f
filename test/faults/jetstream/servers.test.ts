import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { openJetStreamFor } from '../../harness/jetstream-store.ts';
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

  it('a node whose server is cut off from the others goes on by one of these', async () => {
    servers = await NatsServers.start({ servers: 3, canSplit: true });
    const directory = mkdtempSync(join(tmpdir(), 'harn-parted-'));
    let isOvertaken = false;
    const store = await openJetStreamFor(
      servers.urls,
      { path: join(directory, 'parted', 'log') },
      { onOvertaken: () => (isOvertaken = true) },
    );
    try {
      const behind = await servers.connectedTo('harn-gateway parted');
      expect(behind).toBeDefined();
      servers.split(behind ?? 0, 'up', 'down');
      await expect
        .poll(() => servers?.connectedTo('harn-gateway parted'), { timeout: 30_000 })
        .not.toBe(behind);
      const late = AbortSignal.timeout(20_000);
      await store.mayAct?.(late);
      expect(late.aborted).toBe(false);
      expect(isOvertaken).toBe(false);
    } finally {
      servers.heal();
      await store.close();
      rmSync(directory, { recursive: true });
    }
  }, 90_000);
});
