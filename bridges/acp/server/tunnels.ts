import { createHash, timingSafeEqual } from 'node:crypto';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange, ServerRoute } from '#protocol-server.ts';
import { errorAnswer } from '../../wire/json-rpc.ts';
import type { Peer } from '../../wire/peer.ts';
import type { TunnelSession } from './tunnel-session.ts';

/** A server on the machine of a client, as its launcher announces it in `_meta.harn.mcpServers`. */
export interface AnnouncedServer {
  id: string;
  name: string;
}

export function announcedServers(harn: JsonObject): AnnouncedServer[] {
  return objectsOf(harn['mcpServers']).flatMap((server) => {
    const id = textOf(server['id']);
    const name = textOf(server['name']);
    return id === undefined || name === undefined || id.length > 200 ? [] : [{ id, name }];
  });
}

const PATH = '/acp/mcp';
const ID_BYTES = 16;
const TOKEN_BYTES = 32;
/** Servers whose addresses are remembered; the oldest makes room. */
const MAX_TUNNELS = 10_000;

interface Tunnel {
  id: string;
  serverId: string;
  sessionId: string;
  name: string;
  tokenHash: Buffer;
  /** As it is described to an agent. */
  address: JsonObject;
  /** The connection of the client; undefined while it is away. */
  peer: Peer | undefined;
  sessions: Map<string, TunnelSession>;
}

/**
 * MCP servers of editors' machines, offered to agents over HTTP: each Session has an address and a token of its own for each
 * server. They stay the same while a client comes back, so that an agent that has their addresses goes on.
 */
export class Tunnels {
  readonly routes: readonly ServerRoute[];
  readonly #deps: ServerDeps;
  /** By actor, Session and the launcher's id of the server. */
  readonly #known = new Map<string, Tunnel>();
  readonly #byId = new Map<string, Tunnel>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.routes = (['POST', 'GET', 'DELETE'] as const).map((method) => ({
      method,
      path: `${PATH}/{tunnel}`,
      handle: (exchange: ServerExchange, { tunnel }: Readonly<Record<string, string>>) =>
        this.#handle(method, exchange, tunnel ?? ''),
    }));
  }

  /** The addresses of a client's servers for agents of the Session, in the form of ACP's `mcpServers`. */
  offer(peer: Peer, actor: string, sessionId: string, servers: readonly AnnouncedServer[]): JsonObject[] {
    return servers.map((server) => {
      const key = JSON.stringify([actor, sessionId, server.id]);
      const tunnel = this.#known.get(key) ?? this.#make(key, sessionId, server);
      tunnel.peer = peer;
      return tunnel.address;
    });
  }

  /** A server said something; only the client that runs it may say so. */
  received(peer: Peer, connectionId: string, message: JsonObject): void {
    this.#of(peer, connectionId)?.fromServer(message as never);
  }

  /** A server is gone. */
  ended(peer: Peer, connectionId: string, reason: string): void {
    void this.#of(peer, connectionId)?.close(reason);
  }

  #of(peer: Peer, connectionId: string): TunnelSession | undefined {
    const tunnel = [...this.#byId.values()].find(({ sessions }) => sessions.has(connectionId));
    return tunnel?.peer === peer ? tunnel.sessions.get(connectionId) : undefined;
  }

  /** A client is gone, and its servers with it. */
  lost(peer: Peer): void {
    for (const tunnel of this.#byId.values()) {
      if (tunnel.peer !== peer) continue;
      tunnel.peer = undefined;
      for (const session of tunnel.sessions.values()) void session.close('The editor went away.');
    }
  }

  #make(key: string, sessionId: string, { id: serverId, name }: AnnouncedServer): Tunnel {
    const { random, publicUrl } = this.#deps;
    const id = Buffer.from(random.bytes(ID_BYTES)).toString('hex');
    const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('hex');
    const address = {
      type: 'http',
      name,
      url: `${publicUrl()}${PATH}/${id}`,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    };
    const tunnel = { id, serverId, sessionId, name, tokenHash: hashOf(token), address, peer: undefined };
    const made: Tunnel = { ...tunnel, sessions: new Map() };
    this.#known.set(key, made);
    this.#byId.set(id, made);
    const [[oldKey, oldest] = []] = this.#known;
    if (this.#known.size > MAX_TUNNELS && oldKey !== undefined && oldest !== undefined) {
      this.#known.delete(oldKey);
      this.#byId.delete(oldest.id);
    }
    return made;
  }

  async #handle(method: string, exchange: ServerExchange, id: string): Promise<void> {
    const tunnel = this.#byId.get(id);
    const [, token = ''] = /^Bearer (.+)$/i.exec(exchange.headers.authorization ?? '') ?? [];
    if (tunnel === undefined || !timingSafeEqual(hashOf(token), tunnel.tokenHash))
      return refuseStranger(exchange);
    const body = method === 'POST' ? await exchange.parseJson(await exchange.readBody()) : undefined;
    const session = await this.#session(tunnel, exchange.headers['mcp-session-id'], body);
    if (session === undefined) return refuse(exchange, 404, 'Session not found. Initialize again.');
    await session.handle(exchange, body);
  }

  async #session(
    tunnel: Tunnel,
    named: string | string[] | undefined,
    body: JsonValue | undefined,
  ): Promise<TunnelSession | undefined> {
    if (typeof named === 'string') return tunnel.sessions.get(named);
    if (!isObject(body) || body['method'] !== 'initialize') return undefined;
    // The SDK of MCP takes long to load, and few editors name servers.
    const { TunnelSession: Opened } = await import('./tunnel-session.ts');
    const id = Buffer.from(this.#deps.random.bytes(ID_BYTES)).toString('hex');
    const { sessionId, serverId } = tunnel;
    const session = new Opened(id, {
      toServer: (message) => {
        const { peer } = tunnel;
        peer?.notify('_harn/mcp/message', {
          sessionId,
          serverId,
          connectionId: id,
          message: message as never,
        });
        return peer !== undefined;
      },
      over: () => {
        if (tunnel.sessions.delete(id))
          tunnel.peer?.notify('_harn/mcp/close', { sessionId, connectionId: id });
      },
    });
    tunnel.sessions.set(id, session);
    await session.open();
    return session;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Like every other 401 it says what is asked for. Spec: RFC 9110, section 15.5.2. */
function refuseStranger(exchange: ServerExchange): void {
  const error = new ProtocolError('unauthenticated', 'No such server, or not this token.');
  exchange.failed(error);
  refuse(exchange, error.status, error.message, exchange.errorHeaders(error));
}

function refuse(
  exchange: ServerExchange,
  status: number,
  message: string,
  headers: readonly string[] = [],
): void {
  exchange.send(status, 'application/json', errorAnswer(null, { code: -32000, message }), headers);
}
