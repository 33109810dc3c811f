import { type KV, type KvEntry, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '#protocol/ports.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import type { Timers } from '../timers.ts';
import { followBucket } from './follow-bucket.ts';
import { connected, type JournalOptions, OPEN_MS, unreachable, untilDone } from './journal.ts';

const PARTITION_DIGITS = 4;
/** Key of what was known when partitions began; no tenant has an id with a capital letter. */
const BEGINNING = 'BEGINNING';

/** Key of the secret by which nodes of the log know requests that another one hands on. */
const RELAYS = 'RELAYS';

/** Which tenants were there before there was more than one partition: what they have lies in the first. */
interface Beginning {
  inFirst: readonly string[];
}

export interface TenantPlacesParts extends Pick<JournalOptions, 'name' | 'replicas'> {
  timers: Timers;
  logger: Logger;
}

/** What of the configuration of a node says where tenants are to be. */
export interface Placing {
  /** How many partitions there are. */
  partitions: number;
  /** The first one is in the first partition for good. */
  tenants: readonly [string, ...string[]];
  /** Where the operator wants a tenant that has no partition yet, by its id. */
  wanted: Readonly<Record<string, number>>;
}

/** Ids of the partitions of a log, in order. */
export function partitionIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => String(n).padStart(PARTITION_DIGITS, '0'));
}

/** The tenants of one partition, for its gateway. */
export interface OwnTenants {
  /** False for one that is in another partition, or in none that is known yet. */
  has(tenant: string): boolean;
  /** See `TenantPlaces.relaySecret`. */
  relaySecret(): string | undefined;
  close(): Promise<void>;
}

/** Connects, reads which tenants a partition has, and follows. Rejects with StoreOpenError. */
export async function openOwnTenants(
  partition: string,
  parts: TenantPlacesParts & Pick<JournalOptions, 'servers' | 'credentials' | 'clock'>,
): Promise<OwnTenants> {
  const where = parts.servers.join(', ');
  const connection = await connected(parts, where);
  try {
    const places = await untilDone(parts, OPEN_MS, () => TenantPlaces.open(connection, parts));
    places.follow();
    return {
      has: (tenant) => places.of(tenant) === partition,
      relaySecret: () => places.relaySecret,
      async close() {
        places.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw unreachable(where, error);
  }
}

/** In which partition of a log each tenant lies, as all of its nodes know it. A tenant gets its partition once and keeps it. */
export class TenantPlaces {
  readonly #parts: TenantPlacesParts;
  readonly #kv: KV;
  readonly #places = new Map<string, string>();
  /** How many tenants each partition has. */
  readonly #counts = new Map<string, number>();
  #hasBegun = false;
  #relaySecret: string | undefined;
  #stopFollowing: () => void = () => undefined;

  private constructor(parts: TenantPlacesParts, kv: KV) {
    this.#parts = parts;
    this.#kv = kv;
  }

  /** Reads all that is written, at once. The connection stays the caller's. */
  static async open(connection: NatsConnection, parts: TenantPlacesParts): Promise<TenantPlaces> {
    const { name, replicas } = parts;
    const kv = await new Kvm(connection).create(`HARN_${name}_tenants`, { replicas, history: 1 });
    const places = new TenantPlaces(parts, kv);
    for await (const entry of await kv.history()) places.#take(entry);
    return places;
  }

  /** Learns what is added from now on, until it is closed. */
  follow(): void {
    this.#stopFollowing = followBucket(this.#kv, (entry) => this.#take(entry), this.#parts);
  }

  /** The partition of a tenant; undefined for one that has none yet. */
  of(tenant: string): string | undefined {
    return this.#places.get(tenant);
  }

  /** By which the nodes of the log believe each other where a request comes from; undefined before the first of them has begun. */
  get relaySecret(): string | undefined {
    return this.#relaySecret;
  }

  /** Writes down, once for all nodes, who was there before there was more than one partition, and what they know each other by. */
  async begin(inFirst: () => Promise<readonly string[]>, newRelaySecret: () => string): Promise<void> {
    if (this.#relaySecret === undefined) await this.#create(RELAYS, newRelaySecret());
    if (this.#hasBegun) return;
    const beginning: Beginning = { inFirst: await inFirst() };
    await this.#create(BEGINNING, JSON.stringify(beginning));
  }

  /**
   * Gives each of these tenants a partition that has none yet: the one that is wanted, else the first of those with the fewest tenants.
   * Rejects with StoreOpenError for a tenant in a partition that this node's configuration does not have.
   */
  async place({ partitions, tenants, wanted }: Placing): Promise<void> {
    const ids = partitionIds(partitions);
    const [first] = tenants;
    for (const tenant of tenants) {
      if (this.#places.has(tenant)) continue;
      const chosen = ids[wanted[tenant] ?? -1] ?? this.#emptiestOf(ids);
      await this.#create(tenant, tenant === first ? FIRST_PARTITION : chosen);
    }
    for (const tenant of tenants) this.#checkPlace(tenant, wanted[tenant], partitions);
  }

  close(): void {
    this.#stopFollowing();
  }

  #take(entry: KvEntry): void {
    if (entry.operation === 'PUT') this.#learn(entry.key, entry.string());
  }

  #learn(key: string, value: string): void {
    if (key === BEGINNING) {
      this.#hasBegun = true;
      for (const tenant of (JSON.parse(value) as Beginning).inFirst) this.#learn(tenant, FIRST_PARTITION);
    } else if (key === RELAYS) {
      this.#relaySecret ??= value;
    } else if (!this.#places.has(key)) {
      this.#places.set(key, value);
      this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    }
  }

  /** What is there already stays: another node was first. */
  async #create(key: string, value: string): Promise<void> {
    try {
      await this.#kv.create(key, value);
      this.#learn(key, value);
    } catch (error) {
      this.#parts.logger.debug({ err: error, key }, 'a row of the tenants was not written here');
      const found = await this.#kv.get(key);
      // Nobody answered, and nobody wrote it.
      if (found === null) throw error;
      this.#take(found);
    }
  }

  #emptiestOf(ids: readonly string[]): string {
    const count = (id: string) => this.#counts.get(id) ?? 0;
    return ids.reduce((least, id) => (count(id) < count(least) ? id : least), FIRST_PARTITION);
  }

  #checkPlace(tenant: string, wanted: number | undefined, partitions: number): void {
    const id = this.#places.get(tenant) ?? '';
    const { name, logger } = this.#parts;
    if (Number(id) >= partitions)
      throw new StoreOpenError(
        'unreadable',
        name,
        `The tenant ${tenant} lies in partition ${id} of the log ${name}, and store.partitions is ${partitions}. Set it to ${Number(id) + 1} or more: partitions can be added, and none can be taken away.`,
      );
    if (wanted !== undefined && wanted !== Number(id))
      logger.warn({ tenant, partition: id, wanted }, 'a tenant stays in the partition that it has');
  }
}
