import type { JsonObject } from '#protocol/json.ts';
import type { HostOffer } from '../../mappings/acp/host-methods.ts';
import type { RpcAnswer } from '../wire/json-rpc.ts';

/**
 * The machine of a client that works in a Session: its files and terminals, as far as it offers them. The server brings it, the
 * agents of the Session are served by it.
 */
export interface Host {
  /** Whose machine it is; it serves the tasks of this actor and nobody else's. */
  readonly actor: string;
  readonly offer: HostOffer;
  /** MCP servers there, as they are described to agents in `mcpServers`. */
  readonly servers: readonly JsonObject[];
  /** Asks the client; rejects when it is gone. The id of the Session is added. */
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<RpcAnswer>;
}

/** The hosts of the Sessions of one agent; of several clients in a Session the newest one is asked. */
export class Hosts {
  readonly #hosts = new Map<string, Host[]>();

  /** Called again, it makes the host the newest one. */
  attach(sessionId: string, host: Host): void {
    this.detach(sessionId, host);
    this.#hosts.set(sessionId, [...(this.#hosts.get(sessionId) ?? []), host]);
  }

  detach(sessionId: string, host: Host): void {
    const left = (this.#hosts.get(sessionId) ?? []).filter((other) => other !== host);
    if (left.length === 0) this.#hosts.delete(sessionId);
    else this.#hosts.set(sessionId, left);
  }

  of(sessionId: string, actor: string | undefined): Host | undefined {
    return this.#hosts.get(sessionId)?.findLast((host) => host.actor === actor);
  }
}
