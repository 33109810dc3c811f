import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { Fault } from '../../wire/faults.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { FIXED_LIMITS } from './config.ts';
import { type CallOptions, ClientConnection, requestOptions, type ServerPeer } from './connection.ts';
import {
  GIVEN_UP,
  httpFault,
  isNotRun,
  LOST,
  NOT_REACHED,
  neverArrived,
  SESSION_LOST,
  SLOW_START,
  startFault,
  TIMED_OUT,
} from './faults.ts';

export interface SessionOptions {
  info: { name: string; version: string };
  capabilities: JsonObject;
  timeoutMs: number;
  /**
   * Waits for what is sent on another stream than the answer: over HTTP a server may log there, and nothing says which of both
   * comes first. Left out: there is one stream.
   */
  lastLines?(): Promise<void>;
}

/**
 * One initialized connection of the revisions with sessions over any transport. Spec: MCP 2025-11-25, "Lifecycle".
 */
export class SessionConnection extends ClientConnection<Client> {
  readonly isStateless = false;
  readonly #watched = new Set<string>();
  readonly #lastLines: SessionOptions['lastLines'];

  private constructor(client: Client, lastLines: SessionOptions['lastLines']) {
    super(client);
    this.#lastLines = lastLines;
  }

  /** Connects and shakes hands. Rejects with a Fault. */
  static async open(
    transport: Transport,
    peer: ServerPeer,
    { info, capabilities, timeoutMs, lastLines }: SessionOptions,
  ): Promise<SessionConnection> {
    const client = new Client(info, { capabilities, jsonSchemaValidator: NO_CHECKS });
    const connection = new SessionConnection(client, lastLines);
    client.fallbackRequestHandler = (request, { signal }) =>
      peer.asked(request.method, objectOf(request.params), signal) as Promise<Record<string, unknown>>;
    client.fallbackNotificationHandler = async ({ method, params }) =>
      peer.notified(method, objectOf(params));
    // What a peer sends beside the protocol is no reason to end the connection; its loss is seen by onclose.
    client.onerror = () => undefined;
    try {
      await client.connect(transport, { timeout: timeoutMs });
      deliverInTurn(transport);
      return connection;
    } catch (error) {
      const fault = connectFault(error, transport);
      await client.close().catch(() => undefined);
      throw fault;
    }
  }

  async request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    try {
      const result = await this.counted(() =>
        this.client.request({ method, params }, ResultSchema, requestOptions(options)),
      );
      if (method === 'tools/call' && 'logging' in this.capabilities) await this.#lastLines?.();
      return result as JsonObject;
    } catch (error) {
      throw this.#faultOf(error, options.signal);
    }
  }

  async watch(resources: readonly string[]): Promise<void> {
    for (const uri of this.#watched)
      if (!resources.includes(uri) && this.#watched.delete(uri)) await this.#resource('unsubscribe', uri);
    for (const uri of resources) {
      if (this.#watched.has(uri)) continue;
      await this.#resource('subscribe', uri);
      this.#watched.add(uri);
    }
  }

  async #resource(what: 'subscribe' | 'unsubscribe', uri: string): Promise<void> {
    const { watchMs: ms } = FIXED_LIMITS;
    const { signal } = new AbortController();
    await this.request(`resources/${what}`, { uri }, { signal, idleTimeoutMs: ms, totalTimeoutMs: ms });
  }

  /** The SDK uses -32001 for a timeout and for an abort, and -32000 when the connection is gone. */
  #faultOf(error: unknown, signal: AbortSignal): Error {
    if (signal.aborted) return GIVEN_UP;
    if (error instanceof Fault) {
      if (isNotRun(error)) this.retire();
      return error;
    }
    if (error instanceof McpError) {
      if (error.code === MCP_ERRORS.request_timeout && isOwn(error)) return TIMED_OUT;
      if (error.code === MCP_ERRORS.connection_closed && this.isClosed) return LOST;
      const text = error.message.replace(/^MCP error -?\d+: /, '');
      return new RpcError(error.code, text, error.data as JsonValue | undefined);
    }
    // A session that the server forgot, or an address that answers no more: the next call begins anew.
    this.retire();
    const status = error instanceof StreamableHTTPError ? error.code : undefined;
    return notRunFault(error) ?? (status === undefined ? LOST : httpFault(status));
  }
}

/**
 * The SDK handles notifications a turn later than results, so the last progress of a call that ends in the same breath
 * would reach nobody. Each message is handed over when the one before has been handled.
 */
function deliverInTurn(transport: Transport): void {
  const deliver = transport.onmessage?.bind(transport);
  let before = Promise.resolve();
  transport.onmessage = (message, extra) => {
    before = before.then(() => deliver?.(message, extra));
  };
}

/** Why a message did not reach the tool that it is for; undefined for a failure that leaves this open. */
export function notRunFault(error: unknown): Fault | undefined {
  if (isForgotten(error)) return SESSION_LOST;
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  return neverArrived(error, status) ? NOT_REACHED : undefined;
}

/**
 * A session that the server does not know (any more) is a 404, and a 400 that says so of servers that are older than that
 * rule; the request was refused as a whole. Spec: MCP 2025-11-25, "Session Management".
 */
function isForgotten(error: unknown): boolean {
  if (!(error instanceof StreamableHTTPError)) return false;
  return error.code === 404 || (error.code === 400 && /session|initializ/i.test(error.message));
}

/** Only the SDK's own timeout says how long it waited. */
function isOwn({ data }: McpError): boolean {
  return typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);
}

function connectFault(error: unknown, transport: Transport): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof StreamableHTTPError) return httpFault(error.code);
  if (error instanceof McpError && error.code === MCP_ERRORS.request_timeout) return SLOW_START;
  return startFault(transport);
}

/** Results are checked by the gateway, which keeps what does not fit; the SDK would lose it. */
const NO_CHECKS: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};
