import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '#protocol/json.ts';
import type { ServerExchange } from '#protocol-server.ts';

const REQUEST_FAILED = -32603;

export interface TunnelEnds {
  /** Sends a message to the server; false when nobody is there to carry it. */
  toServer(message: JSONRPCMessage): boolean;
  over(): void;
}

/** One MCP client on one server of an editor's machine: whatever either says reaches the other as it was said. */
export class TunnelSession {
  readonly id: string;
  readonly #ends: TunnelEnds;
  readonly #client: StreamableHTTPServerTransport;
  /** Requests of the client that are not answered yet. */
  readonly #open = new Set<RequestId>();
  #sent: Promise<void> = Promise.resolve();

  constructor(id: string, ends: TunnelEnds) {
    this.id = id;
    this.#ends = ends;
    this.#client = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    this.#client.onmessage = (message) => this.#fromClient(message);
    this.#client.onclose = () => ends.over();
  }

  open(): Promise<void> {
    return this.#client.start();
  }

  async handle(exchange: ServerExchange, body: JsonValue | undefined): Promise<void> {
    const { req, res } = exchange.takeOver(() => res.end());
    await this.#client.handleRequest(req, res, body);
  }

  fromServer(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#open.delete(message.id);
      this.#answer(message);
      return;
    }
    // What belongs to a request goes out on its stream; with several open nobody can know to which.
    const [only, ...more] = this.#open;
    this.#answer(message, more.length === 0 ? only : undefined);
  }

  /** The server is gone: every waiting request is answered with an error. */
  async close(reason: string): Promise<void> {
    for (const id of this.#open) this.#refuse(id, reason);
    this.#open.clear();
    await this.#sent;
    await this.#client.close();
  }

  #fromClient(message: JSONRPCMessage): void {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id !== undefined) this.#open.add(id);
    if (this.#ends.toServer(message) || id === undefined) return;
    this.#open.delete(id);
    this.#refuse(id, 'The editor that runs this server is not connected.');
  }

  #refuse(id: RequestId, message: string): void {
    this.#answer({ jsonrpc: '2.0', id, error: { code: REQUEST_FAILED, message } });
  }

  /** In the order they came. A client that went away hears nothing. */
  #answer(message: JSONRPCMessage, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? {} : { relatedRequestId };
    this.#sent = this.#sent.then(() => this.#client.send(message, options)).catch(() => undefined);
  }
}
