import { createParser } from 'eventsource-parser';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { BridgeDeps, Timers, UpstreamAuth } from '../bridge.ts';
import { ConnectTimeout, Fault, tooLarge, unavailable } from './faults.ts';

interface HttpCall {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** `control` requests have connections of their own: a cancel never queues behind a stream. */
  lane: 'turn' | 'control';
}

export interface HttpReply {
  status: number;
  header(name: string): string | undefined;
  /** The bytes as they come; to be read once. */
  body: AsyncIterable<Uint8Array>;
  /**
   * Gives the connection back; must be called once. `done`: a short rest of the body is read away so that the connection
   * can be used again, anything longer closes it. `broken`: it is closed at once.
   */
  release(how: 'done' | 'broken'): void;
}

/** Sends requests as they are given: no redirects, no retries, no decompression, no timeouts but the connect timeout. */
export interface HttpClient {
  /** Rejects with the reason of the signal when aborted, else with the error of the transport. */
  request(call: HttpCall): Promise<HttpReply>;
  close(): Promise<void>;
}

interface HttpClientOptions {
  timers: Timers;
  connectTimeoutMs: number;
  /** Largest number of open connections per lane. */
  connections: { turn: number; control: number };
  linger: { ms: number; bytes: number };
}

/**
 * An idle connection is given up so long before its server does. A request on one that is closed at that moment is lost, and nobody
 * knows whether it was executed; a process that gets no processor for a while sends that late.
 */
const IDLE_MARGIN_MS = 4_000;
/** Of a server that does not say how long it keeps one. */
const IDLE_MS = 1_000;

/** undici is loaded with the first request. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  let opened: Promise<Opened> | undefined;
  return {
    request: async (call) => {
      opened ??= open(options);
      const { lanes, request } = await opened;
      const reply = await request(call.url, {
        dispatcher: lanes[call.lane],
        method: call.method,
        headers: call.headers,
        signal: call.signal,
        ...(call.body !== undefined && { body: call.body }),
      });
      return replyOf(reply, options);
    },
    close: async () => {
      const lanes = (await opened)?.lanes;
      await Promise.all([lanes?.turn.destroy(), lanes?.control.destroy()]);
    },
  };
}

interface Opened {
  lanes: Readonly<Record<HttpCall['lane'], Agent>>;
  request: typeof import('undici').request;
}

/** undici's own timeouts are off: they run on the real clock and cannot distinguish a first frame from an idle stream. */
async function open(options: HttpClientOptions): Promise<Opened> {
  const { Agent: Lane, buildConnector: connectorOf, request } = await import('./undici.ts');
  const lane = (name: HttpCall['lane']) =>
    new Lane({
      connections: options.connections[name],
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
      connect: withTimeout(connectorOf({ timeout: 0 }), options),
    });
  return { lanes: { turn: lane('turn'), control: lane('control') }, request };
}

function withTimeout(
  connect: buildConnector.connector,
  { timers, connectTimeoutMs }: HttpClientOptions,
): buildConnector.connector {
  return (target, callback) => {
    let isLate = false;
    const timer = timers.setTimeout(() => {
      isLate = true;
      callback(new ConnectTimeout(), null);
    }, connectTimeoutMs);
    connect(target, (...outcome) => {
      if (isLate) {
        outcome[1]?.destroy();
        return;
      }
      timers.clearTimeout(timer);
      callback(...outcome);
    });
  };
}

