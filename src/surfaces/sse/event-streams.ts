import type { Call, Gateway, StreamSink } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';
import type { ServerStreamOptions } from '#protocol-server.ts';
import type { StreamId } from '#resources/operations.ts';
import { sendEmpty } from '#surfaces/http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Timers } from '../timers.ts';
import { EventStream, type EventStreamOptions, STREAM_HEADERS } from './event-stream.ts';

export interface EventStreamsDeps {
  gateway: Gateway;
  clock: Clock;
  timers: Timers;
  limits: { maxStreams: number; streamBufferBytes: number; heartbeatIntervalMs: number };
}

/** One look over all streams per second: a timer per stream would cost more than the streams do. */
const TICK_MS = 1_000;

/** Takes frames that nobody is sent. */
const NOBODY: StreamSink = { write: () => 0, drained: async () => undefined, end: () => undefined };

/** All open SSE connections of the gateway. */
export class EventStreams {
  readonly #deps: EventStreamsDeps;
  readonly #open = new Set<EventStream>();
  /** Answers that libraries write, with what notifies them of a shutdown. */
  readonly #counted = new Set<() => void>();
  #stopTicking: (() => void) | undefined;
  #overflows = 0;

  constructor(deps: EventStreamsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size + this.#counted.size;
  }

  /** Streams that were cut because their client did not keep up. */
  get overflows(): number {
    return this.#overflows;
  }

  /**
   * Follows a stream operation on this connection. Refusals before the first byte are thrown and answered by status;
   * `cursor_expired` is an event of the stream itself.
   */
  async follow(id: StreamId, exchange: Exchange, call: Call): Promise<void> {
    const stream = this.#add(exchange, { isResumed: call.lastEventId !== undefined });
    try {
      stream.attach(await this.#deps.gateway.subscribe(id, call, stream));
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      if (stream.hasStarted || error.code === 'cursor_expired') stream.end('failed', error);
      else {
        stream.discard();
        throw error;
      }
    }
  }

  /** Answers HEAD: what `follow` would begin with, and nothing is followed. */
  async describe(id: StreamId, exchange: Exchange, call: Call): Promise<void> {
    try {
      const subscription = await this.#deps.gateway.subscribe(id, call, NOBODY);
      subscription.close();
    } catch (thrown) {
      if (ProtocolError.from(thrown).code !== 'cursor_expired') throw thrown;
    }
    sendEmpty(exchange, 200, STREAM_HEADERS);
  }

  /** A stream of a Task whose frames a protocol server makes; one that has begun ends with the credential of its caller. */
  open(exchange: Exchange, options: ServerStreamOptions): EventStream {
    const stream = this.#add(exchange, { ...options, keepsConnection: true });
    this.#onCredentialEnd(exchange, (error) => stream.end('unauthenticated', error));
    return stream;
  }

  /** Counts an answer that a library writes as an open stream until it closes; `onDrain` ends it with the credential too. */
  count(exchange: Exchange, onDrain: () => void): void {
    this.#refuseExcess();
    exchange.isStream = true;
    this.#counted.add(onDrain);
    exchange.res.once('close', () => this.#counted.delete(onDrain));
    this.#onCredentialEnd(exchange, onDrain);
  }

  /** Counts a stream of another binding; `onDrain` ends it at a shutdown. Returns what forgets it. Throws `service_unavailable`. */
  countOther(onDrain: () => void): () => void {
    this.#refuseExcess();
    this.#counted.add(onDrain);
    return () => void this.#counted.delete(onDrain);
  }

  /** Ends every stream for a shutdown; clients resume elsewhere or later. */
  drain(): void {
    for (const stream of this.#open) stream.end('draining');
    for (const end of this.#counted) end();
  }

  /** What has not begun to answer is refused by what it asks for. */
  #onCredentialEnd(exchange: Exchange, end: (error: ProtocolError) => void): void {
    const { gateway } = this.#deps;
    exchange.onCredentialEnd(
      (...watched) => gateway.watch(...watched),
      (error) => {
        if (exchange.res.headersSent) end(error);
      },
    );
  }

  #refuseExcess(): void {
    if (this.size < this.#deps.limits.maxStreams) return;
    const message = 'The gateway has its fill of event streams. Try again later.';
    throw new ProtocolError('service_unavailable', message, { retryAfterSeconds: 5 });
  }

  #add(
    exchange: Exchange,
    options: Pick<ServerStreamOptions, 'isResumed'> &
      Partial<ServerStreamOptions & Pick<EventStreamOptions, 'keepsConnection'>>,
  ): EventStream {
    const { clock, timers, limits } = this.#deps;
    this.#refuseExcess();
    const stream = new EventStream(exchange, {
      clock,
      ...limits,
      ...options,
      onOverflow: () => {
        this.#overflows += 1;
      },
      onClose: () => this.#remove(stream),
    });
    this.#open.add(stream);
    this.#stopTicking ??= timers.every(TICK_MS, () => this.#tick());
    return stream;
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(): void {
    const now = this.#deps.clock.monotonic();
    for (const stream of this.#open) stream.tick(now);
  }
}
