import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { messageOf, readFile } from '#protocol/protobuf.ts';
import type { Timers } from '../timers.ts';
import { HEALTH } from './descriptors.ts';

/** Time between two looks at what watchers are told. */
const LOOK_MS = 1_000;

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
  const asked = (bytes: Buffer): string | undefined => {
    const { service = '' } = toJson(request, fromBinary(request, bytes)) as { service?: string };
    return service === '' || services.includes(service) ? service : undefined;
  };
  const encode = (status: string) => Buffer.from(toBinary(response, fromJson(response, { status })));
  const now = () => (isServing() ? 'SERVING' : 'NOT_SERVING');

  const check: grpc.handleUnaryCall<Buffer, Buffer> = ({ request: bytes }, answer) => {
    if (asked(bytes) !== undefined) return answer(null, encode(now()));
    answer({ code: grpc.status.NOT_FOUND, details: 'No such service. Reflection lists the services.' });
  };
  const watch: grpc.handleServerStreamingCall<Buffer, Buffer> = (call) => {
    const isKnown = asked(call.request) !== undefined;
    let said = isKnown ? now() : 'SERVICE_UNKNOWN';
    call.write(encode(said));
    if (!isKnown) return;
    const stop = timers.every(LOOK_MS, () => {
      const status = now();
      if (status !== said) call.write(encode(status));
      said = status;
    });
    call.on('cancelled', stop);
    call.on('close', stop);
  };
  const path = (method: string) => `/${HEALTH_SERVICE}/${method}`;
  server.register(path('Check'), check, asIs, asIs, 'unary');
  server.register(path('Watch'), watch, asIs, asIs, 'serverStream');
}

/** Messages are bytes to the library: what is read and written here says what they mean. */
export function asIs(bytes: Buffer): Buffer {
  return bytes;
}
