import type { IncomingHttpHeaders } from 'node:http';
import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { AdmittedCaller, Call, CredentialOfCall, TracedRequest } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { SenderProof } from '#protocol/sender-proof.ts';
import { traceFields } from '#protocol/trace-context.ts';
import type { GrpcRequest, ServerCall, ServerStream, ServerStreamOptions } from '#protocol-server.ts';
import { type ExchangeDeps, errorHeaders } from '../http/exchange.ts';
import type { Sender } from '../http/relayed-clients.ts';
import type { TransportSecurity } from '../http/request-checks.ts';

/** Metadata that decide something: a second one is a sign of a confused or hostile sender. */
const SINGLE = ['authorization', 'idempotency-key', 'last-event-id', 'a2a-version', 'traceparent', 'dpop'];

/** What a surface needs of the connection that a call came by. */
export interface CallFacts {
  /** Path of the method, `/package.Service/Method`. */
  path: string;
  /** The connection has TLS. */
  encrypted: boolean;
  certificateSha256: string | undefined;
}

export interface GrpcCallDeps extends ExchangeDeps {
  transport: Pick<TransportSecurity, 'isSecure'>;
}

/** How a call ended, for the log. */
export interface CallEnd {
  /** Number of the status of gRPC. */
  code: number;
}

/** One call over gRPC: who asks, the abort signal, and the log line that is written when it has ended. */
export class GrpcCall implements GrpcRequest {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly query = {};
  /** Metadata of the answer, names and values in turn. */
  readonly metadata: string[] = [];
  readonly trace: TracedRequest | undefined;
  readonly #deps: GrpcCallDeps;
  readonly #facts: CallFacts;
  readonly #host: string;
  readonly #remoteAddress: string | undefined;
  readonly #startedAt: number;
  readonly #abort = new AbortController();
  /** Opens the stream of the answer; known once the call has a handler. */
  opens: (options: ServerStreamOptions) => ServerStream = () => {
    throw new Error('a call without a stream was asked for one');
  };
  #credential: CredentialOfCall | undefined;
  #caller: AdmittedCaller | undefined;
  #overRate: ProtocolError | undefined;
  #release: (() => void) | undefined;
  #traceparent: string | undefined;
  #errorCode: string | undefined;
  #refusalReason: string | undefined;
  #ended: (() => void)[] = [];
  #isOver = false;

  constructor(
    call: Pick<ServerInterceptingCallInterface, 'getHost' | 'getConnectionInfo'>,
    metadata: Metadata,
    facts: CallFacts,
    deps: GrpcCallDeps,
  ) {
    this.#deps = deps;
    this.#facts = facts;
    this.#host = call.getHost();
    this.#remoteAddress = call.getConnectionInfo().remoteAddress;
    this.requestId = deps.newRequestId();
    this.#startedAt = deps.clock.monotonic();
    this.trace = deps.traceRequest?.();
    this.headers = headersOf(metadata);
  }

