import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCRequest, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FaceDeps, FaceExchange } from '../../../src/face.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { objectOf } from '../object-of.ts';
import { INSTRUCTIONS, SERVER_NAME } from './methods.ts';
import { RecentMessages } from './recent-messages.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { refusedCall, rpcError } from './rpc.ts';
import { elicitationOf, findTool, finishCall, type Question, submitCall } from './run-tool.ts';
import { SESSION_ID_BYTES } from './session-table.ts';
import { listTools } from './tool-pages.ts';

/** The part of the SDK's `extra` that a handler uses. */
interface Extra {
  signal: AbortSignal;
  authInfo?: { extra?: Record<string, unknown> };
  sendNotification(notification: { method: string; params: JsonObject }): Promise<void>;
  sendRequest(request: { method: string; params: JsonObject }, schema: typeof ResultSchema): Promise<unknown>;
}

/**
 * One MCP session of the revisions with sessions (2025-11-25 and older), bound to the actor that opened it. Each request
 * is made with the credential it came with.
 */
export class LegacySession {
  readonly id: string;
  readonly actor: string;
  usedAt: number;
  readonly #deps: FaceDeps;
  readonly #server: Server;
  readonly #transport: StreamableHTTPServerTransport;

  constructor(deps: FaceDeps, actor: string, onClosed: (id: string) => void) {
    this.#deps = deps;
    this.actor = actor;
    this.id = Buffer.from(deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    this.usedAt = deps.clock.monotonic();
    this.#transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessionclosed: onClosed,
      eventStore: new RecentMessages(),
    });
    const capabilities = { tools: { listChanged: true }, resources: { listChanged: true } };
    this.#server = new Server(
      { name: SERVER_NAME, version: deps.version },
      { capabilities, instructions: INSTRUCTIONS },
    );
    this.#server.fallbackRequestHandler = (request, extra) =>
      this.#answer(request, extra as unknown as Extra);
  }

  async open(): Promise<void> {
    await this.#server.connect(this.#transport as unknown as Transport);
  }

  /** Handles one HTTP request of the session. */
  async handle(exchange: FaceExchange, body: JsonValue | undefined): Promise<void> {
    this.usedAt = this.#deps.clock.monotonic();
    const { req, res } = exchange.takeOver(() => res.end());
    const auth = { token: '', clientId: this.actor, scopes: [], extra: { exchange } };
    await this.#transport.handleRequest(Object.assign(req, { auth }), res, body);
  }

  async toolsChanged(): Promise<void> {
    await this.#server.notification({ method: 'notifications/tools/list_changed' });
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #answer({ method, params }: JSONRPCRequest, extra: Extra): Promise<Record<string, unknown>> {
    const exchange = extra.authInfo?.extra?.['exchange'] as FaceExchange;
    const given = objectOf(params);
    try {
      switch (method) {
        case 'tools/list':
          return await listTools(this.#deps, exchange, given['cursor']);
        case 'tools/call':
          return await this.#call(exchange, given, extra);
        case 'resources/list':
          return await listResources(this.#deps, exchange, given['cursor']);
        case 'resources/templates/list':
          return { resourceTemplates: resourceTemplates() };
        case 'resources/read':
          return await readResource(this.#deps, exchange, String(given['uri']));
        default:
          throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
      throw rpcError(error, exchange.requestId);
    }
  }

  async #call(exchange: FaceExchange, params: JsonObject, extra: Extra): Promise<JsonObject> {
    const { progressToken } = objectOf(params['_meta']);
    let sent: Promise<void> = Promise.resolve();
    const progress = (told: JsonObject) => {
      if (progressToken === undefined) return;
      const { progress: done = 0, total, message } = told;
      const news = {
        progressToken,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      const send = () => extra.sendNotification({ method: 'notifications/progress', params: news });
      // A client that left its stream learns the rest from the result.
      sent = sent.then(send).catch(() => undefined);
    };
    const call = { exchange, sessionKey: `mcp:${this.id}`, signal: extra.signal, progress };
    try {
      const tool = await findTool(this.#deps, exchange, String(params['name']));
      const task = await submitCall(this.#deps, call, tool, params);
      const result = await finishCall(this.#deps, call, tool, task.id, this.#asker(extra));
      await sent;
      return result;
    } catch (error) {
      const refused = refusedCall(error, exchange.requestId);
      if (refused !== undefined) return refused;
      throw error;
    }
  }

  #asker(extra: Extra) {
    return (question: Question): Promise<JsonObject> | undefined => {
      const params = elicitationOf(question, this.#server.getClientCapabilities()?.elicitation);
      if (params === undefined) return undefined;
      return extra.sendRequest({ method: 'elicitation/create', params }, ResultSchema).then(objectOf);
    };
  }
}
