import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { ProtocolError } from '#protocol/errors.ts';
import type { GrpcMethod, GrpcService, GrpcStatus } from '#protocol-server.ts';
import type { HttpLimits } from '../http/limits.ts';
import { thumbprintOf } from '../http/relayed-clients.ts';
import type { FailedLogins, HostAllowList } from '../http/request-checks.ts';
import type { EventStreams } from '../sse/event-streams.ts';
import type { Timers } from '../timers.ts';
import { CALLS_PER_CONNECTION, LATE, PING_TIMEOUT_MS } from './bounds.ts';
import { GrpcCall, type GrpcCallDeps } from './call.ts';
import { HEALTH_FILE, HEALTH_SERVICE, type HealthMethod, healthMethods } from './health.ts';
import { addReflection, asIs } from './reflection.ts';
import { GrpcStream } from './stream.ts';

/** PEM texts. `clientCa`: who signs the certificates that clients have to show; none is asked for without it. */
export interface GrpcTls {
  cert: string;
  key: string;
  clientCa?: string | undefined;
  /** Ask for a certificate that none has to have, for access tokens that are bound to one (RFC 8705). */
  requestsCertificate?: boolean | undefined;
}

export interface GrpcSettings {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Where clients find it, `host:port`; absent: the host of the public URL and the port that is listened on. */
  publicAddress?: string | undefined;
  tls?: GrpcTls | undefined;
}

export interface GrpcServerDeps extends GrpcCallDeps {
  timers: Timers;
  limits: HttpLimits;
  failedLogins: FailedLogins;
  hosts: HostAllowList;
  streams: EventStreams;
  isReady(): boolean;
}

/** Trailer that holds the `google.rpc.Status`. */
const STATUS_DETAILS = 'grpc-status-details-bin';

// The library would write metadata of callers to the standard error, credentials that it cannot read among them.
grpc.setLogVerbosity(grpc.logVerbosity.NONE);

/** The port of gRPC: the services of the bridges behind the same door, limits and log as HTTP; health and reflection beside them. */
export class GrpcServer {
  readonly #deps: GrpcServerDeps;
  readonly #settings: GrpcSettings;
  readonly #server: grpc.Server;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #certificate: Certificate | undefined;
  readonly #methods = new Map<string, { service: GrpcService; method: GrpcMethod }>();
  /** Calls by the metadata that the library passes from the door to the handler. */
  readonly #calls = new WeakMap<grpc.Metadata, GrpcCall>();
  #overflows = 0;

