import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { ASKABLE, only, resultForSession, SHARED_CAPABILITIES } from '../../../mappings/mcp/eras.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { type RpcAnswer, RpcError } from '../../wire/json-rpc.ts';
import { Peer } from '../../wire/peer.ts';
import { FIXED_LIMITS, type McpLimits } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';
import type { ConnectAs } from './connector.ts';
import { GIVEN_UP, isNotRun, rpcErrorIn, rpcErrorOf } from './faults.ts';

export interface StatelessAsSessionOptions {
  /** Connects as the client, to a server that is being started too; rejects with a Fault. */
  connect(peer: ServerPeer, as: ConnectAs): Promise<Connection>;
  /** Revisions with sessions that clients may name, the newest first. */
  revisions: readonly string[];
  limits: McpLimits;
  /** Schema of the arguments of a tool: some of them are sent in headers too. */
  inputSchemaOf(tool: string): JsonObject | undefined;
}

type Answer = (params: JsonObject) => Promise<JsonObject>;

/**
 * The wire to a server without sessions (2026-07-28) as a client with one (2025-11-25 and older) wants it: the session is
 * kept here, and what a result asks for is asked of the client before the request is sent again.
 */
export class StatelessAsSession implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #options: StatelessAsSessionOptions;
  /** The client. */
  readonly #peer: Peer;
  /** As whom the client came; undefined before `initialize`. */
  #as: ConnectAs | undefined;
  /** `connection`: once it is open. */
  #open: { opening: Promise<Connection>; connection?: Connection } | undefined;
  readonly #watched = new Set<string>();
  #pages = 0;
  #logLevel: JsonValue | undefined;

  constructor(options: StatelessAsSessionOptions) {
    this.#options = options;
    this.#peer = new Peer({
      cancelMethod: 'notifications/cancelled',
      send: (message) => this.onmessage?.(message as unknown as JSONRPCMessage),
      handlers: {
        request: (method, params, { signal }) => this.#answer(method, params, signal),
        // A server of the newer revision learns nothing of a session.
        notification: () => undefined,
        failed: (error) => this.onerror?.(error instanceof Error ? error : new Error(String(error))),
      },
    });
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#peer.receive(message as unknown as JsonObject);
  }

  async close(): Promise<void> {
    this.#peer.close(new RpcError(MCP_ERRORS.connection_closed, 'The client is gone.'));
    const connection = await this.#open?.opening.catch(() => undefined);
    await connection?.close();
    this.onclose?.();
  }

  /** What the SDKs of this revision do themselves; all else is asked of the server. */
  readonly #own: Readonly<Record<string, Answer>> = {
    initialize: (params) => this.#initialize(params),
    ping: async () => ({}),
    'logging/setLevel': async ({ level }) => {
      this.#logLevel = level;
      return {};
    },
    'resources/subscribe': async ({ uri }) => this.#watch(() => this.#watched.add(String(uri))),
    'resources/unsubscribe': async ({ uri }) => this.#watch(() => this.#watched.delete(String(uri))),
  };

  async #answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    try {
      const own = Object.hasOwn(this.#own, method) ? this.#own[method] : undefined;
      return await (own === undefined ? this.#ask(method, params, signal) : own(params));
    } catch (error) {
      throw errorOf(error, method);
    }
  }

  async #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): Promise<JsonObject> {
    const { revisions } = this.#options;
    const { name = 'client', version = '0' } = objectOf(clientInfo);
    const as = {
      info: { name: String(name), version: String(version) },
      capabilities: only(objectOf(capabilities), ASKABLE),
    };
    const connection = await this.#connected(as);
    this.#as = as;
    const { instructions, ...serverInfo } = connection.server;
    return {
      protocolVersion: revisions.includes(String(protocolVersion))
        ? String(protocolVersion)
        : (revisions[0] ?? ''),
      capabilities: only(connection.capabilities, SHARED_CAPABILITIES),
      serverInfo,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** The session is kept here: a server that ended, or was away, is connected to again by whoever asks it next. */
  #connected(as = this.#as): Promise<Connection> {
    if (as === undefined) throw new RpcError(MCP_ERRORS.invalid_request, 'Send initialize first.');
    if (this.#open === undefined || this.#open.connection?.isClosed) this.#open = this.#connect(as);
    return this.#open.opening;
  }

  #connect(as: ConnectAs): { opening: Promise<Connection>; connection?: Connection } {
    const notified: ServerPeer['notified'] = (method, params) => this.#peer.notify(method, params);
    const open: { opening: Promise<Connection>; connection?: Connection } = {
      opening: this.#options.connect({ asked: refuseToAsk, notified }, as).then(
        async (connection) => {
          open.connection = connection;
          if (this.#watched.size > 0) await connection.watch([...this.#watched]);
          return connection;
        },
        (error: unknown) => {
          this.#open = undefined;
          throw error;
        },
      ),
    };
    return open;
  }

  async #watch(change: () => void): Promise<JsonObject> {
    if (this.#watched.size >= FIXED_LIMITS.watchedResources)
      throw new RpcError(MCP_ERRORS.invalid_params, `More than ${FIXED_LIMITS.watchedResources} resources.`);
    change();
    const connection = await this.#connected();
    await connection.watch([...this.#watched]);
    return {};
  }

  /** One request and its rounds. Spec: MCP 2026-07-28, "Multi round-trip requests". */
  async #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    let more: JsonObject = {};
    for (let round = 0; round <= FIXED_LIMITS.roundsPerCall; round += 1) {
      const answer = await this.#requestOnce(method, { ...params, ...more }, signal);
      if (answer['resultType'] !== 'input_required') return resultForSession(method, answer);
      const { requestState } = answer;
      const inputResponses = await this.#askClient(objectOf(answer['inputRequests']));
      more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new RpcError(MCP_ERRORS.internal_error, 'The server asks for input again and again.');
  }

  /** Asks the server; once more where it is known not to have been reached. */
  async #requestOnce(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    try {
      return await this.#request(method, params, signal);
    } catch (error) {
      if (!isNotRun(error) || signal.aborted) throw error;
      return await this.#request(method, params, signal);
    }
  }

  async #request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { limits, inputSchemaOf } = this.#options;
    const connection = await this.#connected();
    if (signal.aborted) throw GIVEN_UP;
    const { progressToken, ...meta } = objectOf(params['_meta']);
    const level = this.#logLevel === undefined ? {} : { 'io.modelcontextprotocol/logLevel': this.#logLevel };
    const inputSchema = method === 'tools/call' ? inputSchemaOf(String(params['name'])) : undefined;
    return connection.request(
      method,
      { ...params, _meta: { ...meta, ...level } },
      {
        signal,
        idleTimeoutMs: limits.idle_timeout_ms,
        totalTimeoutMs: limits.total_timeout_ms,
        ...(inputSchema === undefined ? {} : { inputSchema }),
        ...(progressToken === undefined
          ? {}
          : {
              onProgress: (progress: JsonObject) =>
                this.#peer.notify('notifications/progress', { ...progress, progressToken }),
            }),
      },
    );
  }

  /** An error of the client ends the request: a response of this revision holds results alone. */
  async #askClient(requests: JsonObject): Promise<JsonObject> {
    const answers = Object.entries(requests).map(async ([key, request]) => {
      const { method, params } = objectOf(request);
      const answer = await this.#question(String(method), objectOf(params));
      if ('result' in answer) return [key, answer.result] as const;
      throw rpcErrorIn(answer.error, 'The client did not answer.');
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  #question(method: string, params: JsonObject): Promise<RpcAnswer> {
    this.#pages += 1;
    // Pages to open have had an id until this revision.
    const page = params['mode'] === 'url' ? { elicitationId: `harn-${this.#pages}` } : {};
    return this.#peer.ask(method, { ...page, ...params });
  }
}

/** A server of this revision asks in results alone. */
function refuseToAsk(method: string): Promise<JsonObject> {
  return Promise.reject(
    new RpcError(MCP_ERRORS.method_not_found, `Not asked of clients any more: ${method}`),
  );
}

/** What is missing is a code of its own with a session. */
function errorOf(error: unknown, method: string): RpcError {
  const { code, message, data } = rpcErrorOf(error);
  const isMissing =
    method === 'resources/read' && code === MCP_ERRORS.invalid_params && objectOf(data)['uri'] !== undefined;
  return new RpcError(isMissing ? MCP_ERRORS.resource_not_found : code, message, data);
}
