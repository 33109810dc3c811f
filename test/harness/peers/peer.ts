import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request a peer received, recorded before it is answered. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query, as it came. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The JSON-RPC method, or `METHOD /path` for anything else. */
  readonly operation: string;
}

/** A real server that a test can start, point the gateway at, and ask what it saw. */
export interface Peer {
  /** Origin without trailing slash. */
  readonly url: string;
  readonly cardUrl: string;
  /** Grows as requests arrive. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves with the n-th request (1 = the first) of an operation, now or when it arrives. */
  arrived(operation: string, n?: number): Promise<RecordedRequest>;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

export interface PeerOptions {
  /** Origin to name in the card when the gateway reaches the peer through a proxy. */
  readonly publicUrl?: string;
  /** Port on 127.0.0.1; absent takes a free one. Used to start a peer again where it was. */
  readonly port?: number;
}

interface Waiter {
  readonly operation: string;
  readonly n: number;
  readonly resolve: (request: RecordedRequest) => void;
}

/** Keeps what a peer received and wakes the tests that wait for it. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  #waiters: Waiter[] = [];

  record(method: string, path: string, headers: IncomingHttpHeaders, body: string): RecordedRequest {
    const operation = rpcMethodOf(body) ?? `${method} ${path.split('?')[0]}`;
    const request = { method, path, headers, body, operation };
    this.requests.push(request);
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) this.#settle(waiter);
    return request;
  }

  arrived = (operation: string, n = 1): Promise<RecordedRequest> =>
    new Promise((resolve) => this.#settle({ operation, n, resolve }));

  #settle(waiter: Waiter): void {
    const found = this.requests.filter((request) => request.operation === waiter.operation)[waiter.n - 1];
    if (found === undefined) this.#waiters.push(waiter);
    else waiter.resolve(found);
  }
}

function rpcMethodOf(body: string): string | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('method' in parsed)) return undefined;
    return typeof parsed.method === 'string' ? parsed.method : undefined;
  } catch {
    return undefined; // A body that is not JSON is recorded under its path.
  }
}

/** Listens on 127.0.0.1 and returns the origin. */
export async function listenOnLoopback(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
