import { Semaphore } from '#core/semaphore.ts';
import type { Gateway, StreamSink, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ServerCall, ServerConnection, ServerOperation } from '#protocol-server.ts';
import type { StreamId } from '#resources/operations.ts';
import { ask, wholeOf } from '../../wire/gateway-calls.ts';
import { rpcErrorOf } from './faults.ts';

type Called = Exclude<ServerOperation, StreamId>;

/**
 * Calls of one connection under way at once: what a client asks in one breath is done in small steps, between which others
 * are served. A cancel may wait for an agent, so cancels wait for each other and not for the rest.
 */
const CALLS_AT_ONCE = 16;
const CANCELS_AT_ONCE = 64;

/** Operations of the gateway as the caller of one connection. Refusals are RpcErrors. */
export class GatewayCalls {
  readonly #gateway: Gateway;
  readonly #connection: ServerConnection;
  readonly #calls = new Semaphore(CALLS_AT_ONCE);
  readonly #cancels = new Semaphore(CANCELS_AT_ONCE);

  constructor(gateway: Gateway, connection: ServerConnection) {
    this.#gateway = gateway;
    this.#connection = connection;
  }

  get defaultWorkspace(): string {
    return this.#connection.caller.defaultWorkspace;
  }

  get actor(): string {
    return this.#connection.caller.actor;
  }

  /** Counts a request of the client. Throws RpcError where it sent too many. */
  count(): void {
    try {
      this.#connection.count();
    } catch (error) {
      throw rpcErrorOf(error, this.#connection.requestId);
    }
  }

  /** Throws RpcError when the caller may not. */
  admit(id: ServerOperation): void {
    try {
      this.#gateway.admit(id, this.#connection.call());
    } catch (error) {
      throw rpcErrorOf(error, this.#connection.requestId);
    }
  }

  async json<Body = JsonObject>(id: Called, call: ServerCall): Promise<Body> {
    const semaphore = id === 'cancelTask' ? this.#cancels : this.#calls;
    try {
      return await semaphore.run(() =>
        ask<Body>(this.#gateway, id, this.#connection.call({ path: {}, query: {}, ...call })),
      );
    } catch (error) {
      throw rpcErrorOf(error, this.#connection.requestId);
    }
  }

  /** The content of an Artifact of at most this many bytes; undefined for a larger one, and where the client may not read it. */
  async content(artifactId: string, maxBytes: number): Promise<Buffer | undefined> {
    const call = this.#connection.call({ path: { artifact_id: artifactId }, query: {} });
    try {
      const { body } = await this.#gateway.call('downloadArtifactContent', call);
      if (body.kind !== 'bytes' || (body.size ?? Number.POSITIVE_INFINITY) > maxBytes) return undefined;
      return await wholeOf(body.chunks);
    } catch (error) {
      if (error instanceof ProtocolError) return undefined;
      throw error;
    }
  }

  async follow(sessionId: string, after: string | undefined, sink: StreamSink): Promise<Subscription> {
    const call = this.#connection.call({
      path: { session_id: sessionId },
      query: {},
      lastEventId: after,
    });
    try {
      return await this.#gateway.subscribe(
        'streamSessionEvents',
        { ...call, cursorParam: '_meta.harn.afterEventId' },
        sink,
      );
    } catch (error) {
      throw rpcErrorOf(error, this.#connection.requestId);
    }
  }
}
