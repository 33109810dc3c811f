import type { JsonObject } from '#protocol/json.ts';
import type { CallOptions, Connection } from './connection.ts';

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

/** How long a request may take and who is told of its progress, in the words of both SDKs. */
export function requestOptions({ signal, idleTimeoutMs, totalTimeoutMs, onProgress }: CallOptions) {
  return {
    signal,
    timeout: idleTimeoutMs,
    maxTotalTimeout: totalTimeoutMs,
    resetTimeoutOnProgress: true,
    ...(onProgress === undefined ? {} : { onprogress: (told: unknown) => onProgress(told as JsonObject) }),
  };
}
