import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame, Turn } from '#protocol-client.ts';
import { type A2aOperation, INTERFACES } from '../../../mappings/a2a/operations.ts';
import type { BridgeDeps, Timers } from '../../bridge.ts';
import { Fault, unavailable } from '../../wire/faults.ts';
import { type HttpClient, type HttpReply, readEventStream, readText } from '../../wire/http-client.ts';
import { headersOf, type NamedInputs } from '../../wire/session-inputs.ts';
import { sha256 } from '../../wire/sha256.ts';
import { Watchdog } from '../../wire/turn.ts';
import type { Target } from './card.ts';
import type { A2aLimits } from './config.ts';
import type { Discovery, LearnedStreaming } from './discovery.ts';
import { faultOf, faultOfStatus } from './faults.ts';
import type { GrpcLine } from './grpc.ts';
import type { Hint, Hints } from './hints.ts';
import { Progress, References } from './progress.ts';
import {
  type A2aRecord,
  type Reading,
  ReadRecord,
  readRecord,
  refuseOverlong,
  toFrameBody,
} from './record.ts';

/** What one request needs of the agent it goes to. */
interface Wire {
  http: HttpClient;
  limits: A2aLimits;
  parseJson: BridgeDeps['parseJson'];
  credentials(): Promise<Record<string, string>>;
  /** Headers that carry session inputs; undefined for none. */
  inputs?: NamedInputs;
  nextRequestId(): string;
  /** The connection to an agent that is called by gRPC; loaded with its first call. */
  grpc(): Promise<GrpcLine>;
  redact: BridgeDeps['redact'];
}

interface Conversation {
  target: Target;
  watchdog: Watchdog;
  traceparent: string | undefined;
  turn: Pick<Turn, 'sessionInput'>;
  /** False while waiting for a human may be what the silence means. */
  isTimed(): boolean;
}

/**
 * Sends one request and yields what comes back, one record per message. Throws a Fault, a transport error, or the reason
 * of the watchdog's signal; whatever happens, the connection is given back.
 */
async function* exchange(request: WireRequest, wire: Wire, talk: Conversation): AsyncGenerator<A2aRecord> {
  watchFirst(request, wire.limits, talk);
  if (request.message !== undefined) {
    yield* exchangeByGrpc(request, request.message, wire, talk);
    return;
  }
  const reply = await send(request, wire, talk);
  let how: 'done' | 'broken' = 'done';
  try {
    refuseEncoding(reply);
    const base = recordBase(request, talk, reply.status);
    if (reply.status !== 200 || mediaType(reply) !== 'text/event-stream') {
      yield await single(reply, base, wire);
      return;
    }
    const {
      max_frame_bytes: maxFrameBytes,
      max_response_bytes: maxTotalBytes,
      idle_timeout_ms,
    } = wire.limits;
    let isFirst = true;
    for await (const item of readEventStream(reply.body, { maxFrameBytes, maxTotalBytes })) {
      // Before the first frame, a comment does not prove that the agent works.
      if ('comment' in item && isFirst) continue;
      isFirst = false;
      talk.watchdog.rest();
      if ('data' in item) yield { ...base, message: parse(item.data, wire) };
      if (talk.isTimed()) talk.watchdog.watch('idle', idle_timeout_ms);
    }
  } catch (error) {
    how = 'broken';
    throw error;
  } finally {
    talk.watchdog.rest();
    reply.release(how);
  }
}

/** The same over gRPC: a record is the canonical JSON of a message, and its bytes. */
async function* exchangeByGrpc(
  request: WireRequest,
  message: JsonObject,
  wire: Wire,
  talk: Conversation,
): AsyncGenerator<A2aRecord> {
  const metadata = await headersOfCall(request, wire, talk);
  const line = await wire.grpc();
  const { operation, url } = request;
  const { version } = INTERFACES[talk.target.protocol];
  const base = recordBase(request, talk, 200);
  const { signal } = talk.watchdog;
  for await (const answer of line.ask({ operation, version, url, metadata, message, signal })) {
    talk.watchdog.rest();
    yield { ...base, ...bytesOf(answer.bytes, wire), message: answer.message };
    if (request.streams && talk.isTimed()) talk.watchdog.watch('idle', wire.limits.idle_timeout_ms);
  }
  talk.watchdog.rest();
}

