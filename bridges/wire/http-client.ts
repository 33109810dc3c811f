import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Timers } from '../bridge.ts';
import { ConnectTimeout } from './faults.ts';

export interface HttpCall {
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

/** Sends requests as told: no redirects, no retries, no decompression, no timeouts but the connect timeout. */
export interface HttpClient {
  /** Rejects with the reason of the signal when aborted, else with the error of the transport. */
  request(call: HttpCall): Promise<HttpReply>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  timers: Timers;
  connectTimeoutMs: number;
  /** Largest number of open connections per lane. */
  connections: { turn: number; control: number };
  linger: { ms: number; bytes: number };
}

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

/** undici's own timeouts are off: they run on the real clock and cannot tell a first frame from an idle stream. */
async function open(options: HttpClientOptions): Promise<Opened> {
  const { Agent: Lane, buildConnector: connectorOf, request } = await import('./undici.ts');
  const lane = (name: HttpCall['lane']) =>
    new Lane({
      connections: options.connections[name],
      headersTimeout: 0,
      bodyTimeout: 0,
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
