import {
  Client,
  type McpSubscription,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type SubscriptionFilter,
  type Transport,
} from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { STATELESS } from '../../../mappings/mcp/revisions.ts';
import { Fault } from '../../wire/faults.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { type CallOptions, ClientConnection, requestOptions, type ServerPeer } from './connection.ts';
import {
  GIVEN_UP,
  httpFault,
  isNotRun,
  LOST,
  NOT_REACHED,
  neverArrived,
  SLOW_START,
  startFault,
  TIMED_OUT,
} from './faults.ts';

/** What a server has to say of itself, as `server/discover` answers. */
export type Discovered = JsonObject;

export interface StatelessOptions {
  info: { name: string; version: string };
  capabilities: JsonObject;
  timeoutMs: number;
  /** The answer of a server that was asked already; undefined: it is asked now. */
  discovered: Discovered | undefined;
  /** Listening was ended by the server; runs `again` after a while. */
  later(again: () => void): void;
}

/** A server of the revision without sessions over any transport. Spec: MCP 2026-07-28. */
export class StatelessConnection extends ClientConnection<Client> {
  readonly isStateless = true;
  readonly #later: StatelessOptions['later'];
  readonly #peer: ServerPeer;
  #watched: string[] = [];
  #listening: McpSubscription | undefined;
  /** Numbers the streams of changes: only the last one counts. */
  #listens = 0;

  private constructor(client: Client, peer: ServerPeer, later: StatelessOptions['later']) {
    super(client);
    this.#peer = peer;
    this.#later = later;
  }

  /** Connects; a server of another revision is refused. Rejects with a Fault. */
  static async open(
    transport: Transport,
    peer: ServerPeer,
    { info, capabilities, timeoutMs, discovered, later }: StatelessOptions,
  ): Promise<StatelessConnection> {
    const client = new Client(info, {
      capabilities: capabilities as never,
      versionNegotiation: { mode: { pin: STATELESS } },
      inputRequired: { autoFulfill: false },
    });
    const connection = new StatelessConnection(client, peer, later);
    client.fallbackNotificationHandler = async ({ method, params }) =>
      peer.notified(method, objectOf(params));
    // What a peer sends beside the protocol is no reason to end the connection; its loss is seen by onclose.
    client.onerror = () => undefined;
    const prior = discovered === undefined ? {} : { prior: { kind: 'modern', discover: discovered } };
    try {
      await client.connect(transport, { timeout: timeoutMs, ...prior } as never);
    } catch (error) {
      const fault = connectFault(error, transport);
      await client.close().catch(() => undefined);
      throw fault;
    }
    keepResults(transport);
    connection.#listen();
    return connection;
  }

  async request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { inputSchema } = options;
    const how = requestOptions(options);
    try {
      const answer = await this.counted<unknown>(() =>
        inputSchema === undefined
          ? this.client.request({ method, params } as never, AS_IT_IS as never, how)
          : this.client.callTool(params as never, { ...how, toolDefinition: toolOf(params, inputSchema) }),
      );
      return objectOf(objectOf(answer)[KEPT]);
    } catch (error) {
      throw this.#faultOf(error, options.signal);
    }
  }

  /** Changes of these resources are notified from here on, and of no others. */
  async watch(resources: readonly string[]): Promise<void> {
    this.#watched = [...resources];
    const before = this.#listening;
    this.#listen();
    void before?.close().catch(() => undefined);
  }

  /** Changes of lists are notified for as long as somebody listens. */
  #listen(): void {
    this.#listens += 1;
    const turn = this.#listens;
    this.#listening = undefined;
    const filter = this.#filter();
    if (this.isClosed || Object.keys(filter).length === 0) return;
    const again = () => {
      if (turn === this.#listens) this.#later(() => turn === this.#listens && this.#listen());
    };
    this.client.listen(filter).then((listening) => {
      if (turn !== this.#listens) return void listening.close().catch(() => undefined);
      this.#listening = listening;
      // What changed while nobody listened is seen by listing again.
      void listening.closed.then(() => {
        if (turn === this.#listens) this.#peer.notified('notifications/tools/list_changed', {});
        again();
      });
    }, again);
  }

  #filter(): SubscriptionFilter {
    const offers = (list: string, what = 'listChanged') => objectOf(this.capabilities[list])[what] === true;
    return {
      ...(offers('tools') ? { toolsListChanged: true } : {}),
      ...(offers('prompts') ? { promptsListChanged: true } : {}),
      ...(offers('resources') ? { resourcesListChanged: true } : {}),
      ...(this.#watched.length > 0 ? { resourceSubscriptions: this.#watched } : {}),
    };
  }

  #faultOf(error: unknown, signal: AbortSignal): Error {
    if (signal.aborted) return GIVEN_UP;
    if (error instanceof ProtocolError)
      return new RpcError(error.code, error.message, error.data as JsonValue | undefined);
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return TIMED_OUT;
    if (!(error instanceof Fault) || isNotRun(error)) this.retire();
    if (error instanceof Fault) return error;
    const status = error instanceof SdkHttpError ? error.status : undefined;
    if (neverArrived(error, status)) return NOT_REACHED;
    return status === undefined ? LOST : httpFault(status);
  }
}

/** Where a result stands as it came. */
const KEPT = 'dev.harn-gateway/result';

/**
 * The SDK takes no result that its own schemas do not know, a task among them, and loses members of those it takes. Here the
 * gateway reads results: what the SDK gets has what every result must have, and the one that came in a member of its own.
 */
function keepResults(transport: Transport): void {
  const deliver = transport.onmessage?.bind(transport);
  let before = Promise.resolve();
  // In turn, so that the last progress of a call is reported before its result, as on connections with sessions.
  transport.onmessage = (message, extra) => {
    const given =
      'result' in message
        ? {
            ...message,
            result: { ...FILLED, _meta: objectOf(message.result)['_meta'] ?? {}, [KEPT]: message.result },
          }
        : message;
    before = before.then(() => deliver?.(given as never, extra));
  };
}

const FILLED = {
  resultType: 'complete',
  content: [],
  tools: [],
  resources: [],
  resourceTemplates: [],
  contents: [],
  prompts: [],
  messages: [],
  completion: { values: [] },
  ttlMs: 0,
  cacheScope: 'private',
};

/** The SDK compiles the schema of the results of a tool too; this one has none. */
function toolOf({ name }: JsonObject, inputSchema: JsonObject): never {
  return { name, inputSchema } as never;
}

function connectFault(error: unknown, transport: Transport): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403))
    return httpFault(error.status);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return SLOW_START;
  return startFault(transport);
}

/** Results are read by the gateway; the SDK wants a schema for methods that it does not know. */
const AS_IT_IS = {
  '~standard': { version: 1, vendor: 'harn-gateway', validate: (value: unknown) => ({ value }) },
} as const;
