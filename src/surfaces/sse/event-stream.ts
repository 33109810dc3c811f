import type { Writable } from 'node:stream';
import type { StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';
import { writeHead } from '#surfaces/http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';

export interface EventStreamOptions {
  clock: Clock;
  /** Unsent bytes above which the connection is closed. */
  streamBufferBytes: number;
  heartbeatIntervalMs: number;
  /** True when the client sent Last-Event-ID. */
  isResumed: boolean;
  /** For a stream that is soon over: its connection takes the next request. Default: it ends with the stream. */
  keepsConnection?: boolean;
  /** Headers of the answer besides the usual ones: names and values in turn. */
  headers?: readonly string[];
  /** The frame for the error of a stream that has begun. Default: an `error` event with the envelope. */
  failureFrame?(error: ProtocolError): Buffer | string;
  /** Called before `onClose` where the client did not keep up. */
  onOverflow(): void;
  onClose(): void;
}

/** Time for an ended stream to reach its client before the connection is cut. */
const LAST_BYTES_MS = 10_000;
/** Wait of a client after a shutdown, in milliseconds. */
const RETRY_AFTER_DRAIN_MS = 1_000;

export const STREAM_HEADERS = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-store, no-transform',
  'X-Accel-Buffering',
  'no',
];

/**
 * One SSE connection. Frames are written as they are; nothing is dropped: a client that does not keep up loses the
 * connection and resumes by Last-Event-ID. See src/surfaces/README.md, Streams.
 */
export class EventStream implements StreamSink {
  readonly #exchange: Exchange;
  readonly #options: EventStreamOptions;
  #subscription: Subscription | undefined;
  #state: 'waiting' | 'open' | 'ended' | 'closed' = 'waiting';
  #onEnd: () => void = () => undefined;
  /** Comments are allowed: an event went out, or the client resumes. */
  #mayComment: boolean;
  #lastWriteMs: number;
  #corked: Writable | undefined;
  /** Lets history reading go on when the connection closes instead of draining. */
  #wake: (() => void) | undefined;

