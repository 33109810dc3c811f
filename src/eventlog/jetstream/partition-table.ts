import { jetstreamManager } from '@nats-io/jetstream';
import { type KV, type KvEntry, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, Logger } from '#protocol/ports.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';
import type { SeenNode } from './balance.ts';
import { followBucket } from './follow-bucket.ts';
import {
  connected,
  type JournalOptions,
  leaseBucket,
  leaseKey,
  OPEN_MS,
  pause,
  untilDone,
} from './journal.ts';
import { type Holder, holderOf, takenAddress } from './lease.ts';
import { type Placing, partitionIds, TenantPlaces } from './tenant-places.ts';

/** How often a node says that it is there, and for how long the others believe it. */
const SAID_EVERY_MS = 1_000;
const BELIEVED_MS = 5_000;
/** Between two looks at the row of another node under the address of this one. */
const LOOK_MS = 250;
/** By as many of its writings after the first look another node is known to live: a replica that is behind may show one that is old. */
const LIVING_WRITINGS = 2;

export interface PartitionTableParts
  extends Placing,
    Pick<JournalOptions, 'servers' | 'credentials' | 'name' | 'replicas'> {
  /** Origin at which the others reach this node. */
  nodeUrl: string;
  /** Another one at every start of a node. */
  nodeId: string;
  /** See `TenantPlaces.relaySecret`; asked for the first node of a log. */
  newRelaySecret(): string;
  /** Partitions of which this node has a gateway now that decides, or could at once. */
  serves(): readonly string[];
  clock: Pick<Clock, 'monotonic'>;
  timers: Timers;
  logger: Logger;
  /** Called when another node decides for a partition; undefined where none is known. */
  onOwner(partition: string, owner: Holder | undefined): void;
  /** Called once, when another node has taken the address of this one, which was silent for too long. */
  onOvertaken(): void;
}

/** The row of a node; one that an earlier version wrote has no id. */
interface NodeRow extends SeenNode {
  node?: string;
}

interface Buckets {
  leases: KV;
  nodes: KV;
}

/**
 * What all nodes of a log with several partitions know of each other, from three buckets: who decides for which partition, which tenant
 * lies where, and which nodes are there. A tenant gets its partition once and keeps it.
 */
export class PartitionTable {
  readonly #parts: PartitionTableParts;
  readonly #connection: NatsConnection;
  readonly #buckets: Buckets;
  readonly #places: TenantPlaces;
  readonly #holders = new Map<string, Holder>();
  readonly #nodes = new Map<string, SeenNode & { seenMs: number }>();
  /** Of the row of this node. */
  #revision = 0;
  #stopSaying: () => void = () => undefined;
  readonly #following: (() => void)[] = [];
  /** The newest writing of that row, which comes to its end before the row goes. */
  #saying: Promise<void> | undefined;
  #isClosed = false;

