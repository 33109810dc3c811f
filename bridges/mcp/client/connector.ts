import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonObject } from '#protocol/json.ts';
import { STATELESS, TASKS_EXTENSION } from '../../../mappings/mcp/revisions.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { childEnvironment } from '../../wire/child-environment.ts';
import { Fault, NOT_RUN, retryAfterOf } from '../../wire/faults.ts';
import { credentialHeaders } from '../../wire/http-client.ts';
import { isDoneWithin, pause } from '../../wire/waits.ts';
import { createWebFetch, type WebFetch } from '../../wire/web-fetch.ts';
import type { Post } from '../mounted-server.ts';
import { ChildTransport } from './child-transport.ts';
import { FIXED_LIMITS, type McpClientConfig, type McpLimits } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';
import { NOBODY } from './session-connections.ts';

/** As whom the gateway connects: itself, or a client that it speaks for. */
export interface ConnectAs {
  info: { name: string; version: string };
  capabilities: JsonObject;
}

/** With sessions, or without. */
export type Era = 'stateless' | 'sessions';

/** Headers of the tool call that a request is made for. */
export const callHeaders = new AsyncLocalStorage<Readonly<Record<string, string>>>();

/**
 * Opens connections to one configured server: a child of its own for each, or a session over HTTP. The SDK is loaded with
 * the first: it takes longer to load than the rest of the gateway.
 */
export class Connector {
  readonly #config: McpClientConfig;
  readonly #limits: McpLimits;
  readonly #deps: BridgeDeps;
  readonly #web: WebFetch | undefined;
  /** For the libraries, which lose what an answer says of when to come again. */
  readonly #request: WebFetch['request'] | undefined;
  /** What the server answered last. */
  #speaks: Era | undefined;
  /** Whether a server of the revision without sessions takes them too. */
  #takesSessions: Promise<boolean> | undefined;

