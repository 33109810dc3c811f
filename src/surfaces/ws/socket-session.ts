import type { Call, Gateway, StreamEnd } from '../../gateway.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { StreamId } from '../../protocol/operations.ts';
import { CLOSE } from './close-codes.ts';
import { Connection, type ConnectionDeps, type ConnectionOptions } from './connection.ts';
import { type ClientFrame, decodeFrame, frameId, parseFrame } from './decode-frame.ts';
import { SocketSubscription } from './socket-subscription.ts';
import { subscriptionName } from './stream-paths.ts';

export interface SessionDeps extends ConnectionDeps {
  gateway: Gateway;
}

/** What the upgrade request said; every frame is admitted anew with it. */
export interface SessionFacts {
  authorization: string | undefined;
  protocolVersion: string | undefined;
  traceparent: string | undefined;
  /** The socket of one stream path: it follows that stream and ends with it. */
  isSingle: boolean;
}

export interface StreamTarget {
  stream: StreamId;
  path: Record<string, string>;
  query: Call['query'];
  cursor: string | undefined;
}

type Wire = Pick<ConnectionOptions, 'socket' | 'accept'> & { onClose(code: number): void };
type CommandFrame = Extract<ClientFrame, { kind: 'command' }>;

const OK = 200;

/** What one socket does: commands, subscriptions, and their answers. */
export class SocketSession {
  readonly connection: Connection;
  readonly #deps: SessionDeps;
  readonly #facts: SessionFacts;
  readonly #subscriptions = new Map<string, SocketSubscription>();
  #pending = 0;
  #isDraining = false;
  #abort: AbortController | undefined;

  constructor(deps: SessionDeps, facts: SessionFacts, { onClose, ...wire }: Wire) {
    this.#deps = deps;
    this.#facts = facts;
    this.connection = new Connection({
      deps,
      ...wire,
      onMessage: (bytes) => this.#take(bytes),
      onClose: (code) => {
        this.#stop();
        onClose(code);
      },
    });
  }

  /**
   * Follows the stream of a stream path. Refusals are thrown while the upgrade is not complete; `cursor_expired` is told
   * in the socket, which then closes with 4410 (contract C19).
   */
  async follow(target: StreamTarget, requestId: string): Promise<void> {
    try {
      await this.#subscribe(target, requestId, () => this.connection.open());
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (!this.connection.isOpen && error.code !== 'cursor_expired') {
        this.connection.discard();
        throw error;
      }
      this.connection.open();
      this.#fail(error, null, requestId);
      this.connection.close(closeCodeOf('failed', error), error.code);
    }
  }

