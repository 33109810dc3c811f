import { JetStreamApiError, jetstream } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, Logger } from '#protocol/ports.ts';
import { storeUnavailable } from '#store/level-errors.ts';
import { StoreOpenError } from '#store/store-errors.ts';
import type { Timers } from '../timers.ts';
import { pause } from './journal.ts';

/** How long a lease holds after it was renewed. */
const LEASE_MS = 2_000;
/** Of the lease, that its holder does not use: clocks may run apart by so much in that time. */
const MARGIN_MS = 400;
const RENEW_MS = 500;
const ANSWER_MS = 1_000;
const LOOK_MS = 200;
/** In which others that wait look five times. */
const OTHERS_FIRST_MS = 1_000;
/** After which another server is tried. */
const SILENT_MS = 2_000;
const UNAVAILABLE = 503;
/** As many renewals under the address of this node are another node's: one may be of this node before it was killed. */
const LIVING_RENEWALS = 2;
/** Of a lease that was given back, to whoever comes first. */
const NOBODY = '';

/** Who has the lease, as its value says. */
export interface Holder {
  /** Another one at every start. */
  node: string;
  /** Where other nodes reach its HTTP port, an origin; absent where its operator did not say. */
  url?: string | undefined;
  /** Its port of gRPC, on the same host. */
  grpcPort?: number | undefined;
  /** By which it knows who can read the lease: another node of the log. */
  relaySecret?: string | undefined;
}

/** What is written into a lease that is given back to one node: others take it when that one does not. */
interface GivenTo {
  givenTo: string;
}

export interface LeaseParts {
  connection: NatsConnection;
  /** Of the bucket, which is made where it is not there. */
  bucket: string;
  key: string;
  replicas: number;
  self: Holder;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  /** Called once, when the lease is another node's. */
  onLost(): void;
  /** Origin of the node that is to have it next, asked when it is given back. Default: whoever comes first. */
  successor?: (() => string | undefined) | undefined;
  /** Called while this node waits, with another one that has the lease; undefined where nobody has it, or this node took it. */
  onHolder(holder: Holder | undefined): void;
}