  constructor(config: McpClientConfig, limits: McpLimits, deps: BridgeDeps) {
    this.#config = config;
    this.#limits = limits;
    this.#deps = deps;
    if (config.url === undefined) return;
    const web = createWebFetch({
      connectTimeoutMs: limits.connect_timeout_ms,
      connections: limits.concurrency + limits.max_connections,
      headers: async () => ({ ...(await credentialHeaders(config.auth, deps)), ...callHeaders.getStore() }),
    });
    this.#web = web;
    this.#request = async (url, init) => {
      const answer = await web.request(url, init);
      if (init?.method === 'POST') refuseForNow(answer);
      return answer;
    };
  }

  /**
   * Connects by the configured revision, or by the newest one that the server speaks: it is asked once and again after a
   * failure, as it may be another one then. Rejects with a Fault.
   */
  async connect(peer: ServerPeer, as: ConnectAs = this.#itself()): Promise<Connection> {
    try {
      return await this.#open(peer, as);
    } catch (error) {
      this.#speaks = undefined;
      this.#takesSessions = undefined;
      throw error;
    }
  }

  /** What is spoken with the server; undefined while it is not known. */
  get era(): Era | undefined {
    const { protocol = 'auto' } = this.#config;
    if (protocol === 'auto') return this.#speaks;
    return protocol === STATELESS ? 'stateless' : 'sessions';
  }

  /** Whether a client with sessions can be passed to the server. One that speaks both is tried once; a pin decides. */
  async takesSessions(): Promise<boolean> {
    if (this.era !== 'stateless') return true;
    if (this.#config.protocol === STATELESS) return false;
    this.#takesSessions ??= this.#withSession(NOBODY, this.#itself()).then(
      async (connection) => {
        await connection.close();
        return true;
      },
      () => false,
    );
    return this.#takesSessions;
  }

  #open(peer: ServerPeer, as: ConnectAs): Promise<Connection> {
    const { era } = this;
    if (era === 'sessions') return this.#withSession(peer, as);
    if (era === 'stateless') return this.#stateless(peer, as);
    return this.#web === undefined ? this.#askChild(peer, as) : this.#askEndpoint(peer, as);
  }

  /** A server of the revisions with sessions answers the question with an error, and is then asked as they want it. */
  async #askEndpoint(peer: ServerPeer, as: ConnectAs): Promise<Connection> {
    try {
      const connection = await this.#stateless(peer, as);
      this.#speaks = 'stateless';
      return connection;
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth_required') throw error;
      const connection = await this.#withSession(peer, as);
      this.#speaks = 'sessions';
      return connection;
    }
  }

  async #askChild(peer: ServerPeer, as: ConnectAs): Promise<Connection> {
    const transport = await this.transport();
    const { discover } = await import('./discover.ts');
    const verdict = await discover(transport, STATELESS, envelopeOf(as), {
      timers: this.#deps.timers,
      timeoutMs: Math.min(FIXED_LIMITS.discoverMs, this.#limits.connect_timeout_ms),
    });
    this.#speaks = verdict.speaks;
    if (verdict.speaks === 'stateless') return this.#stateless(peer, as, transport, verdict.discovered);
    return this.#withSession(peer, as, 'isOver' in verdict ? undefined : transport);
  }

  async #withSession(peer: ServerPeer, as: ConnectAs, asked?: Transport): Promise<Connection> {
    const { SessionConnection: Opened } = await import('./session-connection.ts');
    let listens: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => {
      listens = resolve;
    });
    const transport = asked ?? (await this.transport(listens));
    const { info, capabilities } = as;
    const { extensions: _none, ...known } = capabilities;
    const connection = await Opened.open(transport, peer, {
      info,
      capabilities: known,
      timeoutMs: this.#limits.connect_timeout_ms,
      ...(this.#web === undefined
        ? {}
        : { lastLines: () => pause(FIXED_LIMITS.lastLinesMs, this.#deps.timers) }),
    });
    // What is sent beside the answers, such as a changed list, reaches nobody before somebody listens.
    if (this.#web !== undefined) await isDoneWithin(listening, FIXED_LIMITS.listenMs, this.#deps.timers);
    return connection;
  }

  async #stateless(
    peer: ServerPeer,
    as: ConnectAs,
    asked?: Transport,
    discovered?: JsonObject,
  ): Promise<Connection> {
    const { StatelessConnection: Opened } = await import('./stateless-connection.ts');
    const transport = asked ?? (await this.#statelessTransport());
    return Opened.open(transport as never, peer, {
      ...as,
      timeoutMs: this.#limits.connect_timeout_ms,
      discovered,
      later: (again) => void this.#deps.timers.setTimeout(again, FIXED_LIMITS.listenAgainMs),
    });
  }

  async #statelessTransport(): Promise<unknown> {
    const { url } = this.#config;
    if (url === undefined || this.#request === undefined) return this.transport();
    const { StreamableHTTPClientTransport: Http } = await import('@modelcontextprotocol/client');
    return new Http(new URL(url), { fetch: this.#request });
  }

  /** Those of the revision without sessions know extensions; the others take no notice of them. */
  #itself(): ConnectAs {
    const capabilities = { ...this.#capabilities(), extensions: { [TASKS_EXTENSION]: {} } };
    return { info: { name: 'harn-gateway', version: this.#deps.version }, capabilities };
  }

  /** Sends one message to a server over HTTP, with the credential of the gateway; undefined for another server. */
  get post(): Post | undefined {
    const { url } = this.#config;
    const web = this.#web;
    if (url === undefined || web === undefined) return undefined;
    return (body, headers, signal) => web.request(url, { method: 'POST', body, headers, signal });
  }

  async close(): Promise<void> {
    await this.#web?.close();
  }

  /** Only a server whose questions reach a caller learns that it may ask; what it has of him otherwise is said by the operator. */
  #capabilities(): JsonObject {
    const { interactive, roots: folders } = this.#config;
    if (interactive === false) return {};
    const elicitation = { form: {}, url: {} };
    if (interactive === undefined) return { elicitation };
    const sampling = this.#config.sampling ? { sampling: {} } : {};
    const roots = folders === undefined ? {} : { roots: { listChanged: false } };
    return { elicitation, ...roots, ...sampling };
  }

  /** The wire to the server, not started. `listens` is called when an endpoint has answered who listens, whatever it says. */
  async transport(listens?: () => void): Promise<Transport> {
    const { url, command, cwd } = this.#config;
    const send = this.#request;
    if (url !== undefined && send !== undefined) {
      const { StreamableHTTPClientTransport: Http } = await import(
        '@modelcontextprotocol/sdk/client/streamableHttp.js'
      );
      const request: WebFetch['request'] = async (to, init) => {
        try {
          return await send(to, init);
        } finally {
          if (init?.method === 'GET') listens?.();
        }
      };
      return new Http(new URL(url), { fetch: request }) as unknown as Transport;
    }
    return new ChildTransport({
      command: command ?? [],
      env: childEnvironment(this.#config.env, this.#deps.environment, (ref) => this.#secret(ref)),
      ...(cwd === undefined ? {} : { cwd }),
      timers: this.#deps.timers,
      guard: this.#deps.guard,
      maxLineBytes: this.#limits.max_message_bytes,
      parseJson: this.#deps.parseJson,
      onNoise: (line) =>
        this.#deps.logger.debug({ server: this.#config.id, line: line.slice(0, 500) }, 'mcp server'),
    });
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

/** Throws for an answer in place of that of the server which says when to come again. */
function refuseForNow({ status, headers }: Response): void {
  const retry = retryAfterOf(headers.get('retry-after'));
  if ((status !== 429 && status !== 503) || retry.retry_after === undefined) return;
  // What stands before a server that is not there for the moment says so; one that is there and busy is not asked again at once.
  const details = {
    ...{ reason: 'http_status', http_status: status, ...retry },
    ...(status === 503 ? NOT_RUN : {}),
  };
  throw new Fault('upstream_unavailable', 'The server takes no requests for now.', details);
}

/** What every request of the revision without sessions says of its sender. */
function envelopeOf({ info, capabilities }: ConnectAs): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}
