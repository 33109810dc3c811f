import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { FaceDeps, FaceExchange } from '../../../src/face.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { type OpenServer, openTools } from '../mounted-server.ts';
import { objectOf } from '../object-of.ts';
import { RecentMessages } from './recent-messages.ts';
import { SESSION_ID_BYTES } from './session-table.ts';

/**
 * One client on one server, message by message: what either side says reaches the other as it was said, ids, progress
 * tokens and capabilities included. Only what the operator closed is held back.
 */
export class MountSession {
  readonly id: string;
  readonly actor: string;
  /** Whose policy the tools were opened by. */
  readonly workspaceId: string;
  usedAt: number;
  readonly #deps: FaceDeps;
  readonly #server: OpenServer;
  readonly #client: StreamableHTTPServerTransport;
  readonly #upstream: Transport;
  /** Requests of the client that are not answered yet nor taken back, by id. */
  readonly #open = new Map<RequestId, { method: string; token: JsonValue | undefined }>();
  /** Definitions that this connection listed and that are held back, by tool: not all processes of a server need list the same. */
  readonly #heldBack = new Map<string, JsonValue>();
  #sent: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(
    deps: FaceDeps,
    server: OpenServer,
    upstream: Transport,
    { actor, workspaceId }: { actor: string; workspaceId: string },
    onClosed: (id: string) => void,
  ) {
    this.#deps = deps;
    this.#server = server;
    this.actor = actor;
    this.workspaceId = workspaceId;
    this.id = Buffer.from(deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    this.usedAt = deps.clock.monotonic();
    this.#upstream = upstream;
    this.#client = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessionclosed: onClosed,
      eventStore: new RecentMessages(),
    });
    this.#client.onmessage = (message) => this.#fromClient(message);
    this.#upstream.onmessage = (message) => this.#fromServer(message);
    // Whichever side ends, the other has nobody to speak to.
    const over = () => {
      onClosed(this.id);
      void this.close();
    };
    this.#client.onclose = over;
    this.#upstream.onclose = over;
  }

  async open(): Promise<void> {
    await this.#client.start();
    await this.#upstream.start();
  }

  async handle(exchange: FaceExchange, body: JsonValue | undefined): Promise<void> {
    this.usedAt = this.#deps.clock.monotonic();
    const { req, res } = exchange.takeOver(() => res.end());
    await this.#client.handleRequest(req, res, body);
  }

  /** Each side says that it is over while it is being closed. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(async () => {
      await Promise.all([this.#client.close(), this.#upstream.close()]);
    });
    return this.#closing;
  }

  #fromClient(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) {
      const { id, method, params } = message;
      const given = objectOf(params);
      const name = String(given['name']);
      if (method === 'tools/call' && !this.#server.isOpen(name, this.#heldBack.get(name))) {
        const error = { code: MCP_ERRORS.invalid_params, message: `Unknown tool: ${name}` };
        this.#answer({ jsonrpc: '2.0', id, error });
        return;
      }
      this.#open.set(id, { method, token: objectOf(given['_meta'])['progressToken'] });
    } else if ('method' in message && message.method === 'notifications/cancelled')
      this.#open.delete(objectOf(message.params)['requestId'] as RequestId);
    this.#upstream.send(message).catch(() => this.#lost(message));
  }

  /** A server that cannot be reached any more says nothing, so its client is told. */
  #lost(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return;
    this.#open.delete(message.id);
    const error = { code: MCP_ERRORS.internal_error, message: 'The server could not be reached.' };
    this.#answer({ jsonrpc: '2.0', id: message.id, error });
  }

  #fromServer(message: JSONRPCMessage): void {
    if ('method' in message) {
      const related = this.#relatedTo(message.method, objectOf(message.params));
      this.#answer(message, related);
      return;
    }
    const method = message.id === undefined ? undefined : this.#open.get(message.id)?.method;
    if (message.id !== undefined) this.#open.delete(message.id);
    if (!('result' in message)) {
      this.#answer(message);
      return;
    }
    const result = message.result as JsonObject;
    if (method === 'initialize') this.#upstream.setProtocolVersion?.(String(result['protocolVersion']));
    this.#answer(
      method === 'tools/list'
        ? ({ ...message, result: openTools(this.#server, result, this.#heldBack) } as never)
        : message,
    );
  }

  /** The request on whose stream a message belongs: by progress token, else the only one that is open. */
  #relatedTo(method: string, params: JsonObject): RequestId | undefined {
    const token = params['progressToken'];
    if (method === 'notifications/progress' && token !== undefined)
      return [...this.#open].find(([, open]) => open.token === token)?.[0];
    if (method.endsWith('/list_changed') || method === 'notifications/resources/updated') return undefined;
    const [only, ...more] = this.#open.keys();
    return more.length === 0 ? only : undefined;
  }

  /** In the order they came, although each is stored before it is sent. */
  #answer(message: JSONRPCMessage, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? {} : { relatedRequestId };
    this.#sent = this.#sent.then(() => this.#client.send(message, options)).catch(() => undefined);
  }
}