/**
 * The right to decide for a partition, held by one node at a time. No clocks of two machines are compared: who waits takes it when it
 * saw no renewal for the whole time by its own clock; who holds it counts from before it sent the renewal, and stops earlier.
 */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #kv: KV;
  /** What the lease says while this node has it. */
  readonly #value: string;
  #revision = 0;
  /** When the newest renewal was sent, by both clocks: the monotonic one stands still while a machine sleeps. */
  #renewed: { wallMs: number; monotonicMs: number } | undefined;
  #stopTimer: () => void = () => undefined;
  #renewing: Promise<void> | undefined;
  /** Since when the servers answer nothing; undefined while they do. */
  #silentSinceMs: number | undefined;
  #isOver = false;

  private constructor(parts: LeaseParts, kv: KV) {
    this.#parts = parts;
    this.#kv = kv;
    this.#value = JSON.stringify(parts.self);
  }

  static async open(parts: LeaseParts): Promise<Lease> {
    // Look-ups wait as long as the client of JetStream does, whatever the bucket is told.
    const client = jetstream(parts.connection, { timeout: ANSWER_MS });
    const kv = await new Kvm(client).create(parts.bucket, {
      replicas: parts.replicas,
      history: 1,
      timeout: ANSWER_MS,
      // By the one that leads: what a replica says may be old, and another one next time.
      allow_direct: false,
    });
    return new Lease(parts, kv);
  }

  /** Whether this node may act now. Asked before whatever another node would do again. */
  get isValid(): boolean {
    return this.#renewed !== undefined && !this.#isOver && this.#ageMs(this.#renewed) < LEASE_MS - MARGIN_MS;
  }

  #ageMs({ wallMs, monotonicMs }: { wallMs: number; monotonicMs: number }): number {
    const { clock } = this.#parts;
    return Math.max(clock.now() - wallMs, clock.monotonic() - monotonicMs);
  }

  /**
   * Waits until nobody has it, then takes and renews it. `waiting` is called again and again meanwhile, one at a time, with what aborts when
   * the lease is taken, and what it throws ends the waiting; whose lease it is, is looked at beside that, as requests wait for it. Rejects with StoreOpenError,
   * `locked`, where another node that lives has it under the address of this one; with the reason of the signal once that aborts.
   */
  async take(waiting: (taken: AbortSignal) => Promise<void>, signal?: AbortSignal): Promise<void> {
    const { clock, timers } = this.#parts;
    let seen: { revision: number; sinceMs: number } | undefined;
    let renewals = 0;
    const taken = new AbortController();
    const work = new Repeated(() => waiting(taken.signal));
    while (!this.#isOver) {
      signal?.throwIfAborted();
      let isTaken = false;
      try {
        const found = await this.#kv.get(this.#parts.key);
        const revision = found?.revision ?? 0;
        const value = found?.string() ?? NOBODY;
        const isFree = value === NOBODY || isGivenTo(value, this.#parts.self.url);
        if (seen === undefined || found === null || revision > seen.revision) {
          if (seen !== undefined && this.#isTwin(value)) renewals += 1;
          seen = { revision, sinceMs: clock.monotonic() };
          this.#heard();
        }
        // A server that led and has slept says who had it before, which is no news.
        const isNewest = revision === seen.revision;
        if (isNewest) this.#parts.onHolder(this.#otherHolder(value));
        const isDue = (isNewest && isFree) || clock.monotonic() - seen.sinceMs >= LEASE_MS;
        isTaken = isDue && (await this.#tryTake(seen.revision));
      } catch (error) {
        this.#parts.logger.warn({ err: error }, 'the lease cannot be read; it is looked at again');
        await this.#leaveSilent(error);
      }
      if (isTaken) {
        taken.abort();
        return work.ended();
      }
      const { url } = this.#parts.self;
      if (renewals >= LIVING_RENEWALS && url !== undefined) throw takenAddress(this.#parts.bucket, url);
      work.goOn();
      const leftMs = seen === undefined ? 0 : LEASE_MS - (clock.monotonic() - seen.sinceMs);
      // At its end, and not up to a look later.
      await pause(timers, leftMs > 0 ? Math.min(LOOK_MS, leftMs) : LOOK_MS);
    }
  }

  /** One at the address of this node is this node before it was killed, or a taking whose answer did not come: nobody decides there. */
  #otherHolder(value: string): Holder | undefined {
    const holder = holderOf(value);
    const { url } = this.#parts.self;
    return url !== undefined && holder?.url === url ? undefined : holder;
  }

  /** Whether a lease is of another node that says that it is where this one is. */
  #isTwin(value: string): boolean {
    const { node, url } = this.#parts.self;
    const holder = holderOf(value);
    return url !== undefined && holder?.url === url && holder.node !== node;
  }

  /**
   * Behind a server that is cut off from the others nobody answers, though it hears this node: another one is tried. Not at once, as one
   * that is only slow would be slower for the connections that it has to begin.
   */
  async #leaveSilent(cause: unknown): Promise<void> {
    // A server without the others says so itself: that is no answer of theirs.
    if (cause instanceof JetStreamApiError && cause.status !== UNAVAILABLE) return this.#heard();
    const nowMs = this.#parts.clock.monotonic();
    this.#silentSinceMs ??= nowMs;
    if (nowMs - this.#silentSinceMs < SILENT_MS) return;
    this.#heard();
    await this.#reconnect();
  }

  /** Another server may answer. */
  async #reconnect(): Promise<void> {
    await this.#parts.connection
      .reconnect()
      .catch((error: unknown) => this.#parts.logger.debug({ err: error }, 'no other server is tried'));
  }

  #heard(): void {
    this.#silentSinceMs = undefined;
  }

  async #tryTake(revision: number): Promise<boolean> {
    const at = this.#now();
    try {
      const { key } = this.#parts;
      this.#revision = await (revision === 0
        ? this.#kv.create(key, this.#value)
        : this.#kv.update(key, this.#value, revision, ANSWER_MS));
    } catch (error) {
      // Another node was first, or the answer did not come: then this node sees its own name as one to wait for.
      await this.#leaveSilent(error);
      return false;
    }
    this.#renewed = at;
    this.#renewLater();
    this.#parts.onHolder(undefined);
    return true;
  }

  #now() {
    const { clock } = this.#parts;
    return { wallMs: clock.now(), monotonicMs: clock.monotonic() };
  }

  /** Whether this node may act, once a lease that is too old was renewed: behind a pause, or a jump of the wall clock. */
  async hold(): Promise<boolean> {
    // One that is under way may have been sent before the pause.
    for (let tries = 0; tries < 2 && !this.isValid && !this.#isOver; tries += 1) await this.#renew();
    return this.isValid;
  }

  /** Resolves once this node may act, or when the signal aborts. Rejects with `service_unavailable` when it never will. */
  async untilHeld(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.hold())) {
      if (this.#isOver) throw storeUnavailable('Another node decides for this log now.');
      await pause(this.#parts.timers, LOOK_MS);
    }
  }

  #renewLater(): void {
    this.#stopTimer();
    this.#stopTimer = this.#parts.timers.after(RENEW_MS, () => void this.#renew());
  }

  /** One at a time. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isOver || this.#renewed === undefined) return;
    const at = this.#now();
    try {
      this.#revision = await this.#kv.update(this.#parts.key, this.#value, this.#revision, ANSWER_MS);
      this.#renewed = at;
      this.#heard();
    } catch (error) {
      await this.#seeAgain(error);
    }
    // One that ran out while nobody could be asked is still this node's as long as no other took it.
    if (!this.#isOver) this.#renewLater();
  }

  /** A renewal that was not answered may be there. */
  async #seeAgain(cause: unknown): Promise<void> {
    this.#parts.logger.warn({ err: cause }, 'the lease was not renewed');
    try {
      const found = await this.#kv.get(this.#parts.key);
      // One from before what this node has written is said by a server that led and has slept.
      if (found === null || (found.string() !== this.#value && found.revision > this.#revision)) {
        this.#lose();
        return;
      }
      // Which of the renewals it is nobody knows, so the age stays what it was until the next one.
      this.#revision = Math.max(this.#revision, found.revision);
    } catch (error) {
      this.#parts.logger.warn(
        { err: error },
        'nobody says whose lease it is; asked again with the next renewal',
      );
    }
    await this.#leaveSilent(cause);
  }

  #lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.logger.error({ key: this.#parts.key }, 'another node has the lease of this log');
    this.#parts.onLost();
  }

  /** Gives it back, so that nobody has to wait for its end. */
  async release(): Promise<void> {
    const had = this.#renewed !== undefined && !this.#isOver;
    this.#isOver = true;
    this.#stopTimer();
    if (had) await this.#writeFree();
  }

  /** Gives it back to whoever can do more with it than this node now, which may take it again. */
  async giveBack(): Promise<void> {
    this.#stopTimer();
    // What is under way would take it again.
    await this.#renewing;
    this.#stopTimer();
    if (this.#isOver || this.#renewed === undefined) return;
    this.#renewed = undefined;
    await this.#writeFree();
    await this.#reconnect();
    await pause(this.#parts.timers, OTHERS_FIRST_MS);
  }

  async #writeFree(): Promise<void> {
    try {
      const givenTo = this.#parts.successor?.();
      const value = givenTo === undefined ? NOBODY : JSON.stringify({ givenTo } satisfies GivenTo);
      await this.#kv.update(this.#parts.key, value, this.#revision, ANSWER_MS);
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'the lease was not given back; it runs out');
    }
  }
}

