import type { AdmittedCaller, Call, CallMeter, Gateway, Metering } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { traceFields } from '#protocol/trace-context.ts';
import { CLOSE, closeCodeOf } from './close-codes.ts';
import { Connection, type ConnectionDeps, type ConnectionOwner } from './connection.ts';
import { type ClientFrame, decodeFrame, frameId, frameOf } from './decode-frame.ts';
import { SocketStreams, type StreamTarget } from './socket-streams.ts';
import type { Beginning } from './wire.ts';

export interface SessionDeps extends ConnectionDeps {
  gateway: Gateway;
  metering: Metering;
  json: Pick<JsonReader, 'read'>;
}

/** What the upgrade request said; every frame is a call of its caller. */
export interface SessionFacts {
  caller: AdmittedCaller;
  traceparent: string | undefined;
  /** The socket of one stream path: it follows that stream and ends with it. */
  isSingle: boolean;
  /** Of the upgrade; the socket is known by it. */
  connectionId: string;
}

type Frame<Kind extends ClientFrame['kind']> = Extract<ClientFrame, { kind: Kind }>;
type FrameCall = Pick<Call, 'path'> &
  Partial<Pick<Call, 'query' | 'body' | 'idempotencyKey' | 'lastEventId'>>;

/** Where the answer to a frame goes. */
interface Asked {
  id: string | null;
  requestId: string;
}

const OK = 200;

/** What one socket does: takes frames, runs commands, follows streams, and answers. */
export class SocketSession implements ConnectionOwner {
  readonly connection: Connection;
  readonly #deps: SessionDeps;
  readonly #facts: SessionFacts;
  readonly #streams: SocketStreams;
  readonly #onClose: (closeCode: number) => void;
  #pending = 0;
  #isDraining = false;
  #abort: AbortController | undefined;

