import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import { McpClient } from '../../client/client.ts';
import { type OpenServer, openServer } from '../../mounted-server.ts';
import { sendRpcError } from '../faults.ts';
import { isInitialize, isModern } from '../revision-of.ts';
import { SessionTable } from '../session-table.ts';
import { passPost } from './post.ts';
import type { MountSession } from './session.ts';
import type { MountBridge } from './stateless.ts';

/** `/mcp/{server}`: the servers whose operator says `mount`, each as it is. */
export class Mounts {
  readonly #deps: ServerDeps;
  readonly #sessions = new Map<string, SessionTable<MountSession>>();
  /** For clients without sessions, by server that does not take their requests as they come. */
  readonly #bridges = new Map<string, Promise<MountBridge>>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  async handle(
    exchange: ServerExchange,
    serverId: string,
    actor: string,
    body: JsonValue | undefined,
  ): Promise<void> {
    const client = this.#deps.client(`mcp:${serverId}`);
    const mounted = client instanceof McpClient ? client.mounted() : undefined;
    if (mounted === undefined) throw new ProtocolError('resource_not_found', 'No such server.');
    const { defaultWorkspace: workspaceId } = exchange.caller();
    const server = openServer(
      mounted,
      (route, tool) =>
        this.#deps.letsPass(route, tool) && !this.#deps.refuses(workspaceId, route, tool.sideEffect),
    );
    const table = this.#sessions.get(serverId) ?? new SessionTable<MountSession>(this.#deps.clock);
    this.#sessions.set(serverId, table);
    const id = exchange.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = table.of(id, actor);
      if (session?.workspaceId !== workspaceId)
        return sendRpcError(exchange, 404, -32001, 'Session not found');
      return session.handle(exchange, body);
    }
    const owner = { actor, workspaceId };
    if (body !== undefined && (await isModern(exchange.headers, body))) {
      const post = await server.post();
      if (post !== undefined) return passPost(exchange, server, post, objectOf(body), this.#deps);
      const bridge = await this.#bridge(serverId, server);
      return bridge.handle(exchange, server, owner, objectOf(body));
    }
    if (body === undefined || !(await isInitialize(body)))
      return sendRpcError(exchange, 400, -32000, 'Bad Request: send initialize first, or Mcp-Session-Id');
    const { MountSession: Opened } = await import('./session.ts');
    const transport = await server.transport();
    const session = new Opened(this.#deps, server, transport, owner, (closed) => table.forget(closed));
    await session.open();
    await table.add(session);
    return session.handle(exchange, body);
  }

  tidy(): void {
    for (const table of this.#sessions.values()) table.tidy();
  }

  async close(): Promise<void> {
    const bridges = await Promise.all(this.#bridges.values());
    await Promise.all([...this.#sessions.values(), ...bridges].map((open) => open.close()));
  }

  #bridge(serverId: string, server: OpenServer): Promise<MountBridge> {
    const opened =
      this.#bridges.get(serverId) ??
      import('./stateless.ts').then(({ MountBridge: Opened }) => new Opened(this.#deps, server));
    this.#bridges.set(serverId, opened);
    return opened;
  }
}