  constructor(services: readonly GrpcService[], settings: GrpcSettings, deps: GrpcServerDeps) {
    this.#deps = deps;
    this.#settings = settings;
    this.#certificate = settings.tls && new Certificate(settings.tls);
    const { limits } = deps;
    this.#server = new grpc.Server({
      interceptors: [(definition, call) => this.#door(definition.path, call)],
      'grpc.max_receive_message_length': limits.maxBodyBytes,
      'grpc.max_send_message_length': -1,
      'grpc.max_metadata_size': limits.maxHeaderBytes,
      'grpc.max_concurrent_streams': CALLS_PER_CONNECTION,
      'grpc.keepalive_time_ms': limits.heartbeatIntervalMs,
      'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
      'grpc.max_connection_idle_ms': limits.requestTimeoutMs,
    });
    for (const service of services) for (const method of service.methods) this.#register(service, method);
    const known = services.map(({ name }) => name);
    const health = { timers: deps.timers, services: known, isServing: () => deps.isReady() };
    for (const [path, method] of healthMethods(health)) this.#registerHealth(path, method);
    addReflection(this.#server, [...services, { name: HEALTH_SERVICE, files: [HEALTH_FILE] }]);
    const credentials = this.#certificate?.credentials() ?? grpc.ServerCredentials.createInsecure();
    const connections = this.#server.createConnectionInjector(credentials);
    // The library would take any number of connections.
    this.#listener = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      connections.injectConnection(socket);
    });
    this.#listener.maxConnections = limits.maxConnections;
  }

  /** Streams that were ended because their client did not keep up. */
  get overflows(): number {
    return this.#overflows;
  }

  /** Resolves with the port; rejects with the error of the system. */
  async listen(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#listener.once('error', reject);
      this.#listener.listen(this.#settings.port, this.#settings.host, () => {
        this.#listener.off('error', reject);
        resolve((this.#listener.address() as AddressInfo).port);
      });
    });
  }

  /** New connections get this certificate. */
  renewCertificate(pair: Pick<GrpcTls, 'cert' | 'key'>): void {
    this.#certificate?.renew(pair);
  }

  /** Takes no more calls, waits for those under way and cuts the rest; true when nothing was cut. */
  async close(graceMs: number): Promise<boolean> {
    this.#listener.close();
    return await new Promise((resolve) => {
      let clean = true;
      const stop = this.#deps.timers.after(graceMs, () => {
        clean = false;
        this.#server.forceShutdown();
      });
      this.#server.tryShutdown(() => {
        stop();
        // Those that never spoke.
        for (const socket of this.#sockets) socket.destroy();
        resolve(clean);
      });
    });
  }

  /** Lets a call in before its message is read, nobody else's, and waits for that message for some time only. */
  #door(path: string, inner: grpc.ServerInterceptingCallInterface): grpc.ServerInterceptingCall {
    const found = this.#methods.get(path);
    let call: GrpcCall | undefined;
    let arrived = () => {};
    const refuse = (thrown: unknown) => {
      const status =
        call === undefined || found === undefined
          ? { code: grpc.status.INVALID_ARGUMENT, details: LATE }
          : this.#refusal(call, found.service, thrown);
      inner.sendStatus(status);
      call?.over({ code: status.code });
    };
    return new grpc.ServerInterceptingCall(inner, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            const { timers, limits } = this.#deps;
            arrived = timers.after(limits.requestTimeoutMs, () =>
              refuse(new ProtocolError('invalid_request', LATE)),
            );
            if (found === undefined) return pass(metadata);
            const mine = this.#callFor(path, metadata, inner);
            call = mine;
            this.#admit(mine, inner).then(() => {
              if (!mine.isOver) pass(metadata);
            }, refuse);
          },
          onReceiveHalfClose: (pass) => {
            arrived();
            pass();
          },
          onCancel: () => {
            arrived();
            call?.left();
          },
        });
      },
      sendStatus: (status, next) => {
        arrived();
        next(status);
        call?.over({ code: status.code ?? grpc.status.UNKNOWN });
      },
    });
  }

  #callFor(path: string, metadata: grpc.Metadata, inner: grpc.ServerInterceptingCallInterface): GrpcCall {
    const certificate = inner.getAuthContext().sslPeerCertificate;
    const facts = {
      path,
      encrypted: this.#settings.tls !== undefined,
      certificateSha256: thumbprintOf(certificate),
    };
    const call = new GrpcCall(inner, metadata, facts, this.#deps);
    this.#calls.set(metadata, call);
    return call;
  }

  async #admit(call: GrpcCall, inner: grpc.ServerInterceptingCallInterface): Promise<void> {
    const { limits, hosts, gateway, failedLogins } = this.#deps;
    call.check(limits.maxHeaders);
    const { localAddress, localPort } = inner.getConnectionInfo();
    hosts.check(inner.getHost(), { localAddress, localPort } as Socket);
    await gateway.recognize(call.credential);
    failedLogins.check(call.sender, call.credential);
    call.caller();
    call.hold();
  }

  #register(service: GrpcService, method: GrpcMethod): void {
    const path = `/${service.name}/${method.name}`;
    this.#methods.set(path, { service, method });
    if (method.streams) {
      const handle: grpc.handleServerStreamingCall<Buffer, Buffer> = (call) =>
        void this.#stream(service, method, call);
      this.#server.register(path, handle, asIs, asIs, 'serverStream');
    } else {
      const handle: grpc.handleUnaryCall<Buffer, Buffer> = (call, answer) =>
        void this.#unary(service, method, call, answer);
      this.#server.register(path, handle, asIs, asIs, 'unary');
    }
  }

  /** On the wire, a method with one message as its answer is a stream of one. */
  #registerHealth(path: string, method: HealthMethod): void {
    const handle: grpc.handleServerStreamingCall<Buffer, Buffer> = (call) =>
      void method({
        request: call.request,
        peer: call.getPeer(),
        write: (bytes) => void call.write(bytes),
        end: () => void call.end(),
        fail: (status) => void call.emit('error', status),
        onEnd: (run) => void call.on('cancelled', run).on('close', run),
      });
    this.#server.register(path, handle, asIs, asIs, 'serverStream');
  }

  async #unary(
    service: GrpcService,
    method: GrpcMethod,
    { request, metadata }: Pick<grpc.ServerUnaryCall<Buffer, Buffer>, 'request' | 'metadata'>,
    answer: grpc.sendUnaryData<Buffer>,
  ): Promise<void> {
    const call = this.#callOf(metadata);
    try {
      const result = await method.handle(call, request);
      if (call.isOver) return;
      answer(null, Buffer.from(result ?? []), trailersOf(call.metadata));
    } catch (thrown) {
      if (!call.isOver) answer(this.#refusal(call, service, thrown));
    }
  }

  async #stream(
    service: GrpcService,
    method: GrpcMethod,
    given: grpc.ServerWritableStream<Buffer, Buffer>,
  ): Promise<void> {
    const call = this.#callOf(given.metadata);
    const fail = (thrown: unknown, cursor = '') => {
      if (!call.isOver) given.emit('error', this.#refusal(call, service, thrown, cursor));
    };
    call.opens = ({ headers = [] }) => {
      const stream = new GrpcStream({
        call: given,
        streamBufferBytes: this.#deps.limits.streamBufferBytes,
        begin: () => {
          call.released();
          if (!call.isOver) given.sendMetadata(trailersOf([...call.metadata, ...headers]));
        },
        finish: (cursor, error) => {
          if (error !== undefined) fail(error, cursor);
          else if (!call.isOver) given.end(trailersOf(cursor === '' ? [] : ['last-event-id', cursor]));
        },
        onOverflow: () => {
          this.#overflows += 1;
        },
      });
      const forget = this.#deps.streams.countOther(() => stream.end('draining'));
      call.onEnd(() => {
        forget();
        stream.closed();
      });
      call.onCredentialEnd((error) => {
        if (stream.hasStarted) stream.end('unauthenticated', error);
      });
      return stream;
    };
    try {
      await method.handle(call, given.request);
    } catch (thrown) {
      fail(thrown);
    }
  }

  #callOf(metadata: grpc.Metadata): GrpcCall {
    const call = this.#calls.get(metadata);
    if (call === undefined) throw new Error('a call came past the door');
    return call;
  }

  #refusal(call: GrpcCall, service: GrpcService, thrown: unknown, cursor = ''): RefusedStatus {
    const error = ProtocolError.from(thrown);
    call.failed(error);
    const { code, message, details }: GrpcStatus = service.statusOf(error);
    const metadata = trailersOf([
      ...call.errorHeaders(error),
      ...call.metadata,
      ...(cursor === '' ? [] : ['last-event-id', cursor]),
    ]);
    metadata.set(STATUS_DETAILS, Buffer.from(details));
    return { code, details: message, metadata };
  }
}