  tick(nowMs: number): void {
    this.connection.tick(nowMs, () => {
      const cursors = [...this.#subscriptions].map(([name, subscription]) => [name, subscription.cursor()]);
      return Object.fromEntries(cursors) as Record<string, string>;
    });
  }

  /** Ends what is followed, answers what is under way, then closes. */
  drain(): void {
    this.#isDraining = true;
    for (const subscription of [...this.#subscriptions.values()]) subscription.end('draining');
    this.#closeDrained();
  }

  #take(bytes: Buffer): void {
    const requestId = this.#deps.newRequestId();
    let id: string | null = null;
    try {
      const frame = parseFrame(bytes, this.#deps.limits.maxMessageBytes);
      id = frameId(frame);
      this.#run(decodeFrame(frame), id, requestId);
    } catch (error) {
      this.#fail(error, id, requestId);
    }
  }

  #run(frame: ClientFrame, id: string | null, requestId: string): void {
    switch (frame.kind) {
      case 'ping':
        this.#ack(id);
        return;
      case 'unsubscribe':
        this.#unsubscribe(frame.subscription, id);
        return;
      case 'subscribe':
        void this.#answer(() => this.#join(frame, id, requestId), id, requestId);
        return;
      case 'command':
        void this.#answer(() => this.#command(frame, id, requestId), id, requestId);
    }
  }

  /** Frames are taken in order and run beside each other; answers name the frame they belong to. */
  async #answer(work: () => Promise<void>, id: string | null, requestId: string): Promise<void> {
    this.#pending += 1;
    try {
      this.#refuseExcess();
      await work();
    } catch (error) {
      this.#fail(error, id, requestId);
    }
    this.#pending -= 1;
    this.#closeDrained();
  }

  #refuseExcess(): void {
    if (this.#isDraining)
      throw new ProtocolError('service_unavailable', 'The gateway is shutting down. Reconnect in a moment.');
    const { maxPendingCommands } = this.#deps.limits;
    if (this.#pending > maxPendingCommands)
      throw new ProtocolError(
        'rate_limited',
        'Too many frames wait for their answers. Wait for some of them.',
      );
  }

  async #command(frame: CommandFrame, id: string | null, requestId: string): Promise<void> {
    const { operation, path, body, idempotencyKey } = frame;
    const call = this.#call({ requestId, path, query: {}, body, idempotencyKey, lastEventId: undefined });
    const answer = await this.#deps.gateway.call(operation, call);
    const resource = answer.body.kind === 'json' ? (answer.body.value as JsonObject) : null;
    this.#ack(id, { status: answer.status, repeated: answer.repeated === true, resource });
  }

  async #join(frame: Extract<ClientFrame, { kind: 'subscribe' }>, id: string | null, requestId: string) {
    if (this.#facts.isSingle)
      throw new ProtocolError(
        'invalid_request',
        'This socket follows one stream. Open /v1/ws to follow more.',
        {
          param: 'type',
        },
      );
    await this.#subscribe(frame, requestId, (subscription) =>
      this.#ack(id, {
        subscription: subscription.name,
        cursor: subscription.cursor() || (frame.cursor ?? null),
      }),
    );
  }

  async #subscribe(
    { stream, path, query, cursor }: StreamTarget,
    requestId: string,
    onOpen: (subscription: SocketSubscription) => void,
  ): Promise<void> {
    const name = subscriptionName(stream, { ...path, ...query });
    this.#refuseSubscription(name);
    const subscription = new SocketSubscription({
      name,
      connection: this.connection,
      onOpen: () => onOpen(subscription),
      onEnd: (reason, error) => this.#ended(subscription, reason, error),
    });
    this.#subscriptions.set(name, subscription);
    const call = this.#call({
      requestId,
      path,
      query,
      body: undefined,
      idempotencyKey: undefined,
      lastEventId: cursor,
    });
    try {
      subscription.attach(await this.#deps.gateway.subscribe(stream, call, subscription));
    } catch (error) {
      this.#subscriptions.delete(name);
      throw error;
    }
  }

  #refuseSubscription(name: string): void {
    if (this.#subscriptions.has(name))
      throw new ProtocolError('conflict', 'This socket follows that stream already. Unsubscribe first.', {
        details: { subscription: name },
      });
    const { maxSubscriptions } = this.#deps.limits;
    if (this.#subscriptions.size >= maxSubscriptions)
      throw new ProtocolError(
        'rate_limited',
        `A socket has at most ${maxSubscriptions} subscriptions. Open another.`,
      );
  }

  #unsubscribe(name: string, id: string | null): void {
    const subscription = this.#subscriptions.get(name);
    if (subscription === undefined || this.#facts.isSingle)
      throw new ProtocolError('resource_not_found', 'This socket has no such subscription to give up.', {
        param: 'subscription',
      });
    const cursor = subscription.cursor();
    subscription.close();
    this.#subscriptions.delete(name);
    this.#ack(id, { subscription: name, cursor });
  }

  #ended(subscription: SocketSubscription, reason: StreamEnd, error: ProtocolError | undefined): void {
    const { name } = subscription;
    this.#subscriptions.delete(name);
    if (reason === 'overflow') {
      this.connection.closeSlow();
      return;
    }
    if (error !== undefined) this.#fail(error, null, this.#deps.newRequestId(), name);
    const retryAfterMs = reason === 'draining' ? this.#deps.limits.retryAfterDrainMs : null;
    const cursor = subscription.cursor();
    this.connection.sendEnd({ subscription: name, reason, cursor, retry_after_ms: retryAfterMs });
    if (reason === 'draining') return;
    if (this.#facts.isSingle || reason === 'unauthenticated')
      this.connection.close(closeCodeOf(reason, error), error?.code ?? reason);
  }

  #ack(id: string | null, facts: Partial<Parameters<Connection['sendAck']>[0]> = {}): void {
    const nothing = { status: OK, repeated: false, subscription: null, cursor: null, resource: null };
    this.connection.sendAck({ id, ...nothing, ...facts });
  }

  #fail(thrown: unknown, id: string | null, requestId: string, subscription: string | null = null): void {
    const error = ProtocolError.from(thrown);
    if (error.status >= 500)
      this.#deps.logger.error(
        { request_id: requestId, code: error.code, err: error.cause ?? error },
        'frame failed',
      );
    this.connection.sendError(error, requestId, id, subscription);
  }

  #call(call: Omit<Call, keyof SessionFacts | 'signal'>): Call {
    const { authorization, protocolVersion, traceparent } = this.#facts;
    const signal = () => this.#signal();
    return {
      ...call,
      authorization,
      protocolVersion,
      traceparent,
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

  #stop(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
    this.#abort?.abort();
  }
}

function closeCodeOf(
  reason: Exclude<StreamEnd, 'overflow' | 'draining'>,
  error: ProtocolError | undefined,
): number {
  if (reason === 'complete') return CLOSE.complete;
  if (reason === 'unauthenticated') return CLOSE.unauthenticated;
  return error?.code === 'cursor_expired' ? CLOSE.cursorExpired : CLOSE.failed;
}
