import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AdmittedCaller, CredentialOfCall, Gateway, Metering, TracedRequest } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import { AT_ONCE_BYTES } from '#json/large-json.ts';
import type { Spool } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import { traceFields } from '#protocol/trace-context.ts';
import type { RawBody, SpooledBody } from '#resources/operations.ts';
import type { Timers } from '../timers.ts';
import type { Challenges } from './challenges.ts';
import type { FailedLogins, SenderProofs } from './request-checks.ts';

export interface ExchangeDeps {
  clock: Clock;
  timers: Timers;
  logger: Logger;
  /** Fresh request id, `req_<ULID>`. */
  newRequestId(): string;
  /** What a 401 asks for. */
  challenges: Challenges;
  proofs: SenderProofs;
  gateway: Gateway;
  metering: Metering;
  /** Called for every request that was answered with 401. */
  failedLogins: FailedLogins;
  /** Follows a request for its trace. Default: none is followed. */
  traceRequest?: (() => TracedRequest) | undefined;
  /** True once the gateway is shutting down: answers then close their connection. */
  isDraining(): boolean;
}

const openExchanges = new WeakMap<Socket, Exchange>();

/** The newest exchange on a socket, if any; parse errors are judged by its state. */
export function exchangeOn(socket: Socket): Exchange | undefined {
  return openExchanges.get(socket);
}

