import { jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, Logger } from '#protocol/ports.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import type { Timers } from '../timers.ts';
import type { SeenNode } from './balance.ts';
import {
  connected,
  type JournalOptions,
  leaseBucket,
  leaseKey,
  OPEN_MS,
  pause,
  untilDone,
} from './journal.ts';
import { type Holder, holderOf } from './lease.ts';

/** How often a node says that it is there, and for how long the others believe it. */
const SAID_EVERY_MS = 1_000;
const BELIEVED_MS = 5_000;
const WATCH_AGAIN_MS = 500;
const PARTITION_DIGITS = 4;
/** Key of what was known when partitions began; no tenant has an id with a capital letter. */
const BEGINNING = 'BEGINNING';

/** Which tenants were there before there was more than one partition: what they have lies in the first. */
interface Beginning {
  inFirst: readonly string[];
}

export interface PartitionTableParts
  extends Pick<JournalOptions, 'servers' | 'credentials' | 'name' | 'replicas'> {
  /** How many partitions there are, by the configuration of this node. */
  partitions: number;
  /** Of the configuration; the first one is in the first partition for good. */
  tenants: readonly [string, ...string[]];
  /** Where the operator wants a tenant that has no partition yet, by its id. */
  wanted: Readonly<Record<string, number>>;
  /** Origin at which the others reach this node. */
  nodeUrl: string;
  /** Partitions of which this node has a gateway now that decides, or could at once. */
  serves(): readonly string[];
  clock: Pick<Clock, 'monotonic'>;
  timers: Timers;
  logger: Logger;
  /** Called when another node decides for a partition; undefined where none is known. */
  onOwner(partition: string, owner: Holder | undefined): void;
}

interface Buckets {
  leases: KV;
  tenants: KV;
  nodes: KV;
}

/** Ids of the partitions of a log, in order. */
export function partitionIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => String(n).padStart(PARTITION_DIGITS, '0'));
}

/**
 * What all nodes of a log with several partitions know of each other, from three buckets: who decides for which partition, which tenant
 * lies where, and which nodes are there. A tenant gets its partition once and keeps it.
 */
export class PartitionTable {
  readonly #parts: PartitionTableParts;
  readonly #connection: NatsConnection;
  readonly #buckets: Buckets;
  readonly #holders = new Map<string, Holder>();
  readonly #tenants = new Map<string, string>();
  readonly #nodes = new Map<string, SeenNode & { seenMs: number }>();
  #stopSaying: () => void = () => undefined;
  #isClosed = false;

  private constructor(parts: PartitionTableParts, connection: NatsConnection, buckets: Buckets) {
    this.#parts = parts;
    this.#connection = connection;
    this.#buckets = buckets;
  }

