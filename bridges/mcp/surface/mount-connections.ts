import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { FaceDeps } from '../../../src/face.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { Fault } from '../../outbound/fault.ts';
import type { MountedServer } from '../mounted-server.ts';
import { objectOf } from '../object-of.ts';
import { FIXED_LIMITS } from '../upstream/config.ts';
import type { Connection, ServerPeer } from '../upstream/connection.ts';
import { RpcError } from '../upstream/rpc-error.ts';
import { type Lease, SessionConnections } from '../upstream/session-connections.ts';

/** Whose connections are used, and by whose policy the tools are opened. */
export interface Owner {
  actor: string;
  workspaceId: string;
}

/**
 * The connections of a mount whose clients have no session: one per caller for all that is not asked back, and others for
 * requests during which the server may ask, one at a time, because nothing on the wire tells which request it asks for.
 */
export class MountConnections {
  readonly #connections: SessionConnections;
  /** Connections on which one caller may be asked at a time. */
  readonly #mostOfOne: number;
  readonly #notes = new WeakMap<Connection, Notes>();

  constructor(deps: FaceDeps, server: MountedServer) {
    const timers = {
      setTimeout: (run: () => void, ms: number) => deps.timers.after(ms, run),
      clearTimeout: (stop: unknown) => (stop as (() => void) | undefined)?.(),
    };
    const open = (peer: ServerPeer, key: string) => server.connect(peer, offeredIn(key));
    this.#mostOfOne = Math.ceil(server.limits.max_connections / 2);
    this.#connections = new SessionConnections(open, server.limits.max_connections, {
      clock: deps.clock,
      timers,
    });
  }

  /** Rejects with a Fault. */
  common(owner: Owner, peer: ServerPeer): Promise<Lease> {
    return this.#connections.lease(keyOf(owner, {}, 0), peer, true);
  }

  /**
   * One that nobody else uses meanwhile, for a client that may be asked for what it offers. A caller who leaves questions
   * unanswered holds no more than half of them, so that others are served. Rejects with a Fault.
   */
  async own(owner: Owner, offered: JsonObject, peer: ServerPeer): Promise<Lease> {
    if (this.#connections.inUse((key) => isOwn(key, owner)) >= this.#mostOfOne) {
      const message =
        'Half of the connections to the server wait for your answers. Answer first, or retry later.';
      throw new Fault('upstream_unavailable', message, { reason: 'max_connections' });
    }
    let number = 1;
    while (!this.#connections.isFree(keyOf(owner, offered, number))) number += 1;
    return this.#connections.lease(keyOf(owner, offered, number), peer);
  }

  /** Definitions that a connection listed and that are held back, by tool: not all processes of a server list the same. */
  heldBack(connection: Connection): Map<string, JsonValue> {
    return this.#notesOf(connection).heldBack;
  }

  /** Somebody listens for changes of these resources, until the function that is returned is called. Rejects with an RpcError. */
  async watch(connection: Connection, uris: readonly string[]): Promise<() => Promise<void>> {
    if (uris.length === 0) return async () => undefined;
    const { watched } = this.#notesOf(connection);
    const all = new Set([...watched, ...uris]);
    const most = FIXED_LIMITS.watchedResources;
    if (all.size > most)
      throw new RpcError(
        MCP_ERRORS.invalid_params,
        `notifications.resourceSubscriptions: at most ${most} resources are watched.`,
      );
    await connection.watch([...all]);
    watched.push(...uris);
    return async () => {
      for (const uri of uris) watched.splice(watched.indexOf(uri), 1);
      // A connection that was lost watches nothing.
      await connection.watch([...new Set(watched)]).catch(() => undefined);
    };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #notesOf(connection: Connection): Notes {
    const notes = this.#notes.get(connection) ?? { heldBack: new Map(), watched: [] };
    this.#notes.set(connection, notes);
    return notes;
  }
}

interface Notes {
  heldBack: Map<string, JsonValue>;
  /** A resource stands here as often as somebody listens for it. */
  watched: string[];
}

function keyOf({ actor, workspaceId }: Owner, offered: JsonObject, number: number): string {
  return JSON.stringify([actor, workspaceId, offered, number]);
}

/** Whether the caller is asked on a connection, and not only served. */
function isOwn(key: string, { actor }: Owner): boolean {
  const [owner, , , number] = JSON.parse(key) as JsonValue[];
  return owner === actor && number !== 0;
}

function offeredIn(key: string): JsonObject {
  return objectOf((JSON.parse(key) as JsonValue[])[2]);
}