/** The log takes secrets out of texts and cannot look into bytes: those that hold one are not kept, only their hash. */
function bytesOf(bytes: Buffer | undefined, { redact }: Wire): Pick<A2aRecord, 'bytes' | 'bytes_sha256'> {
  if (bytes === undefined) return {};
  const text = bytes.toString('utf8');
  return redact(text).value === text ? { bytes: bytes.toString('base64') } : { bytes_sha256: sha256(bytes) };
}

/** A blocking send lasts as long as the work; only the total timeout ends it. */
function watchFirst({ operation }: WireRequest, limits: A2aLimits, { watchdog }: Conversation): void {
  if (operation === 'SendMessage') watchdog.rest();
  else watchdog.watch('first_frame', limits.first_frame_timeout_ms);
}

async function send(request: WireRequest, wire: Wire, talk: Conversation): Promise<HttpReply> {
  const isTurn = 'SendMessage' === request.operation || request.streams;
  return wire.http.request({
    method: request.method,
    url: request.url,
    headers: await headersOfCall(request, wire, talk),
    ...(request.body !== undefined && { body: request.body }),
    signal: talk.watchdog.signal,
    lane: isTurn ? 'turn' : 'control',
  });
}

async function headersOfCall(
  request: WireRequest,
  wire: Wire,
  talk: Conversation,
): Promise<Record<string, string>> {
  return {
    ...request.headers,
    ...(talk.traceparent !== undefined && { traceparent: talk.traceparent }),
    ...(wire.inputs && headersOf(talk.turn, wire.inputs, request.url.href)),
    ...(await wire.credentials()),
  };
}

type RecordBase = Omit<A2aRecord, 'message'>;

function recordBase(request: WireRequest, talk: Conversation, status: number): RecordBase {
  return {
    protocol: talk.target.protocol,
    operation: request.operation,
    ...(request.requestId !== undefined && { request_id: request.requestId }),
    ...(status !== 200 && { http_status: status }),
  };
}

async function single(reply: HttpReply, base: RecordBase, wire: Wire): Promise<A2aRecord> {
  const text = await readText(reply.body, wire.limits.max_response_bytes);
  const isFine = reply.status >= 200 && reply.status < 300;
  if (isFine) return { ...base, message: parse(text, wire) };
  const refusal = faultOfStatus(reply.status, reply.header);
  if (refusal.code === 'auth_required') throw refusal;
  return { ...base, message: errorBody(text, base, wire, refusal) };
}

/** Of a failed request only an A2A error is worth recording; any other body says no more than its status. */
function errorBody(text: string, base: RecordBase, wire: Wire, refusal: Fault): JsonValue {
  let message: JsonValue;
  try {
    message = wire.parseJson(text);
  } catch {
    throw refusal;
  }
  const reading = readRecord({ ...base, message });
  if (reading.kind !== 'error' || reading.error.name === undefined) throw refusal;
  return message;
}

function parse(text: string, wire: Wire): JsonValue {
  try {
    return wire.parseJson(text);
  } catch {
    throw unavailable('json', 'The agent sent a message that is no clean JSON.');
  }
}