  /** Connects, gives each tenant of the configuration its partition, and begins to follow. Rejects with StoreOpenError. */
  static async open(parts: PartitionTableParts): Promise<PartitionTable> {
    const connection = await connected(parts, parts.servers.join(', '));
    try {
      return await untilDone(parts, OPEN_MS, () => PartitionTable.#on(connection, parts));
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  static async #on(connection: NatsConnection, parts: PartitionTableParts): Promise<PartitionTable> {
    const { name, replicas } = parts;
    const kvm = new Kvm(connection);
    const bucket = (bucket: string) => kvm.create(bucket, { replicas, history: 1 });
    const table = new PartitionTable(parts, connection, {
      leases: await bucket(leaseBucket(name)),
      tenants: await bucket(`HARN_${name}_tenants`),
      nodes: await bucket(`HARN_${name}_nodes`),
    });
    await table.#begin();
    await table.place(parts.tenants, parts.wanted);
    void table.#follow('leases', (key, value) => table.#leaseSays(key, value));
    void table.#follow('nodes', (key, value) => table.#nodeSays(key, value));
    await table.#say();
    return table;
  }

  /** The first node of all writes down who was there before; a log that is new has nobody before. */
  async #begin(): Promise<void> {
    const { tenants } = this.#buckets;
    let found = await tenants.get(BEGINNING);
    if (found === null) {
      const beginning: Beginning = { inFirst: (await this.#hasHistory()) ? this.#parts.tenants : [] };
      try {
        await tenants.create(BEGINNING, JSON.stringify(beginning));
      } catch (error) {
        this.#parts.logger.debug({ err: error }, 'another node was first');
      }
      found = await tenants.get(BEGINNING);
    }
    if (found === null) throw new Error('The table of tenants cannot be written.');
    const { inFirst } = JSON.parse(found.string()) as Beginning;
    for (const tenant of inFirst) this.#tenants.set(tenant, FIRST_PARTITION);
  }

  async #hasHistory(): Promise<boolean> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    for await (const { state } of manager.streams.list(`harn.${this.#parts.name}.${FIRST_PARTITION}.*`))
      if (state.messages > 0) return true;
    return false;
  }

  /**
   * Gives each of these tenants a partition that has none yet: the one that is wanted, else one of those with the fewest tenants. Rejects
   * with StoreOpenError for a tenant in a partition that this node's configuration does not have.
   */
  async place(
    tenants: readonly [string, ...string[]],
    wanted: Readonly<Record<string, number>>,
  ): Promise<void> {
    await this.#readTenants();
    const [first] = tenants;
    for (const tenant of tenants) {
      if (this.#tenants.has(tenant)) continue;
      const id = tenant === first ? FIRST_PARTITION : this.#placeFor(wanted[tenant]);
      try {
        await this.#buckets.tenants.create(tenant, id);
        this.#tenants.set(tenant, id);
      } catch (error) {
        // Another node was first, or nobody answers, which shows in the look-up.
        this.#parts.logger.debug({ err: error, tenant }, 'a tenant was not placed here');
        await this.#readTenants();
        if (!this.#tenants.has(tenant)) throw error;
      }
    }
    for (const tenant of tenants) this.#checkPlace(tenant, wanted[tenant]);
  }

  #checkPlace(tenant: string, wanted: number | undefined): void {
    const id = this.#tenants.get(tenant) ?? '';
    const { partitions, name, logger } = this.#parts;
    if (Number(id) >= partitions)
      throw new StoreOpenError(
        'unreadable',
        name,
        `The tenant ${tenant} lies in partition ${id} of the log ${name}, and store.partitions is ${partitions}. Set it to ${Number(id) + 1} or more: partitions can be added, and none can be taken away.`,
      );
    if (wanted !== undefined && wanted !== Number(id))
      logger.warn({ tenant, partition: id, wanted }, 'a tenant stays in the partition that it has');
  }

  async #readTenants(): Promise<void> {
    const { tenants } = this.#buckets;
    for await (const key of await tenants.keys()) {
      if (key === BEGINNING || this.#tenants.has(key)) continue;
      const found = await tenants.get(key);
      if (found !== null) this.#tenants.set(key, found.string());
    }
  }

  #placeFor(wanted: number | undefined): string {
    const ids = partitionIds(this.#parts.partitions);
    const counts = new Map(ids.map((id) => [id, 0]));
    for (const id of this.#tenants.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    const [least = FIRST_PARTITION] = ids.toSorted(
      (one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0),
    );
    return (wanted === undefined ? undefined : ids[wanted]) ?? least;
  }

  /** The partition of a tenant; undefined for one that the configuration did not name when it was read. */
  partitionOf(tenant: string): string | undefined {
    return this.#tenants.get(tenant);
  }

  /** Origin of the node that decides, by partition. */
  get owners(): ReadonlyMap<string, string> {
    return new Map([...this.#holders].map(([partition, { url = '' }]) => [partition, url]));
  }

  /** Which tenant lies where. */
  get tenants(): ReadonlyMap<string, string> {
    return this.#tenants;
  }

  /** The nodes that have said lately that they are there. */
  nodes(): SeenNode[] {
    const nowMs = this.#parts.clock.monotonic();
    return [...this.#nodes.values()].filter(({ seenMs }) => nowMs - seenMs < BELIEVED_MS);
  }

  /** Reads a bucket and what is written to it, and begins anew when the servers were away. */
  async #follow(bucket: keyof Buckets, take: (key: string, value: string) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        for await (const entry of await this.#buckets[bucket].watch())
          take(entry.key, entry.operation === 'PUT' ? entry.string() : '');
      } catch (error) {
        if (!this.#isClosed)
          this.#parts.logger.warn({ err: error, bucket }, 'the table of partitions is read anew');
      }
      await pause(this.#parts.timers, WATCH_AGAIN_MS);
    }
  }

  #leaseSays(key: string, value: string): void {
    const partition = partitionIds(this.#parts.partitions).find((id) => key === leaseKey(id));
    if (partition === undefined) return;
    const [holder, before] = [holderOf(value), this.#holders.get(partition)];
    if (before?.url === holder?.url && before?.grpcPort === holder?.grpcPort) return;
    if (holder?.url === undefined) this.#holders.delete(partition);
    else this.#holders.set(partition, holder);
    this.#parts.onOwner(partition, holder);
  }

  #nodeSays(key: string, value: string): void {
    if (value === '') this.#nodes.delete(key);
    else this.#nodes.set(key, { ...(JSON.parse(value) as SeenNode), seenMs: this.#parts.clock.monotonic() });
  }

  /** Says that this node is there, and again in a while. */
  async #say(): Promise<void> {
    const { nodeUrl: url, timers, logger } = this.#parts;
    const partitions = this.#parts.serves();
    try {
      await this.#buckets.nodes.put(this.#key, JSON.stringify({ url, partitions } satisfies SeenNode));
    } catch (error) {
      logger.debug({ err: error }, 'the other nodes do not hear of this one');
    }
    if (!this.#isClosed) this.#stopSaying = timers.after(SAID_EVERY_MS, () => void this.#say());
  }

  get #key(): string {
    return Buffer.from(this.#parts.nodeUrl).toString('base64url');
  }

  /** Says that this node leaves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSaying();
    try {
      await this.#buckets.nodes.delete(this.#key);
    } catch (error) {
      this.#parts.logger.debug({ err: error }, 'the other nodes do not hear that this one leaves');
    }
    await this.#connection.close();
  }
}
