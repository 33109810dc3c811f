import type { Gateway, StreamSink, Subscription } from '#gateway.ts';
import { ERROR_CODES, ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ServerCall, ServerConnection, ServerOperation } from '#protocol-server.ts';
import type { StreamId } from '#resources/operations.ts';
import { ACP_ERRORS, ERROR_OF_CODE } from '../../../mappings/acp/errors.ts';
import { wholeOf } from '../../wire/gateway-calls.ts';
import { RpcError } from '../../wire/json-rpc.ts';

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
  readonly #calls = new Turnstile(CALLS_AT_ONCE);
  readonly #cancels = new Turnstile(CANCELS_AT_ONCE);

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

  /** Throws RpcError when the caller may not. */
  admit(id: ServerOperation): void {
    try {
      this.#gateway.admit(id, this.#connection.call());
    } catch (error) {
      throw rpcErrorOf(error);
    }
  }

  async json<Body = JsonObject>(id: Called, call: ServerCall): Promise<Body> {
    const turnstile = id === 'cancelTask' ? this.#cancels : this.#calls;
    await turnstile.enter();
    try {
      const { body } = await this.#gateway.call(id, this.#connection.call({ path: {}, query: {}, ...call }));
      if (body.kind === 'json') return body.value as Body;
      if (body.kind === 'raw_json') return JSON.parse(Buffer.concat(body.chunks).toString()) as Body;
      return {} as Body;
    } catch (error) {
      throw rpcErrorOf(error);
    } finally {
      turnstile.leave();
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
      throw rpcErrorOf(error);
    }
  }
}

/** A refusal of the gateway as JSON-RPC has it; the Harn words go along in `data.harn`. */
function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = ProtocolError.from(error);
  const { code, message, param, details } = refusal;
  return new RpcError(ACP_ERRORS[ERROR_OF_CODE[code]], message, {
    harn: {
      code,
      type: ERROR_CODES[code].type,
      ...(param === undefined ? {} : { param }),
      ...(details === undefined ? {} : { details }),
    },
  });
}

/** Lets so many through at once; the others wait in the order they came. */
class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves when there is a place; whoever entered leaves. */
  enter(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
