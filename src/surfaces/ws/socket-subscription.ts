import type { StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { Connection } from './connection.ts';
import { OpenQuestions } from './questions.ts';

export interface SocketSubscriptionOptions {
  name: string;
  connection: Connection;
  /** Called before the first frame, or once the subscription stands: the ack comes first. */
  onOpen(): void;
  onEnd(reason: StreamEnd, error: ProtocolError | undefined): void;
}

/** One stream followed by a socket. */
export class SocketSubscription implements StreamSink {
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
