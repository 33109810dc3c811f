import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ProtocolServer, ServerDeps, ServerExchange } from '#protocol-server.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { traceOf } from '../../wire/trace-meta.ts';
import { sendRpcError } from './faults.ts';
import { Mounts } from './mount/mounts.ts';
import { listsId, placeOf } from './resume-id.ts';
import { isInitialize, isModern } from './revision-of.ts';
import type { ServerSession } from './session-connection.ts';
import { SessionTable } from './session-table.ts';
import type { StatelessServer } from './stateless-connection.ts';

const TIDY_MS = 60_000;
/** How often what the servers offer is compared, to notify clients of changes. */
const COMPARE_MS = 1_000;

const PATH = '/mcp';

/** Code of an answer to a request that was refused as a whole; the status says why. */
const REFUSED = MCP_ERRORS.connection_closed;

/**
 * The gateway as an MCP server at `/mcp`: both eras on one URL. The SDKs of either are loaded with its first client, because
 * they take longer to load than the rest of the gateway.
 */
export class McpServer implements ProtocolServer {
  readonly routes: ProtocolServer['routes'];
  readonly browserHeaders = {
    sent: ['Mcp-Session-Id', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Last-Event-ID'],
    read: ['Mcp-Session-Id'],
  };
  readonly #deps: ServerDeps;
  #modern: Promise<StatelessServer> | undefined;
  readonly #sessions: SessionTable<ServerSession>;
  readonly #mounts: Mounts;
  readonly #stops: (() => void)[];
  #offered = '';

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#sessions = new SessionTable(deps.clock);
    this.#mounts = new Mounts(deps);
    this.routes = [
      ...(['POST', 'GET', 'DELETE'] as const).flatMap((method) => [
        {
          method,
          path: PATH,
          handle: (exchange: ServerExchange) => this.#handle(method, exchange),
        },
        {
          method,
          path: `${PATH}/{server}`,
          handle: (exchange: ServerExchange, { server }: Readonly<Record<string, string>>) =>
            this.#handle(method, exchange, server),
        },
      ]),
    ];
    this.#offered = this.#digest();
    this.#stops = [
      deps.timers.every(TIDY_MS, () => {
        this.#sessions.tidy();
        this.#mounts.tidy();
      }),
      deps.timers.every(COMPARE_MS, () => this.#compare()),
    ];
  }

  endHalted(): Promise<void> {
    return this.#mounts.endHalted();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await Promise.all([
      this.#sessions.close(),
      this.#mounts.close(),
      this.#modern?.then((modern) => modern.close()),
    ]);
  }

  async #handle(method: 'POST' | 'GET' | 'DELETE', exchange: ServerExchange, server?: string): Promise<void> {
    try {
      const { gateway } = this.#deps;
      const { actor } = exchange.caller();
      const bytes = method === 'POST' ? await exchange.readBody() : undefined;
      const body = bytes === undefined ? undefined : await parsed(exchange, bytes);
      if (body instanceof ProtocolError) return this.#refuse(exchange, body, MCP_ERRORS.parse_error);
      const traceparent = traceOf(objectOf(body)['params']);
      if (traceparent !== undefined) exchange.tracedBy(traceparent);
      if (server !== undefined) {
        gateway.admit('submitTask', exchange.call());
        await this.#mounts.handle(exchange, server, actor, body);
      } else if (body !== undefined && (await isModern(exchange.headers, body))) {
        const modern = await this.#statelessServer();
        await modern.handle(exchange, actor, body);
      } else await this.#session(exchange, method, actor, body);
    } catch (error) {
      this.#refuse(exchange, ProtocolError.from(error));
    }
  }

  #statelessServer(): Promise<StatelessServer> {
    this.#modern ??= import('./stateless-connection.ts').then(
      ({ StatelessServer: Opened }) => new Opened(this.#deps),
    );
    return this.#modern;
  }

  async #session(
    exchange: ServerExchange,
    method: string,
    actor: string,
    body: JsonValue | undefined,
  ): Promise<void> {
    const id = exchange.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = this.#sessions.of(id, actor);
      if (session !== undefined) return session.handle(exchange, method, body);
      if (await this.#withoutSession(exchange, method, body)) return;
      return sendRpcError(exchange, 404, -32001, 'Session not found');
    }
    if (body === undefined || !(await isInitialize(body)))
      return sendRpcError(exchange, 400, -32000, 'Bad Request: send initialize first, or Mcp-Session-Id');
    const { ServerSession: Opened } = await import('./session-connection.ts');
    const session = new Opened(this.#deps, {
      actor,
      listsId: () => listsId(this.#offered),
      onClosed: (closed) => this.#sessions.forget(closed),
    });
    await session.open();
    await this.#sessions.add(session);
    return session.handle(exchange, method, body);
  }

  /**
   * Sessions do not outlive the gateway, but what runs does: the rest of a call is sent, and the answer to a question of a
   * call is taken. False for anything else.
   */
  async #withoutSession(
    exchange: ServerExchange,
    method: string,
    body: JsonValue | undefined,
  ): Promise<boolean> {
    const last = exchange.headers['last-event-id'];
    const place = method === 'GET' && typeof last === 'string' ? placeOf(last) : undefined;
    if (place !== undefined) {
      const { resumeCall } = await import('./resumed-call.ts');
      await resumeCall(this.#deps, exchange, place, []);
      return true;
    }
    if (body === undefined) return false;
    const { takeAnswer } = await import('./session-connection.ts');
    const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { data: message } = JSONRPCMessageSchema.safeParse(body);
    if (message === undefined || (await takeAnswer(this.#deps, exchange, message)) === undefined)
      return false;
    exchange.sendEmpty(202);
    return true;
  }

  #refuse(exchange: ServerExchange, error: ProtocolError, code: number = REFUSED): void {
    exchange.failed(error);
    sendRpcError(exchange, error.status, code, error.message, exchange.errorHeaders(error));
  }

  #compare(): void {
    const now = this.#digest();
    if (now === this.#offered) return;
    this.#offered = now;
    void this.#modern?.then((modern) => modern.toolsChanged());
    for (const session of this.#sessions.all()) session.toolsChanged().catch(() => undefined);
  }

  /** What is offered, by the definitions alone. */
  #digest(): string {
    const { agents } = this.#deps;
    return agents()
      .flatMap(({ route, description }) => [
        route,
        ...(description?.skills ?? []).map(
          ({ id, tool }) => `${id} ${tool?.definitionSha256} ${tool?.deprecated}`,
        ),
      ])
      .join('\n');
  }
}

/** What cannot be read as JSON is an error of the protocol, whichever way it is wrong. Spec: JSON-RPC 2.0, "Error object". */
async function parsed(exchange: ServerExchange, bytes: Buffer): Promise<JsonValue | ProtocolError> {
  try {
    return await exchange.parseJson(bytes);
  } catch (error) {
    const { code, message, param } = ProtocolError.from(error);
    const text = `Parse error: ${message}`;
    return new ProtocolError(code, text, param === undefined ? {} : { param });
  }
}