/** One request and its answer: ids, the abort signal, and the log line written when the answer is closed. */
export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Path pattern of the matched route; `-` while none matched. */
  route = '-';
  /** True for event streams, whose clients leave when they like. */
  isStream = false;
  /** True when the gateway itself cut off an answer that had begun. */
  isCut = false;
  /** Flat list of headers that every answer of this exchange carries. */
  readonly headers: string[] = [];
  /** Code of the error answered, for the log. */
  errorCode: string | undefined;
  /** Why the credential was refused, for the log. */
  refusalReason: string | undefined;
  readonly deps: ExchangeDeps;
  /** Follows it for its trace; undefined where none is followed. */
  readonly trace: TracedRequest | undefined;
  #abort: AbortController | undefined;
  #hasLeft = false;
  readonly #startedAt: number;
  #credential: CredentialOfCall | undefined;
  #caller: AdmittedCaller | undefined;
  #overRate: ProtocolError | undefined;
  /** Set while the body of the request counts as under way. */
  release: (() => void) | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, deps: ExchangeDeps) {
    this.req = req;
    this.res = res;
    this.deps = deps;
    this.requestId = deps.newRequestId();
    this.#startedAt = deps.clock.monotonic();
    this.trace = deps.traceRequest?.();
    openExchanges.set(req.socket, this);
    res.once('close', () => this.#closed());
    res.on('error', (error) => deps.logger.debug({ ...this.place, err: error }, 'answer failed'));
  }

  /** Aborted when the client went away before its answer was complete; made on demand, as few calls look at it. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#hasLeft) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Who the request says it is of: one object for all who ask, so that its proof is judged once. */
  get credential(): CredentialOfCall {
    this.#credential ??= {
      authorization: this.req.headers.authorization,
      proof: this.deps.proofs.of(this.req),
    };
    return this.#credential;
  }

  /** Who is calling, resolved and counted by the first who asks. Throws what `Gateway.enter` throws, and `rate_limited`. */
  caller(version: string | undefined | 'exempt'): AdmittedCaller {
    if (this.#caller === undefined) {
      this.#caller = this.deps.gateway.enter(this.credential, version);
      if (this.deps.metering.meter !== undefined) this.count(this.#caller);
    }
    if (this.#overRate !== undefined) throw this.#overRate;
    return this.#caller;
  }

  /** Counts the request of a caller. Throws `rate_limited`. */
  count(caller: AdmittedCaller): void {
    const { fields = [], refused } = this.deps.metering.meter?.take(caller) ?? {};
    this.headers.push(...fields);
    this.#overRate = refused;
    if (refused !== undefined) throw refused;
  }

  /** Lets the body count as under way until the head of the answer is written. Throws `rate_limited`. */
  holdBody(): void {
    if (this.#caller !== undefined) this.release ??= this.deps.metering.meter?.hold(this.#caller);
  }

  /** Calls back when the credential of its caller ends before the answer is complete; for who calls with one of the gateway. */
  onCredentialEnd(watch: Gateway['watch'], ended: (error: ProtocolError) => void): void {
    if (this.#caller !== undefined) this.res.once('close', watch(this.#caller, ended));
  }

  /** The body counts no more. */
  released(): void {
    this.release?.();
    this.release = undefined;
  }

  /** Notes the error that is answered with, for the log. */
  answeredWith({ code, challenge }: ProtocolError): void {
    this.errorCode = code;
    this.refusalReason = challenge?.reason;
  }

  /** True when nothing more can reach the client. */
  get isGone(): boolean {
    return this.res.destroyed || this.req.socket.destroyed;
  }

  /** Which request it is, for the log: its id, and its trace where that is known. */
  get place(): { request_id: string; trace_id?: string } {
    const request_id = this.requestId;
    const own = this.trace?.place;
    if (own !== undefined) return { request_id, trace_id: own.traceId };
    return { request_id, ...traceFields(this.req.headers['traceparent']) };
  }

  /** Logs route, status and time only: headers and bodies may hold secrets. */
  #closed(): void {
    const finished = this.res.writableFinished;
    if (this.res.statusCode === 401) this.deps.failedLogins.failed(this.req);
    if (this.release !== undefined) this.released();
    this.#hasLeft = !finished;
    if (!finished) this.#abort?.abort();
    const left = !finished && !this.isStream && !this.isCut;
    const errorCode = left ? 'client_closed_request' : this.errorCode;
    const status = left ? 499 : this.res.statusCode;
    const { method = '' } = this.req;
    this.trace?.end({ method, route: this.route, status, errorCode });
    const isTraced = this.trace !== undefined || this.req.headers['traceparent'] !== undefined;
    this.deps.logger.info(
      {
        ...(isTraced ? this.place : { request_id: this.requestId }),
        method,
        route: this.route,
        status,
        duration_ms: Math.round((this.deps.clock.monotonic() - this.#startedAt) * 1000) / 1000,
        ...(errorCode === undefined ? {} : { error_code: errorCode }),
        ...(this.refusalReason === undefined ? {} : { reason: this.refusalReason }),
      },
      'request',
    );
  }
}

/** What the edge leaves for the routes. */
export interface HttpState {
  exchange: Exchange;
}

/** Refuses a request in the words of the protocol that its path is of; false when it is of none. `headers` are names and values in turn. */
export type RefusePath = (
  exchange: Exchange,
  path: string,
  error: ProtocolError,
  headers: readonly string[],
) => boolean;

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;
const DEFAULT_RAW_TYPE = 'application/octet-stream';

/** A body in a file, which its reader closes. */
export interface Spooled extends SpooledBody {
  close(): Promise<void>;
}

const EMPTY = Buffer.alloc(0);

/**
 * Reads a JSON body; undefined when there is none. The size is checked before and while reading, never after.
 * Throws 413 `payload_too_large`, 400 for another content type, a content encoding or what the strict reader refuses.
 */
export async function readJson(
  exchange: Exchange,
  limits: { maxBodyBytes: number; maxJsonDepth: number },
  json: Pick<JsonReader, 'read'>,
): Promise<JsonValue | undefined> {
  const { req } = exchange;
  if (!declaresBody(req)) return undefined;
  refuseEncoded(req);
  if (exchange.deps.metering.meter !== undefined) exchange.holdBody();
  const type = req.headers['content-type'];
  if (type !== 'application/json' && !JSON_MEDIA_TYPE.test(type ?? '')) {
    throw new ProtocolError('invalid_request', 'Send the body as application/json in UTF-8.', {
      param: 'Content-Type',
    });
  }
  const bytes = await collect(exchange, limits.maxBodyBytes);
  if (bytes.length === 0) return undefined;
  return await parseBody(exchange, bytes, limits, json);
}

/** The JSON value of a body that was read. */
export function parseBody(
  exchange: Exchange,
  bytes: Buffer,
  { maxBodyBytes, maxJsonDepth }: { maxBodyBytes: number; maxJsonDepth: number },
  json: Pick<JsonReader, 'read'>,
): JsonValue | Promise<JsonValue> {
  // The signal is made on demand; it is worth that only where there is something to give up.
  const signal = bytes.length > AT_ONCE_BYTES ? exchange.signal : undefined;
  return json.read(bytes, { maxBytes: maxBodyBytes, maxDepth: maxJsonDepth }, signal);
}

/** Reads a raw body of at most `maxBytes` with its declared media type. */
export async function readRaw(exchange: Exchange, maxBytes: number): Promise<RawBody> {
  const { req } = exchange;
  refuseEncoded(req);
  if (exchange.deps.metering.meter !== undefined && declaresBody(req)) exchange.holdBody();
  const mimeType = req.headers['content-type'] ?? DEFAULT_RAW_TYPE;
  if (Number(req.headers['content-length'] ?? 0) <= IN_PLACE_BYTES)
    return { bytes: declaresBody(req) ? await collect(exchange, maxBytes) : EMPTY, mimeType };
  const hash = createHash('sha256');
  const bytes = await collect(exchange, maxBytes, (chunk) => hash.update(chunk));
  return { bytes, mimeType, sha256: hash.digest('hex') };
}

/** Writes a raw body of at most `maxBytes` to a file, as it comes. */
export async function readSpooled(exchange: Exchange, maxBytes: number, spool: Spool): Promise<Spooled> {
  const { req } = exchange;
  refuseEncoded(req);
  if (exchange.deps.metering.meter !== undefined) exchange.holdBody();
  declaredSize(exchange, maxBytes);
  const file = await spool.open();
  try {
    if (declaresBody(req)) await receive(exchange, maxBytes, (chunk) => file.write(chunk));
    return { spooled: file.finish(), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Encoded bodies would be judged by a size they do not have. */
function refuseEncoded(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ProtocolError('invalid_request', 'Send the body without content encoding.', {
    param: 'Content-Encoding',
  });
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError('payload_too_large', `The body exceeds ${maxBytes} bytes. Send less at once.`, {
    details: { max_bytes: maxBytes },
  });
}

function clientLeft(): ProtocolError {
  return new ProtocolError('client_closed_request', 'The client left before its request was complete.');
}

/** Longer bodies of a declared length are put together where they stay: joined from pieces they would be there twice. */
const IN_PLACE_BYTES = 1024 * 1024;

async function collect(
  exchange: Exchange,
  maxBytes: number,
  onChunk?: (chunk: Buffer) => unknown,
): Promise<Buffer> {
  const declared = declaredSize(exchange, maxBytes);
  const place = declared > IN_PLACE_BYTES ? Buffer.allocUnsafeSlow(declared) : undefined;
  const chunks: Buffer[] = [];
  const size = await receive(exchange, maxBytes, (chunk, at) => {
    onChunk?.(chunk);
    if (place === undefined) chunks.push(chunk);
    else chunk.copy(place, at);
  });
  return place?.subarray(0, size) ?? joined(chunks, size);
}

/** Refuses what says already that it is too large. */
function declaredSize({ req }: Exchange, maxBytes: number): number {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  return declared;
}

/** Hands over the body as it comes, no more of it while a chunk is being taken; resolves with its size. */
async function receive(
  { req, res }: Exchange,
  maxBytes: number,
  take: (chunk: Buffer, at: number) => Promise<void> | undefined,
): Promise<number> {
  // Nothing is sent any more to a client that left while its file was opened.
  if (req.destroyed) throw clientLeft();
  if (req.headers.expect !== undefined) res.writeContinue();
  return await new Promise<number>((resolve, reject) => {
    let size = 0;
    let taken: Promise<void> | undefined;
    const settle = (error?: unknown) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error !== undefined) reject(error);
      else resolve(size);
    };
    const stop = (error: unknown) => {
      req.pause();
      settle(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return stop(tooLarge(maxBytes));
      taken = take(chunk, size - chunk.length);
      if (taken === undefined) return;
      req.pause();
      taken.then(() => req.resume(), stop);
    };
    // A paused request reports its end all the same.
    const onEnd = () => {
      req.off('close', onClose);
      if (taken === undefined) settle();
      else taken.then(() => settle(), settle);
    };
    const onClose = () => settle(clientLeft());
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  return chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, size);
}

/** A refused body up to this size is read away, so that the connection can be used again. */
const DISCARDABLE_BYTES = 64 * 1024;

/** Time for a client to read its refusal before the connection is cut under its half-sent body. */
const LINGER_MS = 1_000;

export function declaresBody(req: IncomingMessage): boolean {
  const { headers } = req;
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/** True when the client is still sending a body that is too large to read away. */
function hasUnreadBody(req: IncomingMessage): boolean {
  if (req.complete || !declaresBody(req)) return false;
  const declared = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return declared > DISCARDABLE_BYTES;
}

/**
 * Stops reading and closes the connection after the answer. The socket is half-closed first: destroying it with unread
 * bytes makes the kernel reset it, and the client could lose the answer.
 */
function closeWithoutReading(exchange: Exchange): void {
  const { req, res, deps } = exchange;
  const { socket } = req;
  res.shouldKeepAlive = false;
  req.pause();
  // Marks the request as consumed: Node would otherwise read the rest of the body away.
  req.read(0);
  socket.destroySoon = () => {
    socket.end();
    deps.timers.after(LINGER_MS, () => socket.destroy());
  };
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Nothing the gateway serves may be sniffed, framed or run by a browser. */
export const SAFETY = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const;

/** Answers a GET or a HEAD with JSON, where no exchange of the gateway does. */
export function answerJson(
  { method }: Pick<IncomingMessage, 'method'>,
  res: ServerResponse,
  { status = 200, body, cacheControl }: { status?: number; body: object; cacheControl: string },
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, [
    ...['Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(text))],
    ...['Cache-Control', cacheControl],
    ...SAFETY,
  ]);
  res.end(method === 'HEAD' ? undefined : text);
}

const DEFAULT_RETRY_SECONDS = 1;

/**
 * Writes the head; `headers` is a flat list of names and values. `Cache-Control` is `no-store` unless listed, and only a page of the
 * gateway itself lists a `Content-Security-Policy` of its own.
 */
export function writeHead(exchange: Exchange, status: number, headers: readonly string[]): void {
  const safety = headers.includes('Content-Security-Policy') ? SAFETY.slice(0, 2) : SAFETY;
  const lines = [...safety, 'X-Request-Id', exchange.requestId, ...exchange.headers, ...headers];
  if (!headers.includes('Cache-Control')) lines.push('Cache-Control', 'no-store');
  if (exchange.release !== undefined) exchange.released();
  if (hasUnreadBody(exchange.req)) closeWithoutReading(exchange);
  if (exchange.deps.isDraining() || exchange.res.shouldKeepAlive === false) lines.push('Connection', 'close');
  exchange.res.writeHead(status, lines);
}

/** Sets what every answer carries on a response that a library writes. */
export function setSafety(exchange: Exchange): void {
  const lines = [
    ...SAFETY,
    'X-Request-Id',
    exchange.requestId,
    ...exchange.headers,
    'Cache-Control',
    'no-store',
  ];
  for (let at = 0; at < lines.length; at += 2) exchange.res.setHeader(lines[at] ?? '', lines[at + 1] ?? '');
}

/** Sends a whole text or buffer. */
export function send(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: readonly string[] = [],
): void {
  if (exchange.isGone || exchange.res.headersSent) return;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  writeHead(exchange, status, ['Content-Type', contentType, 'Content-Length', String(length), ...headers]);
  exchange.res.end(body);
}

export function sendJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: readonly string[] = [],
): void {
  send(exchange, status, JSON_TYPE, JSON.stringify(value), headers);
}

/** An answer without body: 204 and 304. */
export function sendEmpty(exchange: Exchange, status: number, headers: readonly string[] = []): void {
  if (exchange.isGone || exchange.res.headersSent) return;
  writeHead(exchange, status, headers);
  exchange.res.end();
}

/**
 * Answers with the error envelope, or logs why it cannot. Internal causes go to the log, never to the client.
 * Source: Agents Protocol v1, "Error taxonomy".
 */
export function sendError(exchange: Exchange, thrown: unknown, headers: readonly string[] = []): void {
  const error = ProtocolError.from(thrown);
  exchange.answeredWith(error);
  if (error.status >= 500) logFailure(exchange, error);
  if (exchange.res.headersSent) {
    exchange.res.destroy();
    return;
  }
  const own = errorHeaders(error, exchange.deps.challenges);
  sendJson(exchange, error.status, error.toBody(exchange.requestId), [...headers, ...own]);
}

/** An answer that began cannot become an error: its connection is reset, and the log says why. */
export function cutAnswer(exchange: Exchange, thrown: unknown): void {
  const error = ProtocolError.from(thrown);
  exchange.errorCode = error.code;
  exchange.isCut = true;
  exchange.deps.logger.error(
    { ...exchange.place, route: exchange.route, code: error.code, err: error.cause ?? error },
    'answer cut off',
  );
  exchange.res.destroy();
}

/** Headers an error answer has besides the usual ones, names and values in turn. */
export function errorHeaders(error: ProtocolError, challenges: Challenges): string[] {
  if (error.status === 401) return challenges(error);
  if (error.status !== 429 && error.status !== 503) return [];
  return ['Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS)))];
}

/** Internal causes go to the log, never to the client. */
export function logFailure(exchange: Exchange, error: ProtocolError): void {
  exchange.deps.logger.error(
    { ...exchange.place, route: exchange.route, code: error.code, err: error.cause ?? error },
    'request failed',
  );
}