/** Work that is begun anew once it has ended. */
class Repeated {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #fault: { error: unknown } | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Begins it, unless it runs. Throws what it threw before. */
  goOn(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
    this.#running ??= this.#work().then(
      () => {
        this.#running = undefined;
      },
      (error: unknown) => {
        this.#fault = { error };
      },
    );
  }

  /** Resolves when it does not run any more. Rejects with what it threw. */
  async ended(): Promise<void> {
    await this.#running;
    if (this.#fault !== undefined) throw this.#fault.error;
  }
}

/**
 * Who has a lease by its value; undefined where nobody has. A value that is none of these words is that of an earlier version, which had
 * no address.
 */
export function holderOf(value: string): Holder | undefined {
  if (value === NOBODY) return undefined;
  if (!value.startsWith('{')) return { node: value };
  const said = JSON.parse(value) as Holder | GivenTo;
  return 'givenTo' in said ? undefined : said;
}

function isGivenTo(value: string, url: string | undefined): boolean {
  return url !== undefined && value === JSON.stringify({ givenTo: url } satisfies GivenTo);
}

/** Two nodes with one address would each take what the other one does for their own. */
export function takenAddress(where: string, url: string): StoreOpenError {
  return new StoreOpenError(
    'locked',
    where,
    `Another node of this log is at ${url}, which is store.advertise of this one. Give each node an address of its own in store.advertise, or stop the other one.`,
  );
}
