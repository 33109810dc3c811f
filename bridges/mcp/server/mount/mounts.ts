import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { KeptBack, ServerDeps, ServerExchange } from '#protocol-server.ts';
import { McpClient } from '../../client/client.ts';
import { MountedCalls, type MountedServer, type OpenServer, openServer } from '../../mounted-server.ts';
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
  readonly #bridges = new Map<string, { row: object; opened: Promise<MountBridge> }>();
  /** Of rows that are gone or changed, while somebody is served by them. */
  readonly #retired = new Set<Promise<MountBridge>>();
  readonly #calls = new MountedCalls();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  async handle(
    exchange: ServerExchange,
    serverId: string,
    actor: string,
    body: JsonValue | undefined,
  ): Promise<void> {
    const route = routeOf(serverId);
    const mounted = this.#mounted(serverId);
    if (mounted === undefined) throw new ProtocolError('resource_not_found', 'No such server.');
    const { gateway, keptBack, haltOf } = this.#deps;
    const refused = (why: KeptBack) => {
      const error = refusalOf(why);
      // A call here does what a Task would.
      gateway.refused('submitTask', exchange.call(), error);
      return error;
    };
    const halted = haltOf(route);
    if (halted !== undefined) throw refused(halted);
    const { defaultWorkspace: workspaceId } = exchange.caller();
    const server = openServer(mounted, {
      keptBack: (tool) => keptBack(workspaceId, route, tool),
      haltOf: (tool) => haltOf(route, tool),
      refused,
      begins: (tool, end) => this.#calls.begins(route, tool, end),
    });
    const table = this.#sessions.get(serverId) ?? new SessionTable<MountSession>(this.#deps.clock);
    this.#sessions.set(serverId, table);
    const id = exchange.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = table.of(id, actor);
      if (session?.workspaceId !== workspaceId)
        return sendRpcError(exchange, 404, -32001, 'Session not found');
      session.serveBy(server);
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
    for (const [serverId, table] of this.#sessions)
      if (this.#mounted(serverId) === undefined) void table.close();
      else table.tidy();
    for (const retired of this.#retired) void this.#closeUnused(retired);
  }

  /** Ends the calls of what is halted, and of a server that is halted as a whole everything. */
  async endHalted(): Promise<void> {
    const { haltOf } = this.#deps;
    this.#calls.endHalted(haltOf);
    const isHalted = ([serverId]: readonly [string, unknown]) => haltOf(routeOf(serverId)) !== undefined;
    const sessions = [...this.#sessions].filter(isHalted).map(([, table]) => table.close());
    const bridges = [...this.#bridges].filter(isHalted).map(async ([serverId, { opened }]) => {
      this.#bridges.delete(serverId);
      await (await opened).close();
    });
    await Promise.all([...sessions, ...bridges]);
  }

  /** One that serves somebody is looked at again later. */
  async #closeUnused(opened: Promise<MountBridge>): Promise<void> {
    const bridge = await opened;
    if (bridge.isUsed || !this.#retired.delete(opened)) return;
    await bridge.close();
  }

  async close(): Promise<void> {
    const open = [...this.#bridges.values()].map(({ opened }) => opened);
    const bridges = await Promise.all([...open, ...this.#retired]);
    await Promise.all([...this.#sessions.values(), ...bridges].map((each) => each.close()));
  }

  /** Undefined for one that nobody lets through, any more or at all. */
  #mounted(serverId: string): MountedServer | undefined {
    const client = this.#deps.client(routeOf(serverId));
    return client instanceof McpClient ? client.mounted() : undefined;
  }

  #bridge(serverId: string, server: OpenServer): Promise<MountBridge> {
    const before = this.#bridges.get(serverId);
    if (before?.row === server.row) return before.opened;
    if (before !== undefined) {
      this.#retired.add(before.opened);
      void this.#closeUnused(before.opened);
    }
    const opened = import('./stateless.ts').then(({ MountBridge: Opened }) => new Opened(this.#deps, server));
    this.#bridges.set(serverId, { row: server.row, opened });
    return opened;
  }
}

function refusalOf({ rule, because }: KeptBack): ProtocolError {
  return new ProtocolError('policy_violation', because, { details: { rule } });
}

function routeOf(serverId: string): string {
  return `mcp:${serverId}`;
}
