import type { Call, Gateway, StreamEnd } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { StreamId } from '#resources/operations.ts';
import { closeCodeOf } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { WsLimits } from './limits.ts';
import { SocketSubscription } from './socket-subscription.ts';
import { subscriptionName } from './stream-paths.ts';

/** What is to be followed, and from where. */
export interface StreamTarget {
  stream: StreamId;
  path: Record<string, string>;
  query: Call['query'];
  cursor: string | undefined;
}

export interface SocketStreamsDeps {
  gateway: Gateway;
  connection: Connection;
  limits: Pick<WsLimits, 'maxSubscriptions' | 'retryAfterDrainMs'>;
  /** The socket of one stream path: it closes with its stream. */
  isSingle: boolean;
  /** Reports to the client a stream that failed. */
  fail(error: ProtocolError, subscription: string): void;
}

/** The streams one socket follows, by subscription name. */
export class SocketStreams {
  readonly #deps: SocketStreamsDeps;
  readonly #followed = new Map<string, SocketSubscription>();

  constructor(deps: SocketStreamsDeps) {
    this.#deps = deps;
  }

  /** `onOpen` is called before the first frame. Throws what the stream operation refuses with. */
  async follow(
    target: StreamTarget,
    call: Call,
    onOpen: (stream: SocketSubscription) => void,
  ): Promise<void> {
    const name = subscriptionName(target.stream, { ...target.path, ...target.query });
    this.#refuseExcess(name);
    const { connection, gateway } = this.#deps;
    const subscription = new SocketSubscription({
      name,
      connection,
      onOpen: () => onOpen(subscription),
      onEnd: (reason, error) => this.#ended(subscription, reason, error),
    });
    this.#followed.set(name, subscription);
    try {
      subscription.attach(await gateway.subscribe(target.stream, call, subscription));
    } catch (error) {
      this.#forget(subscription);
      throw error;
    }
  }

  /** Stops following; returns the cursor to resume from. */
  leave(name: string): string {
    const subscription = this.#followed.get(name);
    if (subscription === undefined || this.#deps.isSingle)
      throw new ProtocolError('resource_not_found', 'This socket has no such subscription to give up.', {
        param: 'subscription',
      });
    const cursor = subscription.cursor();
    subscription.close();
    this.#followed.delete(name);
    return cursor;
  }

  cursors(): Record<string, string> {
    return Object.fromEntries(
      [...this.#followed].map(([name, subscription]) => [name, subscription.cursor()]),
    );
  }

  /** Sends the end of every stream for a shutdown. */
  drain(): void {
    for (const subscription of [...this.#followed.values()]) subscription.end('draining');
  }

  /** The socket is gone. */
  stop(): void {
    for (const subscription of this.#followed.values()) subscription.close();
    this.#followed.clear();
  }

  /** Another one may have taken its name: given up while it was being opened, a stream can be followed again at once. */
  #forget(subscription: SocketSubscription): void {
    const { name } = subscription;
    if (this.#followed.get(name) === subscription) this.#followed.delete(name);
  }

  #refuseExcess(name: string): void {
    if (this.#followed.has(name))
      throw new ProtocolError('conflict', 'This socket follows that stream already. Unsubscribe first.', {
        details: { subscription: name },
      });
    const { maxSubscriptions } = this.#deps.limits;
    if (this.#followed.size < maxSubscriptions) return;
    const message = `A socket has at most ${maxSubscriptions} subscriptions. Give one up, or open another socket.`;
    throw new ProtocolError('rate_limited', message);
  }

  #ended(subscription: SocketSubscription, reason: StreamEnd, error: ProtocolError | undefined): void {
    const { connection, limits, isSingle, fail } = this.#deps;
    const { name } = subscription;
    this.#forget(subscription);
    if (reason === 'overflow') {
      connection.closeSlow();
      return;
    }
    if (error !== undefined) fail(error, name);
    connection.sendEnd({
      subscription: name,
      reason,
      cursor: subscription.cursor(),
      retry_after_ms: reason === 'draining' ? limits.retryAfterDrainMs : null,
    });
    // A shutdown closes once the commands under way are answered.
    if (reason !== 'draining' && (isSingle || reason === 'unauthenticated'))
      connection.close(closeCodeOf(reason, error), error?.code ?? reason);
  }
}
