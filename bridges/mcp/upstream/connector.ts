import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { inheritedEnvironment } from '../../outbound/child.ts';
import { credentialHeaders } from '../../outbound/credentials.ts';
import { Fault } from '../../outbound/fault.ts';
import { createWebFetch, type WebFetch } from '../../outbound/web-fetch.ts';
import type { MountedServer } from '../mounted-server.ts';
import { STATELESS, TASKS_EXTENSION } from '../revisions.ts';
import { ChildTransport } from './child-transport.ts';
import { FIXED_LIMITS, type McpLimits, type McpUpstreamConfig } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';

/**
 * Opens connections to one configured server: a child of its own for each, or a session over HTTP. The SDK is loaded with
 * the first: it takes longer to load than the rest of the gateway.
 */
export class Connector {
  readonly #config: McpUpstreamConfig;
  readonly #limits: McpLimits;
  readonly #deps: BridgeDeps;
  readonly #web: WebFetch | undefined;
  /** What the server answered last. */
  #speaks: 'stateless' | 'sessions' | undefined;

  constructor(config: McpUpstreamConfig, limits: McpLimits, deps: BridgeDeps) {
    this.#config = config;
    this.#limits = limits;
    this.#deps = deps;
    if (config.url === undefined) return;
    this.#web = createWebFetch({
      connectTimeoutMs: limits.connect_timeout_ms,
      connections: limits.concurrency + limits.max_connections,
      headers: () => credentialHeaders(config.auth, deps),
    });
  }

  /**
   * Connects by the configured revision, or by the newest one that the server speaks: it is asked once and again after a
   * failure, as it may be another one then. Rejects with a Fault.
   */
  async connect(peer: ServerPeer): Promise<Connection> {
    try {
      return await this.#open(peer);
    } catch (error) {
      this.#speaks = undefined;
      throw error;
    }
  }

  #open(peer: ServerPeer): Promise<Connection> {
    const { protocol = 'auto' } = this.#config;
    const speaks = protocol === 'auto' ? this.#speaks : protocol === STATELESS ? 'stateless' : 'sessions';
    if (speaks === 'sessions') return this.#withSession(peer);
    if (speaks === 'stateless') return this.#stateless(peer);
    return this.#web === undefined ? this.#askChild(peer) : this.#askEndpoint(peer);
  }

  /** A server of the revisions with sessions answers the question with an error, and is then asked as they want it. */
  async #askEndpoint(peer: ServerPeer): Promise<Connection> {
    try {
      const connection = await this.#stateless(peer);
      this.#speaks = 'stateless';
      return connection;
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth_required') throw error;
      const connection = await this.#withSession(peer);
      this.#speaks = 'sessions';
      return connection;
    }
  }

  async #askChild(peer: ServerPeer): Promise<Connection> {
    const transport = await this.transport();
    const { discover } = await import('./discover.ts');
    const verdict = await discover(transport, STATELESS, this.#envelope(), {
      timers: this.#deps.timers,
      timeoutMs: Math.min(FIXED_LIMITS.discoverMs, this.#limits.connect_timeout_ms),
    });
    this.#speaks = verdict.speaks;
    if (verdict.speaks === 'stateless') return this.#stateless(peer, transport, verdict.discovered);
    return this.#withSession(peer, 'isOver' in verdict ? undefined : transport);
  }

  async #withSession(peer: ServerPeer, asked?: Transport): Promise<Connection> {
    const { SessionConnection: Opened } = await import('./session-connection.ts');
    const transport = asked ?? (await this.transport());
    return Opened.open(transport, this.#info(), this.#capabilities(), peer, this.#limits.connect_timeout_ms);
  }

  async #stateless(peer: ServerPeer, asked?: Transport, discovered?: JsonObject): Promise<Connection> {
    const { StatelessConnection: Opened } = await import('./stateless-connection.ts');
    const transport = asked ?? (await this.#statelessTransport());
    return Opened.open(transport as never, peer, {
      info: this.#info(),
      capabilities: this.#statelessCapabilities(),
      timeoutMs: this.#limits.connect_timeout_ms,
      discovered,
      later: (again) => void this.#deps.timers.setTimeout(again, FIXED_LIMITS.listenAgainMs),
    });
  }

  async #statelessTransport(): Promise<unknown> {
    const { url } = this.#config;
    if (url === undefined || this.#web === undefined) return this.transport();
    const { StreamableHTTPClientTransport: Http } = await import('@modelcontextprotocol/client');
    return new Http(new URL(url), { fetch: this.#web.request });
  }

  #info(): { name: string; version: string } {
    return { name: 'harn-gateway', version: this.#deps.version };
  }

  #statelessCapabilities(): JsonObject {
    return { ...(this.#capabilities() as JsonObject), extensions: { [TASKS_EXTENSION]: {} } };
  }

  /** What every request of the revision without sessions says of its sender. */
  #envelope(): JsonObject {
    return {
      'io.modelcontextprotocol/protocolVersion': STATELESS,
      'io.modelcontextprotocol/clientInfo': this.#info(),
      'io.modelcontextprotocol/clientCapabilities': this.#statelessCapabilities(),
    };
  }

  /** Sends one message to a server over HTTP, with the credential of the gateway; undefined for another server. */
  get post(): MountedServer['post'] {
    const { url } = this.#config;
    const web = this.#web;
    if (url === undefined || web === undefined) return undefined;
    return (body, headers, signal) => web.request(url, { method: 'POST', body, headers, signal });
  }

  async close(): Promise<void> {
    await this.#web?.close();
  }

  /** Only a server whose questions reach a caller is told that it may ask. */
  #capabilities(): ClientCapabilities {
    if (!this.#config.interactive) return {};
    const sampling = this.#config.sampling ? { sampling: {} } : {};
    const roots = this.#config.roots === undefined ? {} : { roots: { listChanged: false } };
    return { elicitation: { form: {}, url: {} }, ...roots, ...sampling };
  }

  /** The wire to the server, not started. */
  async transport(): Promise<Transport> {
    const { url, command, cwd } = this.#config;
    if (url !== undefined && this.#web !== undefined) {
      const { StreamableHTTPClientTransport: Http } = await import(
        '@modelcontextprotocol/sdk/client/streamableHttp.js'
      );
      const transport = new Http(new URL(url), { fetch: this.#web.request });
      return transport as unknown as Transport;
    }
    return new ChildTransport({
      command: command ?? [],
      env: this.#environment(),
      ...(cwd === undefined ? {} : { cwd }),
      timers: this.#deps.timers,
      guard: this.#deps.guard,
      maxLineBytes: this.#limits.max_message_bytes,
      parseJson: this.#deps.parseJson,
      onNoise: (line) =>
        this.#deps.logger.debug({ server: this.#config.id, line: line.slice(0, 500) }, 'mcp server'),
    });
  }

  #environment(): Record<string, string> {
    const given = Object.entries(this.#config.env ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : this.#secret(value),
    ]);
    return { ...inheritedEnvironment(this.#deps.environment), ...Object.fromEntries(given) };
  }

  #secret(ref: Parameters<BridgeDeps['readSecret']>[0]): string {
    try {
      return this.#deps.readSecret(ref);
    } catch {
      // The reason may name files of the host; the operator finds it with `harn-gateway check`.
      throw new Fault('upstream_unavailable', 'The gateway has no credential for the server.', {
        reason: 'credential',
      });
    }
  }
}
