import * as grpc from '@grpc/grpc-js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { findError, grpcStatusName, rpcCodeOfGrpc } from '../../../mappings/a2a/errors.ts';
import { type A2aOperation, grpcMethod, OPERATIONS } from '../../../mappings/a2a/operations.ts';
import { credentialFault, Fault, tooLarge, unavailable } from '../../wire/faults.ts';
import { MAX_FIELDS, TooManyFields } from '../proto/bounds.ts';
import { type MethodCodecs, methodsOf, RPC_STATUS_CODEC } from '../proto/codec.ts';
import { SERVICE_NAMES } from '../proto/service-names.ts';
import { faultOf } from './faults.ts';

const METHODS = { '1.0': methodsOf('1.0'), '0.3': methodsOf('0.3') } as const;
const STATUS_DETAILS = 'grpc-status-details-bin';

// The library would write metadata of agents to the standard error.
grpc.setLogVerbosity(grpc.logVerbosity.NONE);

interface LineLimits {
  first_frame_timeout_ms: number;
  total_timeout_ms: number;
  max_frame_bytes: number;
  max_response_bytes: number;
}

/** One request over gRPC. */
export interface GrpcAsk {
  operation: A2aOperation;
  version: '1.0' | '0.3';
  /** Scheme says whether TLS is spoken; a path means nothing. */
  url: URL;
  metadata: Record<string, string>;
  message: JsonObject;
  signal: AbortSignal;
}

/** A message as it came: its canonical JSON and its bytes; `error` marks the status of a refused call. */
export interface GrpcAnswer {
  message: JsonValue;
  bytes: Buffer | undefined;
}