interface RefusedStatus {
  code: number;
  details: string;
  metadata: grpc.Metadata;
}

function trailersOf(headers: readonly string[]): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (let at = 0; at < headers.length; at += 2)
    metadata.add((headers[at] ?? '').toLowerCase(), headers[at + 1] ?? '');
  return metadata;
}

/** The pair that new connections get; a reload may change it. */
class Certificate {
  readonly #tls: GrpcTls;
  readonly #listeners = new Set<(update: Pair | null) => void>();

  constructor(tls: GrpcTls) {
    this.#tls = { ...tls };
  }

  renew({ cert, key }: Pick<GrpcTls, 'cert' | 'key'>): void {
    Object.assign(this.#tls, { cert, key });
    for (const listener of this.#listeners) listener(this.#pair());
  }

  credentials(): grpc.ServerCredentials {
    const { cert, clientCa, requestsCertificate = false } = this.#tls;
    const provider: Provider = {
      addIdentityCertificateListener: (listener) => {
        this.#listeners.add(listener);
        // The library tells its server only of what comes once it listens.
        queueMicrotask(() => listener(this.#pair()));
      },
      removeIdentityCertificateListener: (listener) => void this.#listeners.delete(listener),
      // Who signed a certificate that none has to have does not matter.
      addCaCertificateListener: (listener) =>
        queueMicrotask(() => listener({ caCertificate: Buffer.from(clientCa ?? cert) })),
      removeCaCertificateListener: () => undefined,
    };
    const asks = clientCa !== undefined || requestsCertificate;
    return grpc.experimental.createCertificateProviderServerCredentials(
      provider,
      asks ? provider : null,
      clientCa !== undefined,
    );
  }

  #pair(): Pair {
    const { cert, key } = this.#tls;
    return { certificate: Buffer.from(cert), privateKey: Buffer.from(key) };
  }
}

type Provider = Parameters<typeof grpc.experimental.createCertificateProviderServerCredentials>[0];

interface Pair {
  certificate: Buffer;
  privateKey: Buffer;
}