function mediaType(reply: HttpReply): string {
  return (reply.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function refuseEncoding(reply: HttpReply): void {
  const encoding = reply.header('content-encoding');
  if (encoding === undefined || encoding === 'identity') return;
  throw unavailable('content_encoding', 'The agent compressed its answer although it was asked not to.');
}

/** A request as it is sent. */
export interface WireRequest {
  operation: A2aOperation;
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** The request of gRPC, which has no body. */
  message?: JsonObject;
  /** Absent over HTTP+JSON and gRPC. */
  requestId?: string;
  streams: boolean;
}

/** What a trace says of a request. Spec: OpenTelemetry semantic conventions, "HTTP client" and "RPC client". */
function factsOf({
  operation,
  method,
  url,
  requestId,
  message,
}: WireRequest): Record<string, string | number> {
  return {
    'rpc.method': operation,
    ...(requestId === undefined ? {} : { 'rpc.system.name': 'jsonrpc' }),
    ...(message === undefined ? {} : { 'rpc.system.name': 'grpc' }),
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
  };
}

/** What all turns of one agent share. */
export interface TurnPorts {
  wire: Wire;
  discovery: Discovery;
  timers: Timers;
  learned: LearnedStreaming;
  /** Undefined where the agent is given no address. */
  hints: Hints | undefined;
}

/** One turn under way: where it talks, how far it is, and how frames are made. */
export class TurnRun {
  readonly ports: TurnPorts;
  readonly turn: Turn;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly target: Target;
  /** Set once the agent was given the address for hints. */
  hint: Hint | undefined;
  readonly #references: References;
  #watchdog: Watchdog | undefined;

  constructor(ports: TurnPorts, turn: Turn, target: Target, signal: AbortSignal) {
    this.ports = ports;
    this.turn = turn;
    this.target = target;
    this.signal = signal;
    this.progress = new Progress(turn);
    this.#references = new References(turn);
  }

  get canStream(): boolean {
    return this.target.streaming && !this.ports.learned.isRefused(this.target);
  }

  /** Sends a request and yields what comes back. Throws Fault only, or the caller's reason. */
  async *send(request: WireRequest): AsyncGenerator<{ record: A2aRecord; reading: Reading }> {
    const watchdog = new Watchdog(this.signal, this.ports.timers);
    const outer = this.#watchdog;
    this.#watchdog = watchdog;
    const traced = this.turn.begins?.(request.operation, factsOf(request));
    const talk: Conversation = {
      target: this.target,
      watchdog,
      traceparent: traced?.traceparent ?? this.turn.traceparent,
      turn: this.turn,
      isTimed: () => !this.progress.awaitsAuth,
    };
    try {
      for await (const record of exchange(request, this.ports.wire, talk)) {
        const reading = readRecord(record);
        const tasks = await this.#references.knownIn(reading, this.progress.taskId);
        yield { record: tasks === undefined ? record : { ...record, tasks }, reading };
      }
    } catch (error) {
      const thrown: unknown = watchdog.signal.aborted ? watchdog.signal.reason : faultOf(error);
      traced?.end(thrown instanceof Fault ? thrown.code : 'canceled');
      throw thrown;
    } finally {
      traced?.end();
      watchdog.close();
      this.#watchdog = outer;
    }
  }

  /**
   * True when the agent was only silent (`error`) and its task waits as it did before the message: that is its answer then. A
   * person can answer again; a failed task nobody can.
   */
  waitsOn(error: unknown): boolean {
    if (!this.progress.stands || !(error instanceof Fault) || error.details['timeout'] !== 'idle')
      return false;
    this.progress.takeAsAnswer();
    return true;
  }

  /**
   * The frame of a record, which the progress takes note of. After the last one the caller lets go of the turn; that
   * must not cut the connection, which is free for the next. Throws Fault for ids that cannot be kept.
   */
  take(record: A2aRecord, reading: Reading): Frame {
    refuseOverlong(reading);
    const stood = this.progress.note(reading, record.operation);
    if (this.progress.isSettled) this.#watchdog?.close();
    const noted = stood ? { ...record, stood } : record;
    return { kind: 'message', body: toFrameBody(noted), read: new ReadRecord(noted, reading) };
  }
}
