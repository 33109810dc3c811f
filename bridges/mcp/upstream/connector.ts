import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { BridgeDeps } from '../../bridge.ts';
import { inheritedEnvironment } from '../../outbound/child.ts';
import { credentialHeaders } from '../../outbound/credentials.ts';
import { Fault } from '../../outbound/fault.ts';
import { createWebFetch, type WebFetch } from '../../outbound/web-fetch.ts';
import type { MountedServer } from '../mounted-server.ts';
import { ChildTransport } from './child-transport.ts';
import type { McpLimits, McpUpstreamConfig } from './config.ts';
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

  /** Rejects with a Fault. */
  async connect(peer: ServerPeer): Promise<Connection> {
    const info = { name: 'harn-gateway', version: this.#deps.version };
    const { Connection: Opened } = await import('./connection.ts');
    const transport = await this.transport();
    return Opened.open(transport, info, this.#capabilities(), peer, this.#limits.connect_timeout_ms);
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