  constructor(
    deps: SessionDeps,
    facts: SessionFacts,
    beginning: Beginning,
    onClose: (closeCode: number) => void,
  ) {
    this.#deps = deps;
    this.#facts = facts;
    this.#onClose = onClose;
    deps.gateway.connected(facts.connectionId);
    this.connection = new Connection(deps, beginning, this);
    this.#streams = new SocketStreams({
      gateway: deps.gateway,
      limits: deps.limits,
      connection: this.connection,
      isSingle: facts.isSingle,
      followed: (sessionId) => this.#follows(sessionId),
      left: (sessionId) => deps.gateway.unfollows(facts.connectionId, sessionId),
      fail: (error, subscription) =>
        this.#fail(error, { id: null, requestId: deps.newRequestId() }, subscription),
    });
  }

  /**
   * Follows the stream of a stream path. Refusals are thrown while the upgrade is not complete; `cursor_expired` is an
   * error frame of the socket, which then closes with 4410.
   */
  async follow(target: StreamTarget, requestId: string): Promise<void> {
    const { connection } = this;
    try {
      const { path, query, cursor } = target;
      const call = this.#call(requestId, { path, query, lastEventId: cursor });
      await this.#streams.follow(target, call, () => connection.open());
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (!connection.isOpen && error.code !== 'cursor_expired') {
        connection.discard();
        this.#deps.gateway.disconnected(this.#facts.connectionId);
        throw error;
      }
      connection.open();
      this.#fail(error, { id: null, requestId });
      connection.close(closeCodeOf('failed', error), error.code);
    }
  }

  tick(nowMs: number): void {
    this.connection.tick(nowMs, () => this.#streams.cursors());
  }

  /** A user of the socket is seen in the Session. */
  #follows(sessionId: string): void {
    const { caller, connectionId } = this.#facts;
    const metadata = { protocol: 'websocket' };
    this.#deps.gateway.follows({ connectionId, caller, sessionId, clientId: connectionId, metadata });
  }

  /** Cuts the connection. */
  terminate(): void {
    this.connection.terminate();
  }

  /** Its streams are ended before. */
  credentialEnded(error: ProtocolError): void {
    this.#fail(error, { id: null, requestId: this.#deps.newRequestId() });
    this.connection.close(CLOSE.unauthenticated, error.code);
  }

  /** Ends what is followed, answers what is under way, then closes. */
  drain(): void {
    this.#isDraining = true;
    this.#streams.drain();
    this.#closeDrained();
  }

  closing(): void {
    this.#streams.stop();
  }

  closed(closeCode: number): void {
    this.#abort?.abort();
    this.#deps.gateway.disconnected(this.#facts.connectionId);
    this.#onClose(closeCode);
  }

  take(bytes: Buffer): Promise<void> | undefined {
    const asked: Asked = { id: null, requestId: this.#deps.newRequestId() };
    const { json, limits } = this.#deps;
    try {
      const value = json.read(bytes, { maxBytes: limits.maxMessageBytes });
      if (value instanceof Promise)
        return value.then(
          (read) => this.#takeValue(read, asked),
          (error: unknown) => this.#fail(error, asked),
        );
      this.#takeValue(value, asked);
    } catch (error) {
      this.#fail(error, asked);
    }
    return undefined;
  }

  #takeValue(value: JsonValue, asked: Asked): void {
    try {
      const frame = frameOf(value);
      asked.id = frameId(frame);
      this.#run(decodeFrame(frame), asked);
    } catch (error) {
      this.#fail(error, asked);
    }
  }

  #run(frame: ClientFrame, asked: Asked): void {
    switch (frame.kind) {
      case 'ping':
        this.#ack(asked);
        return;
      case 'unsubscribe':
        this.#ack(asked, {
          subscription: frame.subscription,
          cursor: this.#streams.leave(frame.subscription) || null,
        });
        return;
      case 'subscribe':
        void this.#answer(asked, () => this.#subscribe(frame, asked));
        return;
      case 'command':
        void this.#answer(asked, () => this.#command(frame, asked));
        return;
      default:
        frame satisfies never;
    }
  }

  /** Frames are taken in order and run beside each other; answers name the frame they belong to. */
  async #answer(asked: Asked, work: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    try {
      if (this.#isDraining) throw shuttingDown();
      if (this.#deps.metering.meter === undefined) await work();
      else await this.#counted(this.#deps.metering.meter, work);
    } catch (error) {
      this.#fail(error, asked);
    }
    this.#pending -= 1;
    this.#closeDrained();
  }

  /** A frame is a request, and carries its body. */
  async #counted(meter: CallMeter, work: () => Promise<void>): Promise<void> {
    const { refused } = meter.take(this.#facts.caller);
    if (refused !== undefined) throw refused;
    const release = meter.hold(this.#facts.caller);
    await work().finally(release);
  }

  async #command({ operation, ...given }: Frame<'command'>, asked: Asked): Promise<void> {
    if (this.#pending > this.#deps.limits.maxPendingCommands)
      throw new ProtocolError(
        'rate_limited',
        'Too many frames wait for their answers. Wait for some of them.',
      );
    const {
      status,
      body,
      repeated = false,
    } = await this.#deps.gateway.call(operation, this.#call(asked.requestId, given));
    const resource = body.kind === 'json' ? (body.value as JsonObject) : null;
    this.#ack(asked, { status, repeated, resource });
  }

  async #subscribe(frame: Frame<'subscribe'>, asked: Asked): Promise<void> {
    if (this.#facts.isSingle)
      throw new ProtocolError(
        'invalid_request',
        'This socket follows one stream. Open /v1/ws to follow more.',
        {
          param: 'type',
        },
      );
    const { path, query, cursor } = frame;
    const call = this.#call(asked.requestId, { path, query, lastEventId: cursor });
    call.cursorParam = 'cursor';
    await this.#streams.follow(frame, call, (subscription) =>
      this.#ack(asked, {
        subscription: subscription.name,
        cursor: subscription.cursor() || (cursor ?? null),
      }),
    );
  }

  #ack({ id }: Asked, facts: Partial<Parameters<Connection['sendAck']>[0]> = {}): void {
    const nothing = { status: OK, repeated: false, subscription: null, cursor: null, resource: null };
    this.connection.sendAck({ id, ...nothing, ...facts });
  }

  #fail(thrown: unknown, { id, requestId }: Asked, subscription: string | null = null): void {
    const error = ProtocolError.from(thrown);
    if (error.status >= 500) {
      const trace = traceFields(this.#facts.traceparent);
      const fields = { request_id: requestId, ...trace, code: error.code, err: error.cause ?? error };
      this.#deps.logger.error(fields, 'frame failed');
    }
    this.connection.sendError(error, requestId, id, subscription);
  }

  #call(requestId: string, { path, query = {}, body, idempotencyKey, lastEventId }: FrameCall): Call {
    const { caller, traceparent, connectionId } = this.#facts;
    const signal = () => this.#signal();
    return {
      requestId,
      caller,
      traceparent,
      path,
      query,
      body,
      idempotencyKey,
      lastEventId,
      connectionId,
      // Made on demand: most sockets only listen.
      get signal() {
        return signal();
      },
    };
  }

  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  #closeDrained(): void {
    if (!this.#isDraining || this.#pending > 0) return;
    this.connection.close(CLOSE.draining, `shutdown: retry after ${this.#deps.limits.retryAfterDrainMs} ms`);
  }
}

function shuttingDown(): ProtocolError {
  return new ProtocolError('service_unavailable', 'The gateway is shutting down. Reconnect in a moment.');
}
