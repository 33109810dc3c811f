import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PartitionTable, type PartitionTableParts } from '#eventlog/jetstream/partition-table.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { openJetStreamFor } from '../../harness/jetstream-store.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { LogDirectory } from '../../unit/eventlog/log-harness.ts';

const LIMIT_MS = 60_000;
const URL_OF_ALL = 'http://10.0.0.1:8080';

/** Timers that can be stopped and let go on, as a process can. */
class Sleeper {
  #isAsleep = false;
  readonly #due: (() => void)[] = [];

  readonly timers = {
    after: (delayMs: number, run: () => void) =>
      nodeTimers.after(delayMs, () => {
        if (this.#isAsleep) this.#due.push(run);
        else run();
      }),
  };

  sleep(): void {
    this.#isAsleep = true;
  }

  wake(): void {
    this.#isAsleep = false;
    for (const run of this.#due.splice(0)) run();
  }
}

describe.skipIf(NATS_SERVER === undefined)(needsNats('nodes of a log'), () => {
  let servers: NatsServers;
  const open: PartitionTable[] = [];
  beforeEach(async () => {
    servers = await NatsServers.start();
  });
  afterEach(async () => {
    for (const table of open.splice(0)) await table.close();
    await servers.close();
  });

  const said: string[] = [];
  const note = (_facts: object, message: string) => void said.push(message);
  async function node(nodeId: string, parts: Partial<PartitionTableParts> = {}): Promise<PartitionTable> {
    const table = await PartitionTable.open({
      servers: servers.urls,
      name: 'twins',
      replicas: 1,
      partitions: 2,
      tenants: ['tenant_default'],
      wanted: {},
      nodeUrl: URL_OF_ALL,
      nodeId,
      newRelaySecret: () => 'secret',
      serves: () => [],
      clock: { monotonic: () => performance.now() },
      timers: nodeTimers,
      logger: { debug: note, info: note, warn: note, error: note },
      onOwner: () => undefined,
      onOvertaken: () => undefined,
      ...parts,
    });
    open.push(table);
    return table;
  }
  const refusal = (opening: Promise<unknown>) =>
    opening.then(
      () => undefined,
      (error: unknown) => error,
    );

  describe('with one address', () => {
    it(
      'are told apart: the second is refused while the first lives',
      async () => {
        await node('node_1');
        const error = await refusal(node('node_2'));
        expect(error).toBeInstanceOf(StoreOpenError);
        expect(error).toMatchObject({
          reason: 'locked',
          message: expect.stringContaining('store.advertise'),
        });
        await node('node_3', { nodeUrl: 'http://10.0.0.2:8080' });
      },
      LIMIT_MS,
    );

    it(
      'may follow each other at once when the first one left',
      async () => {
        said.length = 0;
        await (await node('node_1')).close();
        await node('node_2');
        expect(said.filter((line) => line.includes('store.advertise'))).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'wait out the row of one that was killed, and end the one that was only asleep',
      async () => {
        said.length = 0;
        const sleeper = new Sleeper();
        let overtaken = 0;
        await node('node_1', {
          timers: sleeper.timers,
          onOvertaken: () => {
            overtaken += 1;
          },
        });
        sleeper.sleep();
        await node('node_2');
        expect(said.filter((line) => line.includes('waits to see whether it is silent'))).toHaveLength(1);
        expect(overtaken).toBe(0);
        sleeper.wake();
        while (overtaken === 0) await elapse(50);
        // The one that has it stays, and what the other one leaves behind takes nothing from it.
        await open.shift()?.close();
        const error = await refusal(node('node_3'));
        expect(error).toMatchObject({ reason: 'locked' });
        expect(overtaken).toBe(1);
      },
      LIMIT_MS,
    );

    it(
      'are told apart by the lease of a log with one partition too',
      async () => {
        const directory = new LogDirectory();
        const store = (which: string, url: string) =>
          openJetStreamFor(
            servers.urls,
            { path: join(directory.path, which, 'twins', 'log') },
            { address: { url } },
          );
        const first = await store('a', URL_OF_ALL);
        expect(await refusal(store('b', URL_OF_ALL))).toMatchObject({
          reason: 'locked',
          message: expect.stringContaining('store.advertise'),
        });
        const waiting = store('c', 'http://10.0.0.2:8080');
        await first.close();
        await (await waiting).close();
        await directory.remove();
      },
      LIMIT_MS,
    );
  });

  describe('and the places of many tenants', () => {
    const TENANTS = 2_000;
    const PARTITIONS = 4;
    const many: Partial<PartitionTableParts> = {
      partitions: PARTITIONS,
      tenants: ['tenant_default', ...Array.from({ length: TENANTS - 1 }, (_, n) => `tenant_${n}`)],
      wanted: { tenant_0: 3 },
    };

    it(
      'write each place once, and read all of them at once',
      async () => {
        const before = await servers.received(0);
        const first = await node('node_1', many);
        const placed = await servers.received(0);
        // A message for each, and what a start takes.
        expect(placed - before).toBeGreaterThan(TENANTS);
        expect(placed - before).toBeLessThan(TENANTS + 200);
        const second = await node('node_2', { ...many, nodeUrl: 'http://10.0.0.2:8080' });
        expect((await servers.received(0)) - placed).toBeLessThan(200);
        const counts = new Map<string | undefined, number>();
        for (const tenant of many.tenants ?? []) {
          const place = first.partitionOf(tenant);
          expect(second.partitionOf(tenant)).toBe(place);
          counts.set(place, (counts.get(place) ?? 0) + 1);
        }
        expect([...counts].sort()).toEqual(
          ['0000', '0001', '0002', '0003'].map((id) => [id, TENANTS / PARTITIONS]),
        );
        expect(first.partitionOf('tenant_0')).toBe('0003');
      },
      LIMIT_MS,
    );

    it(
      'learn of the tenants that another node has placed',
      async () => {
        const first = await node('node_1');
        const tenants = ['tenant_default', 'late'] as const;
        await node('node_2', { tenants, wanted: { late: 1 }, nodeUrl: 'http://10.0.0.2:8080' });
        while (first.partitionOf('late') === undefined) await elapse(20);
        expect(first.partitionOf('late')).toBe('0001');
      },
      LIMIT_MS,
    );
  });

  describe('and their relays', () => {
    it(
      'share the secret of the first of them',
      async () => {
        const first = await node('node_1', { newRelaySecret: () => 'of the first' });
        const second = await node('node_2', {
          nodeUrl: 'http://10.0.0.2:8080',
          newRelaySecret: () => 'of the second',
        });
        expect([first.relaySecret, second.relaySecret]).toEqual(['of the first', 'of the first']);
      },
      LIMIT_MS,
    );
  });
});
