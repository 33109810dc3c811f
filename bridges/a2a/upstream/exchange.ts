import type { JsonValue } from '../../../src/protocol/json.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { HttpClient, HttpReply } from '../../outbound/http-client.ts';
import type { A2aLimits } from './config.ts';
import { readEventStream, readText } from './event-stream.ts';
import { type Fault, faultOfStatus, malformed } from './fault.ts';
import type { Target } from './interfaces.ts';
import { type A2aRecord, readRecord } from './record.ts';
import { type Ask, encodeAsk, type WireRequest } from './requests.ts';
import type { Watchdog } from './watchdog.ts';

/** What one request needs of its upstream. */
export interface Wire {
  http: HttpClient;
  limits: A2aLimits;
  parseJson: BridgeDeps['parseJson'];
  credentials(): Promise<Record<string, string>>;
  nextRequestId(): string;
}

export interface Conversation {
  target: Target;
  watchdog: Watchdog;
  traceparent: string | undefined;
  /** False while waiting for a human may be what the silence means. */
  isTimed(): boolean;
}

/**
 * Sends one request and yields what comes back, one record per message. Throws a Fault, a transport error, or the reason
 * of the watchdog's signal; whatever happens, the connection is given back.
 */
export async function* exchange(ask: Ask, wire: Wire, talk: Conversation): AsyncGenerator<A2aRecord> {
  const request = encodeAsk(ask, talk.target, wire.nextRequestId());
  watchFirst(ask, wire.limits, talk);
  const reply = await send(request, wire, talk);
  let how: 'done' | 'broken' = 'done';
  try {
    refuseEncoding(reply);
    const base = recordBase(request, talk, reply.status);
    if (reply.status === 200 && mediaType(reply) === 'text/event-stream')
      yield* streamed(reply, base, wire, talk);
    else yield await single(reply, base, wire);
  } catch (error) {
    how = 'broken';
    throw error;
  } finally {
    talk.watchdog.rest();
    reply.release(how);
  }
}

/** A blocking send lasts as long as the work; only the total timeout ends it. */
function watchFirst(ask: Ask, limits: A2aLimits, { watchdog }: Conversation): void {
  if (ask.operation === 'SendMessage') watchdog.rest();
  else watchdog.watch('first_frame', limits.first_frame_timeout_ms);
}

async function send(request: WireRequest, wire: Wire, talk: Conversation): Promise<HttpReply> {
  const isTurn = 'SendMessage' === request.operation || request.streams;
  return wire.http.request({
    method: request.method,
    url: request.url,
    headers: {
      ...request.headers,
      ...(talk.traceparent !== undefined && { traceparent: talk.traceparent }),
      ...(await wire.credentials()),
    },
    ...(request.body !== undefined && { body: request.body }),
    signal: talk.watchdog.signal,
    lane: isTurn ? 'turn' : 'control',
  });
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

async function* streamed(
  reply: HttpReply,
  base: RecordBase,
  wire: Wire,
  talk: Conversation,
): AsyncGenerator<A2aRecord> {
  const { limits } = wire;
  const caps = { maxFrameBytes: limits.max_frame_bytes, maxTotalBytes: limits.max_response_bytes };
  let isFirst = true;
  for await (const item of readEventStream(reply.body, caps)) {
    // Before the first frame, a comment does not prove that the agent works.
    if ('comment' in item && isFirst) continue;
    isFirst = false;
    talk.watchdog.rest();
    if ('data' in item) yield { ...base, message: parse(item.data, wire) };
    if (talk.isTimed()) talk.watchdog.watch('idle', limits.idle_timeout_ms);
  }
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
    throw malformed('json', 'The agent sent a message that is no clean JSON.');
  }
}

function mediaType(reply: HttpReply): string {
  return (reply.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function refuseEncoding(reply: HttpReply): void {
  const encoding = reply.header('content-encoding');
  if (encoding === undefined || encoding === 'identity') return;
  throw malformed('content_encoding', 'The agent compressed its answer although it was told not to.');
}
