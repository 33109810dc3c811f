import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { messageOf, readFile } from '#protocol/protobuf.ts';
import type { Timers } from '../timers.ts';
import { HEALTH } from './descriptors.ts';

/** Time between two looks at what watchers are told. */
const LOOK_MS = 1_000;
/** Calls that watch at a time. A client watches once for each service that it calls. */
const MAX_WATCHERS = 2_000;
const MAX_OF_CONNECTION = 10;

export const HEALTH_FILE = Buffer.from(HEALTH, 'base64');
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/** What the service of health asks of the gateway. */
export interface HealthDeps {
  timers: Timers;
  /** Full names of the services that are served. */
  services: readonly string[];
  isServing(): boolean | Promise<boolean>;
}

/** One call, of whichever server took it. */
export interface HealthCall {
  request: Buffer;
  /** Names the connection. */
  peer: string;
  write(bytes: Buffer): void;
  /** Ends the call with the status OK. */
  end(): void;
  fail(status: { code: number; details: string }): void;
  /** Called when the call is over, perhaps twice. */
  onEnd(run: () => void): void;
}

export type HealthMethod = (call: HealthCall) => Promise<void>;

/**
 * By their paths, the methods that say whether a service, or with an empty name the whole gateway, takes calls. Spec:
 * grpc/health/v1/health.proto.
 */
export function healthMethods({
  timers,
  services,
  isServing,
}: HealthDeps): ReadonlyMap<string, HealthMethod> {
  const file = readFile(HEALTH_FILE);
  const request = messageOf(file, 'HealthCheckRequest');
  const response = messageOf(file, 'HealthCheckResponse');
  const listed = messageOf(file, 'HealthListResponse');
  /** Whether there is such a service; undefined for bytes that ask nothing. */
  const isKnown = (bytes: Buffer): boolean | undefined => {
    try {
      const { service = '' } = toJson(request, fromBinary(request, bytes)) as { service?: string };
      return service === '' || services.includes(service);
    } catch {
      return undefined;
    }
  };
  const encode = (status: string) => Buffer.from(toBinary(response, fromJson(response, { status })));
  const now = async () => ((await isServing()) ? 'SERVING' : 'NOT_SERVING');
  const watchers = new Watchers(timers, now);

  const check: HealthMethod = async (call) => {
    const known = isKnown(call.request);
    if (!known) return call.fail(known === undefined ? NO_REQUEST : NO_SERVICE);
    call.write(encode(await now()));
    call.end();
  };
  const list: HealthMethod = async (call) => {
    const status = await now();
    const statuses = Object.fromEntries(['', ...services].map((service) => [service, { status }]));
    call.write(Buffer.from(toBinary(listed, fromJson(listed, { statuses }))));
    call.end();
  };
  const watch: HealthMethod = async (call) => {
    const known = isKnown(call.request);
    if (known === undefined) return call.fail(NO_REQUEST);
    if (!watchers.add(call, known ? (status) => call.write(encode(status)) : () => {}))
      return call.fail(TOO_MANY);
    if (!known) call.write(encode('SERVICE_UNKNOWN'));
  };
  const path = (method: string) => `/${HEALTH_SERVICE}/${method}`;
  return new Map([
    [path('Check'), check],
    [path('List'), list],
    [path('Watch'), watch],
  ]);
}

/** Statuses of gRPC. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

const NO_REQUEST = { code: INVALID_ARGUMENT, details: 'Send a HealthCheckRequest.' };
const NO_SERVICE = { code: NOT_FOUND, details: 'No such service. Reflection lists the services.' };
const TOO_MANY = {
  code: RESOURCE_EXHAUSTED,
  details: 'Too many calls watch already. Ask with Check.',
};

/** A call that watches, and the status that it was told last. */
interface Watcher {
  tell(status: string): void;
  told?: string;
}

/** Who is told when the status changes. Nobody has to say who they are, so that one connection gets few of the places. */
class Watchers {
  readonly #watching = new Map<HealthCall, Watcher>();
  readonly #byPeer = new Map<string, number>();
  readonly #timers: Timers;
  readonly #now: () => Promise<string>;
  #rest: () => void = () => {};

  constructor(timers: Timers, now: () => Promise<string>) {
    this.#timers = timers;
    this.#now = now;
  }

  /** False when there are too many. */
  add(call: HealthCall, tell: (status: string) => void): boolean {
    const { peer } = call;
    const own = this.#byPeer.get(peer) ?? 0;
    if (own >= MAX_OF_CONNECTION || this.#watching.size >= MAX_WATCHERS) return false;
    if (this.#watching.size === 0) this.#rest = this.#timers.every(LOOK_MS, () => void this.#look());
    this.#byPeer.set(peer, own + 1);
    this.#watching.set(call, { tell });
    call.onEnd(() => {
      if (!this.#watching.delete(call)) return;
      if (this.#watching.size === 0) this.#rest();
      const left = (this.#byPeer.get(peer) ?? 1) - 1;
      if (left > 0) this.#byPeer.set(peer, left);
      else this.#byPeer.delete(peer);
    });
    void this.#look();
    return true;
  }

  /** Tells each what it was not told yet. */
  async #look(): Promise<void> {
    const status = await this.#now();
    for (const watcher of this.#watching.values()) {
      if (watcher.told === status) continue;
      watcher.told = status;
      watcher.tell(status);
    }
  }
}
