import type { FaceDeps } from '#face.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { Fault } from '../../../wire/faults.ts';
import { FIXED_LIMITS } from '../../client/config.ts';
import type { Connection, ServerPeer } from '../../client/connection.ts';
import { RpcError } from '../../client/faults.ts';
import { type Lease, SessionConnections } from '../../client/session-connections.ts';
import { type Patience, whileAway } from '../../client/while-away.ts';
import type { MountedServer } from '../../mounted-server.ts';
import { objectOf } from '../../object-of.ts';

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
  /** Apart from those that are asked on: the answers to what is asked come on them. */
  readonly #common: SessionConnections;
  readonly #own: SessionConnections;
  /** Connections on which one caller may be asked at a time. */
  readonly #mostOfOne: number;
  /** Longest wait for a connection that is free. */
  readonly #waitMs: number;
  readonly #patience: Omit<Patience, 'isWanted'>;
  readonly #notes = new WeakMap<Connection, Notes>();

  constructor(deps: FaceDeps, server: MountedServer) {
    const timers = {
      setTimeout: (run: () => void, ms: number) => deps.timers.after(ms, run),
      clearTimeout: (stop: unknown) => (stop as (() => void) | undefined)?.(),
    };
    const open = (peer: ServerPeer, key: string) => server.connect(peer, offeredIn(key));
    this.#waitMs = server.limits.idle_timeout_ms;
    const pause = (ms: number) => new Promise<void>((resolve) => void deps.timers.after(ms, resolve));
    this.#patience = { clock: deps.clock, pause, forMs: server.limits.restart_wait_ms };
    this.#mostOfOne = Math.ceil(server.limits.max_connections / 2);
    const injected = { clock: deps.clock, timers };
    this.#common = new SessionConnections(open, server.limits.max_connections, injected);
    this.#own = new SessionConnections(open, server.limits.max_connections, injected);
  }

  /** Rejects with a Fault. */
  common(owner: Owner, peer: ServerPeer, signal: AbortSignal): Promise<Lease> {
    const options = { isShared: true, waitMs: this.#waitMs, signal };
    return this.#whileAway(() => this.#common.lease(keyOf(owner, {}, 0), peer, options), signal);
  }

  /**
   * One that nobody else uses meanwhile, for a client that may be asked for what it offers. A caller uses no more than half of
   * them at a time, so that others are served: further calls wait for the ones before, and are refused where those wait for
   * the caller's own answers. Rejects with a Fault.
   */
  async own(owner: Owner, offered: JsonObject, peer: ServerPeer, signal: AbortSignal): Promise<Lease> {
    const isTheirs = (key: string) => isOf(key, owner);
    const free = (): string | undefined => {
      if (this.#own.asking(isTheirs) >= this.#mostOfOne) throw UNANSWERED;
      if (this.#own.inUse(isTheirs) >= this.#mostOfOne) return undefined;
      let number = 1;
      while (!this.#own.isFree(keyOf(owner, offered, number))) number += 1;
      return keyOf(owner, offered, number);
    };
    return this.#whileAway(() => this.#own.lease(free, peer, { waitMs: this.#waitMs, signal }), signal);
  }

  #whileAway(lease: () => Promise<Lease>, signal: AbortSignal): Promise<Lease> {
    return whileAway(lease, { ...this.#patience, isWanted: () => !signal.aborted });
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

  async close(): Promise<void> {
    await Promise.all([this.#common.close(), this.#own.close()]);
  }

  #notesOf(connection: Connection): Notes {
    const notes = this.#notes.get(connection) ?? { heldBack: new Map(), watched: [] };
    this.#notes.set(connection, notes);
    return notes;
  }
}

const UNANSWERED = new Fault(
  'upstream_unavailable',
  'Half of the connections to the server wait for your answers. Answer first, or retry later.',
  { reason: 'max_connections' },
);

interface Notes {
  heldBack: Map<string, JsonValue>;
  /** A resource stands here as often as somebody listens for it. */
  watched: string[];
}

function keyOf({ actor, workspaceId }: Owner, offered: JsonObject, number: number): string {
  return JSON.stringify([actor, workspaceId, offered, number]);
}

function isOf(key: string, { actor }: Owner): boolean {
  return (JSON.parse(key) as JsonValue[])[0] === actor;
}

function offeredIn(key: string): JsonObject {
  return objectOf((JSON.parse(key) as JsonValue[])[2]);
}