  private constructor(
    parts: PartitionTableParts,
    connection: NatsConnection,
    buckets: Buckets,
    places: TenantPlaces,
  ) {
    this.#parts = parts;
    this.#connection = connection;
    this.#buckets = buckets;
    this.#places = places;
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
    const places = await TenantPlaces.open(connection, parts);
    const buckets = {
      leases: await bucket(leaseBucket(name)),
      nodes: await bucket(`HARN_${name}_nodes`),
    };
    const table = new PartitionTable(parts, connection, buckets, places);
    // The first node of all writes down who was there before; a log that is new has nobody before.
    const inFirst = async () => ((await table.#hasHistory()) ? parts.tenants : []);
    await places.begin(inFirst, parts.newRelaySecret);
    await places.place(parts);
    await table.#claim();
    places.follow();
    table.#follow('leases', (key, value) => table.#leaseSays(key, value));
    table.#follow('nodes', (key, value) => table.#nodeSays(key, value));
    table.#sayLater();
    return table;
  }

  async #hasHistory(): Promise<boolean> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    for await (const { state } of manager.streams.list(`harn.${this.#parts.name}.${FIRST_PARTITION}.*`))
      if (state.messages > 0) return true;
    return false;
  }

  /** See `TenantPlaces.place`. */
  place(placing: Placing): Promise<void> {
    return this.#places.place(placing);
  }

  /** The partition of a tenant; undefined for one that no node has placed. */
  partitionOf(tenant: string): string | undefined {
    return this.#places.of(tenant);
  }

  /** See `TenantPlaces.relaySecret`. */
  get relaySecret(): string | undefined {
    return this.#places.relaySecret;
  }

  /** Origin of the node that decides, by partition. */
  get owners(): ReadonlyMap<string, string> {
    return new Map([...this.#holders].map(([partition, { url = '' }]) => [partition, url]));
  }

  /** The nodes that have said lately that they are there. */
  nodes(): SeenNode[] {
    const nowMs = this.#parts.clock.monotonic();
    return [...this.#nodes.values()].filter(({ seenMs }) => nowMs - seenMs < BELIEVED_MS);
  }

  #follow(bucket: keyof Buckets, take: (key: string, value: string) => void): void {
    const taken = (entry: KvEntry) => take(entry.key, entry.operation === 'PUT' ? entry.string() : '');
    this.#following.push(followBucket(this.#buckets[bucket], taken, this.#parts));
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

  /**
   * Takes the row of this node's address. One that another node keeps up is that node's; one that was left by a node that was killed, as
   * this one may have been, is taken when it is believed no more. Rejects with StoreOpenError, `locked`.
   */
  async #claim(): Promise<void> {
    const { clock, timers, logger, nodeUrl, name } = this.#parts;
    const { nodes } = this.#buckets;
    let seen: { revision: number; sinceMs: number } | undefined;
    for (let writings = 0; ; ) {
      const found = await nodes.get(this.#key);
      if (!this.#isOfAnother(found)) {
        this.#revision = await this.#writeAfter(found);
        return;
      }
      if (found.revision !== seen?.revision) {
        if (seen === undefined)
          logger.warn(
            { url: nodeUrl, believed_ms: BELIEVED_MS },
            'a node said of late that it is at the address in store.advertise: this one before it was killed, or another one; this one waits to see whether it is silent',
          );
        else writings += 1;
        if (writings >= LIVING_WRITINGS) throw takenAddress(name, nodeUrl);
        seen = { revision: found.revision, sinceMs: clock.monotonic() };
      }
      if (clock.monotonic() - seen.sinceMs >= BELIEVED_MS) {
        this.#revision = await nodes.update(this.#key, this.#row, found.revision);
        return;
      }
      await pause(timers, LOOK_MS);
    }
  }

  #isOfAnother(found: KvEntry | null): found is KvEntry {
    return found?.operation === 'PUT' && found.json<NodeRow>().node !== this.#parts.nodeId;
  }

  /** Writes the row behind one of this node, or behind none. */
  #writeAfter(found: KvEntry | null): Promise<number> {
    const { nodes } = this.#buckets;
    return found?.operation === 'PUT'
      ? nodes.update(this.#key, this.#row, found.revision)
      : nodes.create(this.#key, this.#row);
  }

  get #row(): string {
    const { nodeUrl: url, nodeId: node, serves } = this.#parts;
    return JSON.stringify({ url, node, partitions: serves() } satisfies NodeRow);
  }

  #sayLater(): void {
    if (this.#isClosed) return;
    this.#stopSaying = this.#parts.timers.after(SAID_EVERY_MS, () => {
      this.#saying = this.#say();
    });
  }

  /** Says that this node is there, and again in a while. */
  async #say(): Promise<void> {
    try {
      this.#revision = await this.#buckets.nodes.update(this.#key, this.#row, this.#revision);
    } catch (error) {
      this.#parts.logger.debug({ err: error }, 'the other nodes do not hear of this one');
      if (await this.#isOvertaken()) return;
    }
    this.#sayLater();
  }

  /** Whether the row is another node's now. One that was written without an answer is this node's. */
  async #isOvertaken(): Promise<boolean> {
    const { nodeUrl: url, logger, onOvertaken } = this.#parts;
    try {
      const found = await this.#buckets.nodes.get(this.#key);
      if (!this.#isOfAnother(found)) this.#revision = await this.#writeAfter(found);
      // A replica that is behind may show who was there before.
      else if (found.revision > this.#revision && !this.#isClosed) {
        logger.error({ url }, 'another node has taken the address in store.advertise: each needs its own');
        onOvertaken();
        return true;
      }
    } catch (error) {
      logger.debug({ err: error }, 'nobody says whose row it is; asked again with the next one');
    }
    return false;
  }

  get #key(): string {
    return Buffer.from(this.#parts.nodeUrl).toString('base64url');
  }

  /** Says that this node leaves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#places.close();
    for (const stop of this.#following) stop();
    this.#stopSaying();
    try {
      await this.#saying;
      await this.#buckets.nodes.delete(this.#key, { previousSeq: this.#revision });
    } catch (error) {
      this.#parts.logger.debug({ err: error }, 'the other nodes do not hear that this one leaves');
    }
    await this.#connection.close();
  }
}
