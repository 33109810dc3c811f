import {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  headers,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node';
import type { Clock } from '#protocol/ports.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import { storeUnavailable } from '#store/level-errors.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import type { Timers } from '../timers.ts';

const KIND_HEADER = 'Harn-Kind';
const ID_HEADER = 'Nats-Msg-Id';
const FORM = '1';
const ACK_MS = 2_000;
export const OPEN_MS = 15_000;
const PAUSE_MS = 100;
/** How long a message whose acknowledgement did not come is sent again before callers are refused. */
const SETTLE_MS = 5_000;
/** A server that led finds out that another one does in less, once it hears the others. */
const DEPOSED_MS = 10_000;
/** After which servers remove a consumer that nobody asks any more, as that of a node that was killed; by default five minutes. */
const FORGOTTEN_MS = 30_000;
/** Without a message where there must be one; the library notices a consumer that is gone in less. */
const QUIET_MS = 10_000;
const DUPLICATES_NS = 120_000_000_000;
/** Twice what a message of ours may have. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const RECONNECT_MS = 200;
/** A server that does not answer two of these is left for another one: its machine may be gone without a word. */
const PING_MS = 2_000;
/** How long a request for messages stands. Servers that are silent for as long are asked again; by default that takes 30 seconds. */
const PULL_MS = 2_000;

/**
 * `commit`: a batch of the log. `term`: a node begins to decide. `rows`, `moved`: pieces of a log that was moved here, and their
 * end. `left`: the log was moved away, and goes on in the data directory of a node.
 */
export type MessageKind = 'commit' | 'term' | 'rows' | 'moved' | 'left';
const KINDS: readonly string[] = ['commit', 'term', 'rows', 'moved', 'left'] satisfies MessageKind[];

export interface JournalMessage {
  /** Of the stream, from 1. */
  seq: number;
  kind: MessageKind;
  /** Of its commit the hash. */
  id: string;
  data: Buffer;
}

export interface JournalOptions {
  servers: readonly string[];
  /** Content of a credentials file of NATS. Default: none. */
  credentials?: string | undefined;
  /** Begins the names of streams and buckets. */
  name: string;
  /** Four digits. Default: `0000`. */
  partition?: string | undefined;
  replicas: number;
  /** Names the log where the stream is made now. */
  newLogId(): string;
  schema: number;
  clock: Pick<Clock, 'monotonic'>;
  timers: Timers;
}

interface JournalParts {
  connection: NatsConnection;
  manager: JetStreamManager;
  objects: ObjectStore;
  generation: number;
}

interface LogOfStream {
  logId: string;
  schema: number;
}

/** Another message has the place of ours: somebody else decides. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/**
 * One partition of the log in JetStream: a stream of messages and a store of what is too large for one. A log that was purged goes on in
 * another stream, a later generation; the first one has the number 1.
 */
export class Journal {
  readonly logId: string;
  readonly schema: number;
  readonly stream: string;
  readonly connection: NatsConnection;
  readonly #generation: number;
  readonly #options: JournalOptions;
  readonly #parts: JournalParts;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #objects: ObjectStore;
  #closed = false;

  private constructor(options: JournalOptions, parts: JournalParts, { logId, schema }: LogOfStream) {
    this.#options = options;
    this.#parts = parts;
    this.#generation = parts.generation;
    this.connection = parts.connection;
    this.#manager = parts.manager;
    this.#client = jetstream(parts.connection);
    this.#objects = parts.objects;
    this.logId = logId;
    this.schema = schema;
    this.stream = streamName(options, parts.generation);
  }

  /**
   * Connects to the earliest generation that is there, and makes stream and object store where they are not. Rejects with
   * StoreOpenError.
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const where = `${options.servers.join(', ')} (stream ${streamName(options, 1)})`;
    const connection = await connected(options, where);
    try {
      const manager = await jetstreamManager(connection, { timeout: ACK_MS, checkAPI: false });
      const [generation = 1] = await untilDone(options, OPEN_MS, () => generationsOf(manager, options));
      return await Journal.#of(options, { connection, manager, generation });
    } catch (cause) {
      await connection.close();
      throw unreachable(where, cause);
    }
  }

  static async #of(options: JournalOptions, parts: Omit<JournalParts, 'objects'>): Promise<Journal> {
    const { connection, manager, generation } = parts;
    const meta = await untilDone(options, OPEN_MS, () => ensureStream(manager, options, generation));
    const objects = await untilDone(options, OPEN_MS, () =>
      new Objm(connection).create(streamName(options, generation), {
        replicas: options.replicas,
        storage: StorageType.File,
      }),
    );
    return new Journal(options, { ...parts, objects }, meta);
  }

  /** The next generation, made anew: what an interrupted purge has left of it goes. The connection is the same. */
  async begin(): Promise<Journal> {
    try {
      const next = await this.at(this.#generation + 1);
      await next.remove();
      return await this.at(this.#generation + 1);
    } catch (error) {
      throw storeUnavailable('The servers of the log make no new stream.', error);
    }
  }

  /** Another generation, over the same connection; made where it is not there. */
  at(generation: number): Promise<Journal> {
    const { name, partition, replicas, servers, clock, timers } = this.#options;
    const { logId, schema } = this;
    const options = { name, partition, replicas, servers, clock, timers, schema, newLogId: () => logId };
    return Journal.#of(options, { ...this.#parts, generation });
  }

  get generation(): number {
    return this.#generation;
  }

  /** The earliest generation that is there now, over the same connection; undefined where there is none. */
  async earliest(): Promise<Journal | undefined> {
    const [generation] = await generationsOf(this.#manager, this.#options);
    return generation === undefined ? undefined : this.at(generation);
  }

  /** Removes the generations before this one, which the log has left; others have so long to read where it went. */
  async removeFormer(afterMs: number): Promise<void> {
    if (afterMs > 0) await pause(this.#options.timers, afterMs);
    for (const generation of await generationsOf(this.#manager, this.#options))
      if (generation < this.#generation) await (await this.at(generation)).remove();
  }

  /**
   * Adds a message behind the one with the sequence `follows`, and returns its own. What is not answered is sent again, with the same id,
   * for five seconds. Rejects with OvertakenError, and with `service_unavailable` where nobody knows whether it is there.
   */
  async publish(kind: MessageKind, id: string, data: Buffer, follows: number): Promise<number> {
    const tags = headers();
    tags.set(KIND_HEADER, kind);
    const { clock } = this.#options;
    for (const startedMs = clock.monotonic(); ; ) {
      try {
        const { seq } = await this.#client.publish(subjectName(this.#options, this.#generation), data, {
          msgID: id,
          headers: tags,
          timeout: ACK_MS,
          expect: { lastSequence: follows, streamName: this.stream },
        });
        return seq;
      } catch (error) {
        if (isOvertaken(error)) {
          const there = await this.#foundAt(follows + 1);
          if (there?.id === id) return there.seq;
          if (there !== undefined)
            throw new OvertakenError(`Message ${follows + 1} of ${this.stream} is another node's.`);
        }
        if (this.#closed || clock.monotonic() - startedMs > SETTLE_MS)
          throw storeUnavailable('The servers of the log do not answer.', error);
        await pause(this.#options.timers, PAUSE_MS);
      }
    }
  }

  async #foundAt(seq: number): Promise<JournalMessage | undefined> {
    try {
      return await this.message(seq);
    } catch {
      // Asked again with the next attempt.
      return undefined;
    }
  }

  /** The message with a sequence; undefined where there is none. */
  async message(seq: number): Promise<JournalMessage | undefined> {
    try {
      const found = await this.#manager.streams.getMessage(this.stream, { seq });
      return found === null ? undefined : readMessage(found.seq, found.header, found.data);
    } catch (error) {
      if (error instanceof IntegrityError) throw error;
      throw storeUnavailable('The servers of the log do not answer.', error);
    }
  }

  /** Messages with sequences from one to another, both included, which are there. Rejects with `service_unavailable`. */
  async between(first: number, last: number): Promise<JournalMessage[]> {
    const asked = Array.from({ length: last - first + 1 }, (_, at) => this.message(first + at));
    const found = (await Promise.all(asked)).filter((message) => message !== undefined);
    if (found.length < asked.length)
      throw storeUnavailable('The servers of the log do not have all of it now.');
    return found;
  }

  /** Removes the stream and its objects from the servers, with their files. */
  async remove(): Promise<void> {
    await this.#objects.destroy();
    await this.#manager.streams.delete(this.stream);
  }

  /** The same, and closes the journal. */
  async destroy(): Promise<void> {
    await this.remove();
    await this.close();
  }

  /** Whether the servers have its stream no more. */
  async isGone(): Promise<boolean> {
    const generations = await generationsOf(this.#manager, this.#options);
    return !generations.includes(this.#generation);
  }

  /**
   * Sequence of the newest message, and of the first one that is kept, as the leader has them.
   * @param read the newest message that was read: a leader that is behind it has slept, or lost the others, and does not know yet that
   *   another one leads. It is asked again for ten seconds. Default: none
   */
  async bounds(read = 0): Promise<{ first: number; last: number }> {
    const { clock, timers } = this.#options;
    for (const startedMs = clock.monotonic(); ; ) {
      try {
        const { state } = await this.#manager.streams.info(this.stream);
        const isDeposed = state.last_seq < read && clock.monotonic() - startedMs < DEPOSED_MS;
        if (!isDeposed) return { first: state.first_seq, last: state.last_seq };
      } catch (error) {
        throw storeUnavailable('The servers of the log do not answer.', error);
      }
      await pause(timers, PAUSE_MS);
    }
  }

  /**
   * The messages behind a sequence, in order, until `stop` is called, the signal aborts, the journal is closed, or none comes for a while: a
   * server that was told to send what others lost may never say so.
   */
  async follow(
    after: number,
    signal?: AbortSignal,
  ): Promise<{ messages: AsyncIterable<JournalMessage>; stop(): Promise<void> }> {
    const { timers } = this.#options;
    const { consumer, consumed } = await this.#consume(after);
    async function* messages(): AsyncGenerator<JournalMessage, void> {
      const end = () => consumed.stop();
      const listen = () => timers.after(QUIET_MS, end);
      let heard = listen();
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      try {
        for await (const { seq, headers, data } of consumed) {
          heard();
          yield readMessage(seq, headers, data);
          heard = listen();
        }
      } finally {
        heard();
        signal?.removeEventListener('abort', end);
      }
    }
    const stop = async () => {
      await consumed.close();
      // Not waited for: one whose removal was not heard is forgotten after a while.
      void consumer.delete().catch(() => undefined);
    };
    return { messages: messages(), stop };
  }

  async #consume(after: number) {
    try {
      const consumer = await this.#client.consumers.get(this.stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: after + 1,
        inactive_threshold: FORGOTTEN_MS,
      });
      return {
        consumer,
        consumed: await consumer.consume({ max_bytes: 8 * MAX_MESSAGE_BYTES, expires: PULL_MS }),
      };
    } catch (error) {
      throw storeUnavailable('The servers of the log do not answer.', error);
    }
  }

  /** Puts an object, unless it is there. */
  async putObject(name: string, bytes: Buffer): Promise<void> {
    try {
      if ((await this.#objects.info(name)) === null) await this.#objects.putBlob({ name }, bytes);
    } catch (error) {
      throw storeUnavailable('The servers of the log do not take a large record.', error);
    }
  }

  async object(name: string): Promise<Buffer> {
    const found = await this.#objects.getBlob(name);
    if (found === null) throw new IntegrityError(this.stream, `object ${name}`, 'no such object');
    return Buffer.from(found);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.connection.close();
  }
}

export const leaseBucket = (name: string): string => `HARN_${name}_leases`;
/** Of the lease of a partition in its bucket. */
export const leaseKey = (partition: string): string => `p${partition}`;
const GENERATION = /_g(\d+)$/;
type Partition = Pick<JournalOptions, 'name' | 'partition'>;
const streamName = ({ name, partition = FIRST_PARTITION }: Partition, generation: number): string =>
  `HARN_${name}_${partition}${generation === 1 ? '' : `_g${generation}`}`;
const subjectName = (of: Partition, generation: number): string =>
  `${subjectsOf(of)}.${generation === 1 ? 'log' : `g${generation}`}`;
const subjectsOf = ({ name, partition = FIRST_PARTITION }: Partition): string => `harn.${name}.${partition}`;

/** Of all partitions of a log. */
export const subjectsOfLog = (name: string): string => `harn.${name}.*.*`;

/** Those that are there, the earliest first. */
async function generationsOf(manager: JetStreamManager, of: Partition): Promise<number[]> {
  const found: number[] = [];
  for await (const stream of manager.streams.names(`${subjectsOf(of)}.*`)) found.push(generationOf(stream));
  return found.sort((one, other) => one - other);
}

/** Of a stream, by its name. */
export const generationOf = (stream: string): number => Number(GENERATION.exec(stream)?.[1] ?? 1);

function readMessage(seq: number, tags: MsgHdrs | undefined, data: Uint8Array): JournalMessage {
  const kind = tags?.get(KIND_HEADER) ?? '';
  if (!KINDS.includes(kind))
    throw new IntegrityError(`message ${seq}`, 'a message of the log', `kind "${kind}"`);
  return { seq, kind: kind as MessageKind, id: tags?.get(ID_HEADER) ?? '', data: Buffer.from(data) };
}

/** Connects to the servers, and again whenever they are lost. Rejects with StoreOpenError. */
export async function connected(
  options: Pick<JournalOptions, 'servers' | 'credentials' | 'name'>,
  where: string,
): Promise<NatsConnection> {
  const patience = {
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    timeout: OPEN_MS,
  };
  try {
    return await connect({ ...connectionOptions(options), ...patience });
  } catch (cause) {
    throw unreachable(where, cause);
  }
}

/** Where the servers are, and who asks them. */
export function connectionOptions({
  servers,
  credentials,
  name,
}: Pick<JournalOptions, 'servers' | 'credentials' | 'name'>): ConnectionOptions {
  return {
    servers: [...servers],
    name: `harn-gateway ${name}`,
    ...(servers.some((url) => url.startsWith('tls://')) ? { tls: {} } : {}),
    ...(credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
  };
}

export function unreachable(where: string, cause: unknown): StoreOpenError {
  if (cause instanceof StoreOpenError) return cause;
  // What callers are told is in the way of what it was.
  let reason = cause;
  while (reason instanceof Error && reason.cause !== undefined) reason = reason.cause;
  const detail = reason instanceof Error ? reason.message : String(reason);
  return new StoreOpenError('unreadable', where, `The log on ${where} cannot be opened: ${detail}.`, {
    cause,
  });
}

async function ensureStream(
  manager: JetStreamManager,
  options: JournalOptions,
  generation: number,
): Promise<LogOfStream> {
  const stream = streamName(options, generation);
  const found = await manager.streams.info(stream).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return undefined;
    throw error;
  });
  const { config } =
    found ??
    (await manager.streams.add({
      name: stream,
      subjects: [subjectName(options, generation)],
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: options.replicas,
      duplicate_window: DUPLICATES_NS,
      max_msg_size: MAX_MESSAGE_BYTES,
      metadata: { log_id: options.newLogId(), schema: String(options.schema), form: FORM },
    }));
  const { log_id, schema, form } = config.metadata ?? {};
  if (log_id === undefined || form !== FORM)
    throw new StoreOpenError(
      'unreadable',
      stream,
      `The stream ${stream} is not a log that this version can read (form ${form ?? 'unknown'}). Name another one in store.name.`,
    );
  return { logId: log_id, schema: Number(schema) };
}

/** Whether it says by itself what is wrong: trying again would not help. */
export const isSaid = (error: unknown): boolean =>
  error instanceof StoreOpenError || error instanceof IntegrityError;

/** Tries again what fails while servers are away: a cluster that has just started has no leader for a while. */
export async function untilDone<T>(
  { clock, timers }: Pick<JournalOptions, 'clock' | 'timers'>,
  limitMs: number,
  action: () => Promise<T>,
): Promise<T> {
  for (const startedMs = clock.monotonic(); ; ) {
    try {
      return await action();
    } catch (error) {
      const isFinal = isSaid(error);
      if (isFinal || clock.monotonic() - startedMs > limitMs) throw error;
      await pause(timers, PAUSE_MS);
    }
  }
}

function isOvertaken(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
      error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)
  );
}

export function pause(timers: Timers, delayMs: number): Promise<void> {
  return new Promise((resolve) => void timers.after(delayMs, resolve));
}