  constructor(exchange: Exchange, options: EventStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#mayComment = options.isResumed;
    this.#lastWriteMs = options.clock.monotonic();
    exchange.isStream = true;
    exchange.res.once('close', () => this.#closed());
  }

  /** True once the head is sent; from then on errors are sent in the stream. */
  get hasStarted(): boolean {
    return this.#exchange.res.headersSent;
  }

  /** Takes the running subscription and opens the stream when no frame has yet. */
  attach(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#state === 'waiting') this.#open();
    if (this.#state !== 'open') subscription.close();
  }

  /** Called once, when nothing more can be sent. */
  onClose(run: () => void): void {
    if (this.#state === 'ended' || this.#state === 'closed') run();
    else this.#onEnd = run;
  }

  /** Gives the connection back for an ordinary error answer. */
  discard(): void {
    this.#exchange.isStream = false;
    this.#state = 'closed';
    this.#options.onClose();
  }

  write(frame: Pick<StreamFrame, 'sse'>): number {
    if (this.#state === 'waiting') this.#open();
    if (this.#state !== 'open') return 0;
    const { res } = this.#exchange;
    // What is only held back says nothing about the client.
    if (
      this.#corked !== undefined &&
      res.writableLength + frame.sse.length > this.#options.streamBufferBytes
    ) {
      this.uncork();
      this.cork();
    }
    const unsent = res.writableLength;
    // A frame larger than the cap still passes on an empty connection; otherwise its client could never get past it.
    if (unsent > 0 && unsent + frame.sse.length > this.#options.streamBufferBytes) {
      this.end('overflow');
      return 0;
    }
    this.#mayComment = true;
    this.#send(frame.sse);
    return res.writableLength;
  }

  cork(): void {
    this.#corked = this.#socket;
    this.#corked.cork();
  }

  /** Of what was corked: the response lets go of its socket when it ends. */
  uncork(): void {
    this.#corked?.uncork();
    this.#corked = undefined;
  }

  async drained(): Promise<void> {
    const { res } = this.#exchange;
    while (this.#state === 'open' && this.#needsDrain) {
      if (res.writableLength < this.#options.streamBufferBytes / 2) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#socket.once('drain', resolve);
      });
    }
  }

  end(reason: StreamEnd, error?: ProtocolError): void {
    if (this.#state === 'ended' || this.#state === 'closed') return;
    if (this.#state === 'waiting') this.#open();
    if (error !== undefined) this.#sendError(error);
    if (reason === 'draining' && this.#mayComment) this.#send(`retry: ${RETRY_AFTER_DRAIN_MS}\n\n`);
    this.#state = 'ended';
    this.#subscription?.close();
    this.#onEnd();
    if (reason === 'overflow') {
      this.#options.onOverflow();
      this.#exchange.res.destroy();
    } else if (reason === 'draining') this.#exchange.res.end(() => this.#exchange.req.socket.end());
    else this.#exchange.res.end();
  }

  /** Sends a heartbeat after silence, and cuts a connection that does not take its last bytes. */
  tick(nowMs: number): void {
    const quietMs = nowMs - this.#lastWriteMs;
    if (this.#state === 'ended' && quietMs >= LAST_BYTES_MS) this.#exchange.res.destroy();
    if (this.#state !== 'open' || quietMs < this.#options.heartbeatIntervalMs) return;
    if (!this.#mayComment || this.#needsDrain) return;
    const cursor = this.#subscription?.cursor() ?? '';
    this.#send(cursor === '' ? ': heartbeat\n\n' : `: heartbeat\n\nid: ${cursor}\n\n`);
  }

  /**
   * The end of the connection ends the stream: chunked framing would add bytes and work to every frame. Where a protocol streams
   * one Task, a new connection would cost more than that. A resuming client gets a comment at once, so that it knows the
   * stream is up.
   */
  #open(): void {
    this.#state = 'open';
    const { res, req } = this.#exchange;
    if (this.#exchange.isGone) return;
    if (!this.#options.keepsConnection) {
      res.useChunkedEncodingByDefault = false;
      res.shouldKeepAlive = false;
    }
    req.socket.setNoDelay(true);
    writeHead(this.#exchange, 200, [...STREAM_HEADERS, ...(this.#options.headers ?? [])]);
    res.flushHeaders();
    if (this.#options.isResumed) this.#send(': resumed\n\n');
  }

  /** The data of an `error` frame is the error envelope. */
  #sendError(error: ProtocolError): void {
    this.#exchange.errorCode = error.code;
    const { failureFrame } = this.#options;
    const body = () => JSON.stringify(error.toBody(this.#exchange.requestId));
    this.#send(failureFrame === undefined ? `event: error\ndata: ${body()}\n\n` : failureFrame(error));
  }

  /**
   * Writes to the socket itself: the response would cork and uncork it for every frame, which costs more than the frame.
   * Without a socket the response still waits for an earlier one on the connection, and keeps the bytes until its turn.
   */
  #send(bytes: Buffer | string): void {
    this.#lastWriteMs = this.#options.clock.monotonic();
    const { res } = this.#exchange;
    if (res.socket === null) res.write(bytes);
    else res.socket.write(res.chunkedEncoding ? chunkOf(bytes) : bytes);
  }

  get #socket(): Writable {
    const { res } = this.#exchange;
    return res.socket ?? res;
  }

  get #needsDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.#state !== 'ended';
    this.#state = 'closed';
    this.#subscription?.close();
    if (wasOpen) this.#onEnd();
    this.#wake?.();
    this.#options.onClose();
  }
}

/** A chunk as HTTP/1.1 frames it. Spec: RFC 9112, section 7.1. */
function chunkOf(bytes: Buffer | string): Buffer {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, CHUNK_END]);
}

const CHUNK_END = Buffer.from('\r\n');
