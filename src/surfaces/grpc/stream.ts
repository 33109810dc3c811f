import type { ServerWritableStream } from '@grpc/grpc-js';
import type { StreamEnd, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ServerStream } from '#protocol-server.ts';

/** Bytes handed to the library before the first of them has left. */
const IN_FLIGHT_BYTES = 64 * 1024;

/** What a stream needs of its call. */
export interface GrpcStreamOptions {
  call: Pick<ServerWritableStream<Uint8Array, Uint8Array>, 'write'>;
  /** Unsent bytes above which the call is ended. */
  streamBufferBytes: number;
  /** Sends the metadata that go before the answer. */
  begin(): void;
  /** Ends the call; without an error its status is OK. `cursor`: where a client goes on. */
  finish(cursor: string, error: ProtocolError | undefined): void;
  onOverflow(): void;
}

/**
 * The stream of one call. What does not fit the windows of HTTP/2 waits here, up to a bound: a client that does not keep up loses
 * the call and goes on after the cursor of its last message. See src/surfaces/README.md, Streams.
 */
export class GrpcStream implements ServerStream {
  readonly #options: GrpcStreamOptions;
  #subscription: Subscription | undefined;
  #state: 'waiting' | 'open' | 'ending' | 'closed' = 'waiting';
  readonly #waiting: { bytes: Buffer; id: string | undefined }[] = [];
  #waitingBytes = 0;
  #inFlight = 0;
  #cursor = '';
  #finish: (() => void) | undefined;
  #onEnd: () => void = () => undefined;
  #wake: (() => void) | undefined;

  constructor(options: GrpcStreamOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#state !== 'waiting';
  }

  attach(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#state === 'waiting') this.#open();
    if (this.#state !== 'open') subscription.close();
  }

  onClose(run: () => void): void {
    if (this.#state === 'ending' || this.#state === 'closed') run();
    else this.#onEnd = run;
  }

  discard(): void {
    this.#state = 'closed';
  }

  write({ sse, id }: { sse: Buffer; id?: string }): number {
    if (this.#state === 'waiting') this.#open();
    if (this.#state !== 'open') return 0;
    const unsent = this.#waitingBytes + this.#inFlight;
    // A message larger than the cap still passes on an empty stream; otherwise its client could never get past it.
    if (unsent > 0 && unsent + sse.length > this.#options.streamBufferBytes) {
      this.end('overflow');
      return 0;
    }
    this.#waiting.push({ bytes: sse, id });
    this.#waitingBytes += sse.length;
    this.#pump();
    return this.#waitingBytes + this.#inFlight;
  }

  async drained(): Promise<void> {
    while (
      this.#state === 'open' &&
      this.#waitingBytes + this.#inFlight >= this.#options.streamBufferBytes / 2
    )
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  end(reason: StreamEnd, error?: ProtocolError): void {
    if (this.#state === 'ending' || this.#state === 'closed') return;
    if (this.#state === 'waiting') this.#open();
    const { finish, onOverflow } = this.#options;
    this.#state = 'ending';
    if (reason === 'overflow') {
      // Nothing of it will be read in time; the client takes it up again.
      this.#waiting.length = 0;
      this.#waitingBytes = 0;
      onOverflow();
    }
    const said = error ?? ENDS[reason]?.();
    this.#finish = () => {
      this.#state = 'closed';
      finish(this.#cursor, said);
    };
    this.#subscription?.close();
    this.#onEnd();
    this.#wake?.();
    this.#pump();
  }

  /** The call is over: its client left, or its deadline passed. */
  closed(): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.#state !== 'ending';
    this.#state = 'closed';
    this.#waiting.length = 0;
    this.#subscription?.close();
    if (wasOpen) this.#onEnd();
    this.#wake?.();
  }

  #open(): void {
    this.#state = 'open';
    this.#options.begin();
  }

  #pump(): void {
    if (this.#state === 'closed') return;
    while (this.#inFlight < IN_FLIGHT_BYTES) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      const { bytes, id } = next;
      this.#waitingBytes -= bytes.length;
      this.#inFlight += bytes.length;
      this.#cursor = id ?? this.#cursor;
      this.#options.call.write(bytes, () => this.#left(bytes.length));
    }
    if (this.#state === 'ending' && this.#waiting.length === 0) this.#finish?.();
  }

  #left(bytes: number): void {
    this.#inFlight -= bytes;
    if (this.#waitingBytes + this.#inFlight < this.#options.streamBufferBytes / 2) {
      this.#wake?.();
      this.#wake = undefined;
    }
    if (this.#state !== 'closed') this.#pump();
  }
}

/** How a stream that ends before its Task says so. */
const ENDS: Readonly<Partial<Record<StreamEnd, () => ProtocolError>>> = {
  overflow: () =>
    new ProtocolError(
      'rate_limited',
      'The stream was not read in time. Go on with the metadata last-event-id.',
      {
        retryAfterSeconds: 1,
      },
    ),
  draining: () =>
    new ProtocolError(
      'service_unavailable',
      'The gateway shuts down. Go on with the metadata last-event-id.',
      {
        retryAfterSeconds: 1,
      },
    ),
};
