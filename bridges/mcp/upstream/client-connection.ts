import type { JsonObject } from '../../../src/protocol/json.ts';
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

  protected constructor(client: Client) {
    this.client = client;
    this.closed = new Promise((resolve) => {
      client.onclose = () => {
        this.isClosed = true;
        resolve();
      };
    });
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