function replyOf(reply: Dispatcher.ResponseData, { timers, linger }: HttpClientOptions): HttpReply {
  const { body } = reply;
  // A body that nobody reads any more still reports how its connection ended.
  body.on('error', () => undefined);
  return {
    status: reply.statusCode,
    header: (name) => {
      const value = reply.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body: body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    release: (how) => {
      if (body.destroyed || body.readableEnded) return;
      if (how === 'broken') {
        body.destroy();
        return;
      }
      const timer = timers.setTimeout(() => body.destroy(), linger.ms);
      body.once('close', () => timers.clearTimeout(timer));
      body.dump({ limit: linger.bytes }).catch(() => body.destroy());
    },
  };
}

const LINE_END = 0x0a;

/** One thing of an event stream: an event's data, or a sign of life. */
export type StreamItem = { data: string } | { comment: true };

interface StreamCaps {
  /** Largest event, and largest single line, in characters: no more than its bytes. */
  maxFrameBytes: number;
  /** Largest whole stream in bytes. */
  maxTotalBytes: number;
}

/**
 * Reads `text/event-stream` in linear time, with strict UTF-8 and both caps kept. An event that the stream ends in the middle of is
 * dropped, as the specification says. Throws Fault. Spec: HTML, "Server-sent events".
 */
export async function* readEventStream(
  bytes: AsyncIterable<Uint8Array>,
  { maxFrameBytes, maxTotalBytes }: StreamCaps,
): AsyncGenerator<StreamItem> {
  const items: StreamItem[] = [];
  let isOverlong = false;
  const parser = createParser({
    maxBufferSize: maxFrameBytes,
    onEvent: ({ data }) => {
      // The parser counts what it has to keep, and keeps nothing of an event that comes in one piece.
      isOverlong ||= data.length > maxFrameBytes;
      if (!isOverlong) items.push({ data });
    },
    onComment: () => void items.push({ comment: true }),
    // Fields that nobody knows are passed over.
    onError: ({ type }) => {
      isOverlong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const text = new StreamText();
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > maxTotalBytes) throw tooLarge('a stream', maxTotalBytes);
    const { valid, fault } = text.of(chunk);
    parser.feed(valid);
    for (const item of items.splice(0)) yield item;
    if (fault !== undefined) throw fault;
    if (isOverlong) throw tooLarge('an event', maxFrameBytes);
  }
}

/**
 * The text of a stream with one kind of line end: the parser (3.1) waits with an event for what follows a CR, and takes quadratic
 * time for a chunk of lines that end in CR alone.
 */
class StreamText {
  /** The bytes of a character that the next chunk goes on with. */
  #open: Uint8Array = new Uint8Array();
  #endsInCr = false;
  #isBegun = false;

  /** The text that goes on in this chunk; where it is no UTF-8, the lines before that, and the fault. */
  of(chunk: Uint8Array): { valid: string; fault?: Fault } {
    const bytes = this.#open.length === 0 ? chunk : Buffer.concat([this.#open, chunk]);
    const whole = bytes.length - lengthOfOpenCharacter(bytes);
    this.#open = bytes.slice(whole);
    const text = decodedUtf8(bytes.subarray(0, whole));
    if (text !== undefined) return { valid: this.#withOneLineEnd(text) };
    const lines = bytes.subarray(0, lengthOfValidLines(bytes));
    return { valid: this.#withOneLineEnd(decodedUtf8(lines) ?? ''), fault: noUtf8() };
  }

  #withOneLineEnd(text: string): string {
    if (text === '') return text;
    const isMark = this.#isBegun ? this.#endsInCr && text.startsWith('\n') : text.startsWith('\ufeff');
    const rest = isMark ? text.slice(1) : text;
    this.#isBegun = true;
    this.#endsInCr = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/** Bytes at the end that begin a character of more bytes than there are. */
function lengthOfOpenCharacter(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length += 1) {
    const byte = bytes.at(-length) ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    if (byte < 0xc2 || byte > 0xf4) return 0; // It begins none.
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length < needed ? length : 0;
  }
  return 0;
}

/** Bytes of the lines before the first that is no UTF-8. */
function lengthOfValidLines(bytes: Uint8Array): number {
  for (let from = 0; ; ) {
    const to = bytes.indexOf(LINE_END, from) + 1;
    if (to === 0 || decodedUtf8(bytes.subarray(from, to)) === undefined) return from;
    from = to;
  }
}

/** Reads a whole body as strict UTF-8. Throws Fault above `maxBytes`. */
export async function readText(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge('an answer', maxBytes);
    chunks.push(chunk);
  }
  const text = decodedUtf8(Buffer.concat(chunks));
  if (text === undefined) throw noUtf8();
  return text;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are no UTF-8. */
function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

function noUtf8(): Fault {
  return unavailable('utf8', 'The agent sent text that is not UTF-8.');
}

/** The headers that carry the credential for an agent or a server, asked for at each use; none without one. Rejects with a Fault. */
export async function credentialHeaders(
  auth: UpstreamAuth | undefined,
  { credential }: Pick<BridgeDeps, 'credential'>,
): Promise<Record<string, string>> {
  if (auth === undefined) return {};
  try {
    return await credential(auth);
  } catch {
    // The reason may name files and addresses of the operator, who finds it in the log and with `harn-gateway check`.
    throw new Fault('upstream_unavailable', 'The gateway has no credential for the agent.', {
      reason: 'credential',
    });
  }
}
