import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import type { ServerDeps } from '#protocol-server.ts';
import { offerOf } from '../../../mappings/acp/host-methods.ts';
import { notice, takenBy } from '../../../mappings/acp/notices.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import type { Peer } from '../../wire/peer.ts';
import { AcpClient } from '../client/client.ts';
import type { Host, Hosts } from '../host.ts';

/**
 * The machine of a client as the host of the Sessions it prompts in: agents there may ask for its files and terminals, as far
 * as it offers them. Whether it does what it is asked is the client's own decision.
 */
export class Hosting {
  readonly #deps: ServerDeps;
  readonly #peer: Peer;
  readonly #actor: () => string;
  readonly #capabilities: () => JsonObject;
  readonly #hosts = new Map<string, Host>();
  readonly #servers = new Map<string, readonly JsonObject[]>();
  readonly #noticed = new Set<string>();
  /** Terminals that the client has made; others must not be named to it. */
  readonly terminals = new Set<string>();

  constructor(deps: ServerDeps, peer: Peer, actor: () => string, capabilities: () => JsonObject) {
    this.#deps = deps;
    this.#peer = peer;
    this.#actor = actor;
    this.#capabilities = capabilities;
  }

  /** The update as the client takes it; undefined where it takes none. */
  taken(update: JsonObject, isLive: boolean): JsonObject | undefined {
    return takenBy(this.#capabilities(), update, isLive);
  }

  /** The client works in this Session, which it may: the newest one that does is asked. */
  offer(sessionId: string): void {
    const offer = offerOf(this.#capabilities());
    const servers = this.#servers.get(sessionId) ?? [];
    if (offer.length + servers.length === 0) return;
    const host = this.#hosts.get(sessionId) ?? {
      actor: this.#actor(),
      offer,
      servers,
      ask: (method, params, signal) => this.#ask(sessionId, method, params, signal),
    };
    this.#hosts.set(sessionId, host);
    for (const hosts of this.#everywhere()) hosts.attach(sessionId, host);
  }

  /** The MCP servers of the client in this Session; they take the place of those it had there before. */
  announce(sessionId: string, servers: readonly JsonObject[]): void {
    this.withdraw(sessionId);
    this.#servers.set(sessionId, servers);
  }

  /** The notice that an agent which does not speak ACP cannot use the client's servers, once for each; else undefined. */
  notice(sessionId: string, route: string): JsonObject | undefined {
    const names = (this.#servers.get(sessionId) ?? []).flatMap(({ name }) => textOf(name) ?? []);
    if (names.length === 0 || this.#deps.client(route) instanceof AcpClient) return undefined;
    const key = JSON.stringify([sessionId, route]);
    if (this.#noticed.has(key)) return undefined;
    this.#noticed.add(key);
    const description = `${route} is no ACP agent, so it cannot use these servers of the editor: ${names.join(', ')}.`;
    return notice('MCP servers are not used', description);
  }

  withdraw(sessionId: string): void {
    const host = this.#hosts.get(sessionId);
    if (host === undefined) return;
    this.#hosts.delete(sessionId);
    for (const hosts of this.#everywhere()) hosts.detach(sessionId, host);
  }

  /** The client is gone. */
  close(): void {
    for (const sessionId of [...this.#hosts.keys()]) this.withdraw(sessionId);
  }

  #everywhere(): Hosts[] {
    return this.#deps.agents().flatMap(({ route }) => {
      const client = this.#deps.client(route);
      return client instanceof AcpClient ? [client.hosts] : [];
    });
  }

  async #ask(
    sessionId: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<RpcAnswer> {
    const answer = await this.#peer.ask(method, { ...params, sessionId }, signal);
    if (method === 'terminal/create' && 'result' in answer) {
      const id = textOf(objectOf(answer.result)['terminalId']);
      if (id !== undefined) this.terminals.add(id);
    }
    return answer;
  }
}
