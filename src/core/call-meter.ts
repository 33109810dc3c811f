import { LRUCache } from 'lru-cache';
import type { CallMeter, Identity, Taken } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';

/** What one holder may ask. What is left out is not bounded. */
export interface RateTerms {
  perSecond?: number | undefined;
  /** Default: the requests of one second, at least one. */
  burst?: number | undefined;
  /** Bodies under way. */
  bodies?: number | undefined;
}

/** Who a bound is for, by the name that the policy has in the answers. */
export type RateHolder = 'caller' | 'tenant';

/** Holders whose buckets are kept; the one that asked longest ago is forgotten, and begins with a full one. */
const MAX_BUCKETS = 10_000;

/**
 * The meter of a configuration; undefined where it bounds nothing. Time is that of the monotonic clock, in milliseconds.
 * `onRefused` is told of each refusal.
 */
export function callMeter(
  terms: Readonly<Record<RateHolder, RateTerms>>,
  clock: Pick<Clock, 'monotonic'>,
  onRefused: (error: ProtocolError) => void,
): CallMeter | undefined {
  const rates = HOLDERS.flatMap(([holder, keyOf]) => {
    const { perSecond, burst } = terms[holder];
    return perSecond === undefined ? [] : [new Rate(holder, keyOf, perSecond, burst)];
  });
  const places = HOLDERS.flatMap(([holder, keyOf]) => {
    const { bodies: max } = terms[holder];
    return max === undefined ? [] : [new Places(holder, keyOf, max)];
  });
  return rates.length + places.length === 0 ? undefined : new Meter(rates, places, clock, onRefused);
}

type KeyOf = (caller: Identity) => string;

const HOLDERS: readonly (readonly [holder: RateHolder, keyOf: KeyOf])[] = [
  ['caller', ({ tenant, actor }) => `${tenant}\n${actor}`],
  ['tenant', ({ tenant }) => tenant],
];

class Meter implements CallMeter {
  readonly #rates: readonly Rate[];
  readonly #places: readonly Places[];
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #policy: string;
  readonly #onRefused: (error: ProtocolError) => void;

  constructor(
    rates: readonly Rate[],
    places: readonly Places[],
    clock: Pick<Clock, 'monotonic'>,
    onRefused: (error: ProtocolError) => void,
  ) {
    this.#onRefused = onRefused;
    this.#rates = rates;
    this.#places = places;
    this.#clock = clock;
    this.#policy = rates.map((rate) => rate.policy).join(', ');
  }

  take(caller: Identity): Taken {
    if (this.#rates.length === 0) return NOTHING;
    const now = this.#clock.monotonic();
    const buckets = this.#rates.map((rate) => rate.bucketOf(caller, now));
    const empty = this.#rates.find((_, at) => (buckets[at]?.tokens ?? 0) < 1);
    // Who is refused for one bound uses up nothing of the other.
    if (empty === undefined) for (const bucket of buckets) bucket.tokens -= 1;
    const left = this.#rates.map((rate, at) => rate.left(buckets[at]?.tokens ?? 0)).join(', ');
    const fields = ['RateLimit-Policy', this.#policy, 'RateLimit', left];
    if (empty === undefined) return { fields };
    const tokens = buckets[this.#rates.indexOf(empty)]?.tokens ?? 0;
    return { fields, refused: this.#told(empty.refusal(tokens)) };
  }

  hold(caller: Identity): () => void {
    const taken: (() => void)[] = [];
    const release = () => {
      for (const give of taken.splice(0)) give();
    };
    try {
      for (const places of this.#places) taken.push(places.take(caller));
    } catch (error) {
      release();
      throw this.#told(ProtocolError.from(error));
    }
    return release;
  }

  #told(error: ProtocolError): ProtocolError {
    this.#onRefused(error);
    return error;
  }
}

const NOTHING: Taken = { fields: [] };

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets of one kind of holder. */
class Rate {
  /** As `RateLimit-Policy` says it. */
  readonly policy: string;
  readonly #holder: RateHolder;
  readonly #keyOf: KeyOf;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(holder: RateHolder, keyOf: KeyOf, perSecond: number, burst?: number) {
    this.#holder = holder;
    this.#keyOf = keyOf;
    this.#perSecond = perSecond;
    this.#burst = burst ?? Math.max(1, Math.ceil(perSecond));
    this.policy = `"${holder}";q=${this.#burst};w=${Math.max(1, Math.ceil(this.#burst / perSecond))}`;
  }

  /** With what has come in since it was last asked for. */
  bucketOf(caller: Identity, nowMs: number): Bucket {
    const key = this.#keyOf(caller);
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, atMs: nowMs };
    const sinceMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (sinceMs / 1000) * this.#perSecond);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** As `RateLimit` says it: what is left, and the seconds until all of it is there again. */
  left(tokens: number): string {
    const untilFull = Math.ceil((this.#burst - tokens) / this.#perSecond);
    return `"${this.#holder}";r=${Math.floor(tokens)};t=${untilFull}`;
  }

  refusal(tokens: number): ProtocolError {
    const seconds = Math.max(1, Math.ceil((1 - tokens) / this.#perSecond));
    const whose = this.#holder === 'caller' ? 'you' : 'the callers of your tenant';
    const message = `More requests than ${whose} may send (${this.#perSecond} a second, ${this.#burst} at once). Wait ${seconds} s, then retry with the same Idempotency-Key.`;
    const bound = { of: this.#holder, per_second: this.#perSecond, burst: this.#burst };
    return new ProtocolError('rate_limited', message, {
      // On a socket there is no header that says when.
      details: { limit: 'requests_per_second', ...bound, retry_after_seconds: seconds },
      retryAfterSeconds: seconds,
    });
  }
}

/** Bodies under way of one kind of holder; who has none takes no memory. */
class Places {
  readonly #holder: RateHolder;
  readonly #keyOf: KeyOf;
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(holder: RateHolder, keyOf: KeyOf, max: number) {
    this.#holder = holder;
    this.#keyOf = keyOf;
    this.#max = max;
  }

  take(caller: Identity): () => void {
    const key = this.#keyOf(caller);
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#max) throw this.#refusal();
    this.#taken.set(key, taken + 1);
    return () => this.#give(key);
  }

  #give(key: string): void {
    const left = (this.#taken.get(key) ?? 1) - 1;
    if (left === 0) this.#taken.delete(key);
    else this.#taken.set(key, left);
  }

  #refusal(): ProtocolError {
    const whose = this.#holder === 'caller' ? 'yours' : 'your tenant';
    const message = `${this.#max} requests of ${whose} with a body are under way, and that is the most. Wait for one of them, then retry.`;
    return new ProtocolError('rate_limited', message, {
      details: { limit: 'bodies_in_flight', of: this.#holder, max: this.#max, retry_after_seconds: 1 },
      retryAfterSeconds: 1,
    });
  }
}
