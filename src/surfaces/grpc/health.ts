import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
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
  isServing(): boolean;
}

/** Answers whether a service, or with an empty name the whole gateway, takes calls. Spec: grpc/health/v1/health.proto. */
export function addHealth(server: grpc.Server, { timers, services, isServing }: HealthDeps): void {
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
  const now = () => (isServing() ? 'SERVING' : 'NOT_SERVING');

  const statuses = () => Object.fromEntries(['', ...services].map((service) => [service, { status: now() }]));
  const watchers = new Watchers(timers, now);

  const check: grpc.handleUnaryCall<Buffer, Buffer> = ({ request: bytes }, answer) => {
    const known = isKnown(bytes);
    if (known) answer(null, encode(now()));
    else answer(known === undefined ? NO_REQUEST : NO_SERVICE);
  };
  const watch: grpc.handleServerStreamingCall<Buffer, Buffer> = (call) => {
    const known = isKnown(call.request);
    if (known === undefined) return void call.emit('error', NO_REQUEST);
    if (!watchers.add(call, known ? (status) => call.write(encode(status)) : () => {}))
      return void call.emit('error', TOO_MANY);
    call.write(encode(known ? now() : 'SERVICE_UNKNOWN'));
  };
  const list: grpc.handleUnaryCall<Buffer, Buffer> = (_, answer) =>
    answer(null, Buffer.from(toBinary(listed, fromJson(listed, { statuses: statuses() }))));
  const path = (method: string) => `/${HEALTH_SERVICE}/${method}`;
  server.register(path('Check'), check, asIs, asIs, 'unary');
  server.register(path('List'), list, asIs, asIs, 'unary');
  server.register(path('Watch'), watch, asIs, asIs, 'serverStream');
}

const NO_REQUEST = { code: grpc.status.INVALID_ARGUMENT, details: 'Send a HealthCheckRequest.' };
const NO_SERVICE = {
  code: grpc.status.NOT_FOUND,
  details: 'No such service. Reflection lists the services.',
};
const TOO_MANY = {
  code: grpc.status.RESOURCE_EXHAUSTED,
  details: 'Too many calls watch already. Ask with Check.',
};

/** Who is told when the status changes. Nobody has to say who they are, so that one connection gets few of the places. */
class Watchers {
  readonly #told = new Map<grpc.ServerWritableStream<Buffer, Buffer>, (status: string) => void>();
  readonly #byPeer = new Map<string, number>();

  readonly #timers: Timers;
  readonly #now: () => string;
  #rest: () => void = () => {};

  constructor(timers: Timers, now: () => string) {
    this.#timers = timers;
    this.#now = now;
  }

  /** False when there are too many. */
  add(call: grpc.ServerWritableStream<Buffer, Buffer>, tell: (status: string) => void): boolean {
    const peer = call.getPeer();
    const own = this.#byPeer.get(peer) ?? 0;
    if (own >= MAX_OF_CONNECTION || this.#told.size >= MAX_WATCHERS) return false;
    if (this.#told.size === 0) this.#look();
    this.#byPeer.set(peer, own + 1);
    this.#told.set(call, tell);
    const leave = () => {
      if (!this.#told.delete(call)) return;
      if (this.#told.size === 0) this.#rest();
      const left = (this.#byPeer.get(peer) ?? 1) - 1;
      if (left > 0) this.#byPeer.set(peer, left);
      else this.#byPeer.delete(peer);
    };
    call.on('cancelled', leave);
    call.on('close', leave);
    return true;
  }

  #look(): void {
    let said = this.#now();
    this.#rest = this.#timers.every(LOOK_MS, () => {
      const status = this.#now();
      if (status !== said) for (const tell of this.#told.values()) tell(status);
      said = status;
    });
  }
}

/** Messages are bytes to the library: what is read and written here says what they mean. */
export function asIs(bytes: Buffer): Buffer {
  return bytes;
}
