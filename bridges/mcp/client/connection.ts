import type { JsonObject } from '#protocol/json.ts';
import type { Clock } from '#protocol/ports.ts';
import type { Timers } from '../../bridge.ts';
import { pause } from '../../wire/waits.ts';
import { FIXED_LIMITS } from './config.ts';
import { isAway } from './faults.ts';

/** What a server says and asks on a connection. */
export interface ServerPeer {
  /** A request of the server; the result goes back. Rejects with an RpcError to refuse. */
  asked(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A notification of the server. */
  notified(method: string, params: JsonObject): void;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Longest wait without a sign of life, and in all. */
  idleTimeoutMs: number;
  totalTimeoutMs: number;
  onProgress?(params: JsonObject): void;
  /** Schema of the arguments of the tool that is called: some of them are sent in headers too. */
  inputSchema?: JsonObject;
}

/** One connection to a server, whichever revision is spoken on it. */
export interface Connection {
  /** Revision 2026-07-28 or later: what the server wants of its caller stands in results, and no Session is shared. */
  readonly isStateless: boolean;
  /** Set when the connection is over; nothing can be asked on it any more. */
  readonly isClosed: boolean;
  readonly closed: Promise<void>;
  readonly server: { name: string; version: string; instructions?: string };
  readonly capabilities: JsonObject;
  /** Sends a request; the result is as it came. Rejects with RpcError, or with Fault when the connection fails. */
  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** From here on the peer is notified of changes of these resources, and of no others. Rejects as requests do. */
  watch(resources: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** What the clients of both SDKs have in common. */
interface SdkClient {
  onclose?: () => void;
  getServerVersion(): { name?: string; version?: string } | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** A connection that a client of an SDK holds: what it knows of its server, and how it ends. */
export abstract class ClientConnection<Client extends SdkClient> implements Connection {
  abstract readonly isStateless: boolean;
  isClosed = false;
  readonly closed: Promise<void>;
  protected readonly client: Client;
  readonly #over: () => void;
  #running = 0;

  protected constructor(client: Client) {
    this.client = client;
    let over: () => void = () => undefined;
    this.closed = new Promise((resolve) => {
      over = resolve;
    });
    this.#over = over;
    client.onclose = () => {
      this.isClosed = true;
      over();
    };
  }

  get server(): { name: string; version: string; instructions?: string } {
    const { name = '', version = '' } = this.client.getServerVersion() ?? {};
    const instructions = this.client.getInstructions();
    return { name, version, ...(instructions === undefined ? {} : { instructions }) };
  }

  get capabilities(): JsonObject {
    return (this.client.getServerCapabilities() ?? {}) as JsonObject;
  }

  abstract request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;

  abstract watch(resources: readonly string[]): Promise<void>;

  /** Counts a request for as long as it runs. */
  protected async counted<T>(request: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await request();
    } finally {
      this.#running -= 1;
      if (this.#running === 0 && this.isClosed) void this.close();
    }
  }

  /** Takes no further request: one failed in a way that the next ones would too. Those that run come to their own ends. */
  protected retire(): void {
    this.isClosed = true;
    this.#over();
    if (this.#running === 0) void this.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.client.close().catch(() => undefined);
  }
}

/** How long a request may take and who gets its progress, in the words of both SDKs. */
export function requestOptions({ signal, idleTimeoutMs, totalTimeoutMs, onProgress }: CallOptions) {
  return {
    signal,
    timeout: idleTimeoutMs,
    maxTotalTimeout: totalTimeoutMs,
    resetTimeoutOnProgress: true,
    ...(onProgress === undefined
      ? {}
      : { onprogress: (report: unknown) => onProgress(report as JsonObject) }),
  };
}

export interface Patience {
  clock: Pick<Clock, 'monotonic'>;
  timers: Timers;
  /** Longest wait in all, in milliseconds. */
  forMs: number;
  /** Whether somebody still waits for the outcome. Default: yes. */
  isWanted?(): boolean;
}

/**
 * Does a work again, with doubling waits, for as long as the server that it needs is being started. Only what did not reach
 * the server is done again; rejects with what the last attempt failed with.
 */
export async function whileAway<T>(
  work: () => Promise<T>,
  { clock, timers, forMs, isWanted = () => true }: Patience,
): Promise<T> {
  const untilMs = clock.monotonic() + forMs;
  for (let waitMs: number = FIXED_LIMITS.reopenMs; ; waitMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || clock.monotonic() + waitMs > untilMs) throw error;
      await pause(waitMs, timers);
      if (!isWanted()) throw error;
    }
  }
}