  /** Where the sender is and what it sent, for those who count failed logins. */
  get sender(): Sender {
    const { encrypted, certificateSha256 } = this.#facts;
    const socket = { remoteAddress: this.#remoteAddress, encrypted };
    return { socket, headers: this.headers, certificateSha256 };
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get credential(): CredentialOfCall {
    this.#credential ??= { authorization: this.headers.authorization, proof: this.#proof() };
    return this.#credential;
  }

  #proof(): SenderProof | undefined {
    const { dpop } = this.headers;
    const { path } = this.#facts;
    const certificateSha256 = this.#deps.proofs.certificateOf(this.sender);
    if (dpop === undefined && certificateSha256 === undefined) return undefined;
    return {
      dpop: typeof dpop === 'string' ? dpop : dpop?.join(),
      method: 'POST',
      urls: [`${this.#deps.transport.isSecure(this.sender) ? 'https' : 'http'}://${this.#host}${path}`],
      certificateSha256,
    };
  }

  /** Refuses what comes twice and decides something. */
  check(maxHeaders: number): void {
    const names = Object.keys(this.headers);
    if (names.length > maxHeaders)
      throw new ProtocolError(
        'payload_too_large',
        `The call has more than ${maxHeaders} metadata. Send fewer.`,
      );
    // What came twice was joined on its way.
    const twice = SINGLE.find((name) => [this.headers[name]].flat().join(', ').includes(', '));
    if (twice !== undefined)
      throw new ProtocolError('invalid_request', `Send the metadata ${twice} once.`, { param: twice });
  }

  caller(): AdmittedCaller {
    if (this.#caller === undefined) {
      const { gateway, metering } = this.#deps;
      this.#caller = gateway.enter(this.credential, 'exempt');
      const { fields = [], refused } = metering.meter?.take(this.#caller) ?? {};
      this.metadata.push(...fields);
      this.#overRate = refused;
    }
    if (this.#overRate !== undefined) throw this.#overRate;
    return this.#caller;
  }

  /** Lets the message count as under way until the call has an answer. Throws `rate_limited`. */
  hold(): void {
    this.#release ??= this.#deps.metering.meter?.hold(this.caller());
  }

  released(): void {
    this.#release?.();
    this.#release = undefined;
  }

  tracedBy(traceparent: string): void {
    this.#traceparent = traceparent;
  }

  call(given: ServerCall = {}): Call {
    const call: Call = {
      requestId: this.requestId,
      caller: this.caller(),
      path: {},
      query: {},
      body: undefined,
      idempotencyKey: single(this.headers['idempotency-key']),
      lastEventId: single(this.headers['last-event-id']),
      traceparent: this.#traceparent ?? single(this.headers['traceparent']),
      request: this.trace,
      signal: this.signal,
    };
    return Object.assign(call, given);
  }

  addMetadata(headers: readonly string[]): void {
    this.metadata.push(...headers);
  }

  failed(error: ProtocolError): void {
    this.#errorCode = error.code;
    this.#refusalReason = error.challenge?.reason;
    if (error.code === 'unauthenticated') this.#deps.failedLogins.failed(this.sender);
    if (error.status < 500) return;
    this.#deps.logger.error(
      { ...this.#place, route: this.#facts.path, code: error.code, err: error.cause ?? error },
      'request failed',
    );
  }

  errorHeaders(error: ProtocolError): readonly string[] {
    return errorHeaders(error, this.#deps.challenges);
  }

  openStream(options: ServerStreamOptions): ServerStream {
    return this.opens(options);
  }

  /** Calls back when the credential of its caller ends before the call is over. */
  onCredentialEnd(ended: (error: ProtocolError) => void): void {
    if (this.#caller !== undefined) this.onEnd(this.#deps.gateway.watch(this.#caller, ended));
  }

  onEnd(run: () => void): void {
    if (this.#isOver) run();
    else this.#ended.push(run);
  }

  /** Nothing more is sent: the client left, or its deadline passed. */
  left(): void {
    this.#errorCode ??= 'client_closed_request';
    this.#abort.abort();
    this.over({ code: CANCELLED });
  }

  /** Logs method, status and time only: metadata and messages may hold secrets. */
  over({ code }: CallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.released();
    for (const run of this.#ended.splice(0)) run();
    const { path: route } = this.#facts;
    const { clock, logger } = this.#deps;
    const errorCode = this.#errorCode;
    this.trace?.end({ method: 'POST', route, status: code === 0 ? 200 : (HTTP_OF[code] ?? 500), errorCode });
    logger.info(
      {
        ...this.#place,
        method: 'gRPC',
        route,
        status: code,
        duration_ms: Math.round((clock.monotonic() - this.#startedAt) * 1000) / 1000,
        ...(errorCode === undefined ? {} : { error_code: errorCode }),
        ...(this.#refusalReason === undefined ? {} : { reason: this.#refusalReason }),
      },
      'request',
    );
  }

  get #place(): { request_id: string; trace_id?: string } {
    const request_id = this.requestId;
    const own = this.trace?.place;
    if (own !== undefined) return { request_id, trace_id: own.traceId };
    return { request_id, ...traceFields(single(this.headers['traceparent'])) };
  }
}

const CANCELLED = 1;

/** Statuses of HTTP by number of gRPC, for traces. */
const HTTP_OF: Readonly<Record<number, number>> = {
  1: 499,
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  12: 404,
  13: 500,
  14: 503,
  16: 401,
};

function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const name of Object.keys(metadata.getMap())) {
    if (name.endsWith('-bin')) continue;
    const values = metadata.get(name).map(String);
    headers[name] = values.length > 1 ? joined(name, values) : values[0];
  }
  return headers as IncomingHttpHeaders;
}

/** Lists may be sent in pieces; what decides something is refused later, by the number of its values. */
function joined(name: string, values: string[]): string | string[] {
  return SINGLE.includes(name) ? values : values.join(', ');
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
