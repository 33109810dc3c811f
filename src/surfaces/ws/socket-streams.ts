import type { Call, Gateway, StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { StreamId } from '#resources/operations.ts';
import { closeCodeOf } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { WsLimits } from './limits.ts';
import { OpenQuestions } from './questions.ts';
import { subscriptionName } from './stream-paths.ts';

/** What is to be followed, and from where. */
export interface StreamTarget {
  stream: StreamId;
  path: Record<string, string>;
  query: Call['query'];
  cursor: string | undefined;
}

interface SocketStreamsDeps {
  gateway: Gateway;
  connection: Connection;
  limits: Pick<WsLimits, 'maxSubscriptions' | 'retryAfterDrainMs'>;
  /** The socket of one stream path: it closes with its stream. */
  isSingle: boolean;
  /** The stream of a Session is followed, or not any more. */
  followed(sessionId: string): void;
  left(sessionId: string): void;
  /** Reports to the client a stream that failed. */
  fail(error: ProtocolError, subscription: string): void;
}

/** How the subscriptions of Sessions are named; their ids follow. */
const SESSION = subscriptionName('streamSessionEvents', { session_id: '' });

function sessionIn(name: string): string | undefined {
  return name.startsWith(SESSION) ? name.slice(SESSION.length).split('?', 1)[0] : undefined;
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
      if (this.#followed.get(name) === subscription) this.#tell('followed', name);
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
    this.#tell('left', name);
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
    if (this.#followed.get(name) !== subscription) return;
    this.#followed.delete(name);
    this.#tell('left', name);
  }

  #tell(what: 'followed' | 'left', name: string): void {
    const sessionId = sessionIn(name);
    if (sessionId === undefined) return;
    // Under other filters it may still be followed.
    if (what === 'left' && [...this.#followed.keys()].some((other) => sessionIn(other) === sessionId)) return;
    this.#deps[what](sessionId);
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

interface SocketSubscriptionOptions {
  name: string;
  connection: Connection;
  /** Called before the first frame, or once the subscription stands: the ack comes first. */
  onOpen(): void;
  onEnd(reason: StreamEnd, error: ProtocolError | undefined): void;
}

/** One stream followed by a socket. */
class SocketSubscription implements StreamSink {
  readonly #options: SocketSubscriptionOptions;
  #subscription: Subscription | undefined;
  #isOpen = false;
  #isOver = false;
  /** Only while history is delivered. */
  #questions: OpenQuestions | undefined = new OpenQuestions();

  constructor(options: SocketSubscriptionOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  cursor(): string {
    return this.#subscription?.cursor() ?? '';
  }

  /** Takes the running subscription; closes it when the socket ended meanwhile. */
  attach(subscription: Subscription): void {
    this.#subscription = subscription;
    this.#open();
    if (this.#isOver || !this.#options.connection.isOpen) subscription.close();
  }

  write(frame: StreamFrame, replayed = false): number {
    this.#open();
    this.#questions?.note(frame, replayed);
    return this.#options.connection.deliver(frame, this.#options.name, replayed);
  }

  cork(): void {
    this.#options.connection.cork();
  }

  uncork(): void {
    this.#options.connection.uncork();
  }

  drained(): Promise<void> {
    return this.#options.connection.drained();
  }

  /** Asks what history left open. */
  caughtUp(): void {
    this.#open();
    const { connection, name } = this.#options;
    for (const question of this.#questions?.take() ?? []) connection.sendRequest(question, name);
    this.#questions = undefined;
  }

  end(reason: StreamEnd, error?: ProtocolError): void {
    if (this.#isOver) return;
    this.#open();
    this.close();
    this.#options.onEnd(reason, error);
  }

  /** Stops following; nothing is said. */
  close(): void {
    this.#isOver = true;
    this.#subscription?.close();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#options.onOpen();
  }
}