/** The connection to one agent, kept while it is used. */
export class GrpcLine {
  readonly #limits: LineLimits;
  #open: { host: string; client: grpc.Client } | undefined;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** Asks and yields what comes back, the next when this one is taken. Throws Fault; a call that is left is canceled. */
  async *ask({ operation, version, url, metadata, message, signal }: GrpcAsk): AsyncGenerator<GrpcAnswer> {
    const method = grpcMethod(version, operation) ?? '';
    const codecs = METHODS[version].get(method);
    if (codecs === undefined) throw unavailable('protocol', 'The service of A2A has no such method.');
    const sent = new grpc.Metadata();
    for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
    sent.set('grpc-timeout', timeoutOf(operation, this.#limits));
    const path = `/${SERVICE_NAMES[version]}/${method}`;
    const bytes = Buffer.from(codecs.request.encode(message));
    const client = this.#clientOf(url);
    try {
      if (codecs.streams)
        yield* this.#stream(client.makeServerStreamRequest(path, asIs, asIs, bytes, sent), codecs, signal);
      else yield decoded(await unary(client, path, bytes, sent, signal), codecs);
    } catch (error) {
      if (error instanceof Fault || !isServiceError(error)) throw error;
      yield { message: refusalOf(error, this.#limits), bytes: undefined };
    }
  }

  close(): void {
    this.#open?.client.close();
    this.#open = undefined;
  }

  async *#stream(
    call: grpc.ClientReadableStream<Buffer>,
    codecs: MethodCodecs,
    signal: AbortSignal,
  ): AsyncGenerator<GrpcAnswer> {
    const { max_frame_bytes: maxFrame, max_response_bytes: maxTotal } = this.#limits;
    const stop = () => call.cancel();
    signal.addEventListener('abort', stop, { once: true });
    let total = 0;
    try {
      for await (const bytes of call as AsyncIterable<Buffer>) {
        total += bytes.length;
        if (bytes.length > maxFrame) throw tooLarge('an event', maxFrame);
        if (total > maxTotal) throw tooLarge('a stream', maxTotal);
        yield decoded(bytes, codecs);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      // What comes after nobody listens is the end of a call that was left.
      call.on('error', () => undefined);
      call.cancel();
    }
  }

  #clientOf(url: URL): grpc.Client {
    const host = `${url.protocol}//${url.host}`;
    if (this.#open?.host === host) return this.#open.client;
    this.close();
    const isSecure = url.protocol === 'https:';
    const credentials = isSecure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    const address = `${url.hostname}:${url.port || (isSecure ? '443' : '80')}`;
    const client = new grpc.Client(address, credentials, {
      'grpc.max_receive_message_length': this.#limits.max_response_bytes,
      'grpc.use_local_subchannel_pool': 1,
      // An agent that is back is asked at once; who asks waits between two attempts.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
    });
    this.#open = { host, client };
    return client;
  }
}

/** Digits that a timeout may have. Spec: gRPC over HTTP2, "Timeout". */
const MAX_TIMEOUT = 99_999_999;

/**
 * How long the agent need not work longer: as long as somebody here waits. It is said as metadata and not as a deadline of the
 * library, whose clock is another one; that nobody waits longer is the work of the watchdog.
 */
function timeoutOf(operation: A2aOperation, limits: LineLimits): string {
  const isTurn = operation === 'SendMessage' || OPERATIONS[operation].streams;
  const ms = Math.ceil(isTurn ? limits.total_timeout_ms : limits.first_frame_timeout_ms);
  return ms <= MAX_TIMEOUT ? `${ms}m` : `${Math.min(Math.ceil(ms / 1_000), MAX_TIMEOUT)}S`;
}

function unary(
  client: grpc.Client,
  path: string,
  bytes: Buffer,
  metadata: grpc.Metadata,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, (error, answer) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve(answer ?? Buffer.alloc(0));
    });
    const stop = () => call.cancel();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

function decoded(bytes: Buffer, { response }: MethodCodecs): GrpcAnswer {
  try {
    return { message: response.decode(bytes), bytes };
  } catch (cause) {
    if (cause instanceof TooManyFields)
      throw new Fault('payload_too_large', `The agent sent a message of more than ${MAX_FIELDS} fields.`);
    throw unavailable('protobuf', 'The agent sent a message that is none of its method.');
  }
}

function isServiceError(error: unknown): error is grpc.ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'metadata' in error;
}

/**
 * The error of a refused call, as HTTP+JSON would have written it. Throws Fault for what is no answer of the agent: a broken
 * connection, a refused credential, a timeout. Spec: A2A 1.0, 10.6.
 */
function refusalOf({ code, details, metadata }: grpc.ServiceError, limits: LineLimits): JsonObject {
  const info = detailsOf(metadata);
  const { status } = grpc;
  if (code === status.UNAUTHENTICATED) throw credentialFault(401, 'agent') ?? lost();
  if (code === status.PERMISSION_DENIED) throw credentialFault(403, 'agent') ?? lost();
  if (info.length === 0 && code === status.RESOURCE_EXHAUSTED && details.startsWith('Received message'))
    throw tooLarge('an answer', limits.max_response_bytes);
  if (!info.some(isOfA2a)) {
    const retryAfter = retryAfterOf(metadata, info);
    if (code === status.RESOURCE_EXHAUSTED) throw overloaded('RESOURCE_EXHAUSTED', 429, retryAfter);
    if (code === status.UNAVAILABLE && retryAfter !== undefined)
      throw overloaded('UNAVAILABLE', 503, retryAfter);
    if (info.length === 0 && code === status.UNAVAILABLE) throw unreached(details);
  }
  if (code === status.DEADLINE_EXCEEDED)
    throw new Fault(
      'deadline_exceeded',
      'The agent reports a timeout of its own.',
      { reason: 'grpc_status' },
      true,
    );
  if (code === status.CANCELLED) throw lost();
  // Some agents of 0.3 say which error it is by the name of its class, before what they say of it.
  const className = /^(\w+Error): /.exec(details)?.[1];
  const named = info.length === 0 && className !== undefined && findError({ className }).known;
  return {
    error: {
      code: named ? 0 : rpcCodeOfGrpc(code),
      status: grpcStatusName(code),
      message: details,
      details: info,
      ...(named && { type: className }),
    },
  };
}

function isOfA2a({ reason }: JsonObject): boolean {
  return typeof reason === 'string' && findError({ reason }).known;
}

/** Seconds, as the header of HTTP has them. Spec: google.rpc.RetryInfo. */
function retryAfterOf(metadata: grpc.Metadata, info: readonly JsonObject[]): string | undefined {
  const [sent] = metadata.get('retry-after');
  if (typeof sent === 'string') return sent.slice(0, 64);
  const delay = info.map(({ retryDelay }) => retryDelay).find((each) => typeof each === 'string');
  const seconds = Number.parseFloat(delay ?? '');
  return Number.isNaN(seconds) ? undefined : String(Math.ceil(seconds));
}

/** An agent that has too much to do, as its status of HTTP would say it: who retries goes by that. */
function overloaded(name: string, httpStatus: number, retryAfter: string | undefined): Fault {
  const details = {
    reason: 'grpc_status',
    http_status: httpStatus,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return new Fault('upstream_unavailable', `The agent answered with ${name}.`, details, true);
}

/** What the library says of a call that did not get through, which it has no code for. */
function unreached(details: string): Fault {
  const nameless = details.startsWith('Name resolution failed') ? 'ENOTFOUND' : undefined;
  const isUnconnected = details.startsWith('No connection established');
  const named = isUnconnected ? /\bE[A-Z]{4,}\b/.exec(details)?.[0] : nameless;
  const code = named ?? (isUnconnected && /certificate|SSL routines/.test(details) ? 'EPROTO' : undefined);
  return code === undefined ? lost() : faultOf(Object.assign(new Error(details), { code }));
}

function lost(): Fault {
  return new Fault('upstream_unavailable', 'The connection to the agent was lost.', { reason: 'lost' }, true);
}

/** Details of kinds that nobody here knows are left out. */
function detailsOf(metadata: grpc.Metadata): JsonObject[] {
  const [bytes] = metadata.get(STATUS_DETAILS);
  if (!Buffer.isBuffer(bytes)) return [];
  try {
    const { details } = RPC_STATUS_CODEC.decode(bytes);
    return Array.isArray(details) ? details.filter(isObject) : [];
  } catch {
    return [];
  }
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
