import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { StreamFrame } from '../../gateway.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Clock, Logger } from '../../protocol/ports.ts';
import type { AckFrame, EndFrame, HeartbeatFrame, RequestFrame } from '../../protocol/ws-frames.ts';
import { CLOSE } from './close-codes.ts';
import { FrameBudget } from './frame-budget.ts';
import type { WsLimits } from './limits.ts';
import { type EventTexts, requestText, textFrame } from './wire-text.ts';

export interface ConnectionDeps {
  clock: Clock;
  logger: Logger;
  limits: WsLimits & { streamBufferBytes: number; heartbeatIntervalMs: number };
  texts: EventTexts;
  newRequestId(): string;
}

/** What a connection tells its owner. */
export interface ConnectionOwner {
  /** Takes one text message. */
  take(bytes: Buffer): void;
  /** Nothing more can be sent. */
  closing(): void;
  /** The connection is over; with the code of the close frame, 1006 when there was none. */
  closed(closeCode: number): void;
}

/** How a connection begins. */
export interface Wire {
  socket: Socket;
  /** Completes the upgrade; undefined when the peer is gone or its handshake is broken. */
  accept(): WebSocket | undefined;
}

/**
 * The wire of one WebSocket: opening, liveness, flood and byte limits, closing. Finished frames go to the network socket
 * itself; nothing is dropped: a client that does not keep up loses the connection and resumes by cursor.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #socket: Socket;
  readonly #budget: FrameBudget;
  readonly #owner: ConnectionOwner;
  /** Let go of when the socket is open: it holds the request. */
  #accept: Wire['accept'] | undefined;
  #ws: WebSocket | undefined;
  #state: 'waiting' | 'open' | 'closing' | 'closed' = 'waiting';
  #lastWriteMs: number;
  #lastHeardMs: number;
  #lastPingMs: number;
  /** History readers that wait for the client to read. */
  #waiting: (() => void)[] = [];

  constructor(deps: ConnectionDeps, { socket, accept }: Wire, owner: ConnectionOwner) {
    const { clock, limits } = deps;
    const now = clock.monotonic();
    this.#deps = deps;
    this.#socket = socket;
    this.#accept = accept;
    this.#owner = owner;
    this.#budget = new FrameBudget(limits.framesPerSecond, limits.frameBurst, now);
    this.#lastWriteMs = now;
    this.#lastHeardMs = now;
    this.#lastPingMs = now;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Completes the upgrade, once; until then a refusal can still be an HTTP answer. */
  open(): void {
    if (this.#state !== 'waiting') return;
    this.#ws = this.#accept?.();
    this.#accept = undefined;
    if (this.#ws === undefined) {
      this.#over(1006);
      return;
    }
    this.#state = 'open';
    this.#listen(this.#ws);
  }

  /** Gives the network socket back for an HTTP answer. */
  discard(): void {
    this.#state = 'closed';
    this.#accept = undefined;
  }

  /** Sends one event, and what it asks; returns the unsent bytes of the socket. */
  deliver(frame: StreamFrame, name: string, replayed: boolean): number {
    if (this.#state !== 'open') return 0;
    const { event, request } = this.#deps.texts.of(frame, name, replayed);
    const unsent = this.#socket.writableLength;
    // A frame larger than the cap still passes on an empty connection; otherwise its client could never get past it.
    if (unsent > 0 && unsent + event.length > this.#deps.limits.streamBufferBytes) {
      this.closeSlow();
      return 0;
    }
    this.#write(event);
    if (request !== undefined && !replayed) this.#write(request);
    return this.#socket.writableLength;
  }

  /** Several events follow: what is written until `uncork` is one write to the network. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  /** Resolves when the unsent bytes are below half the cap, or the connection is over. */
  async drained(): Promise<void> {
    while (this.#state === 'open' && this.#socket.writableLength >= this.#deps.limits.streamBufferBytes / 2) {
      await new Promise<void>((resolve) => {
        if (this.#waiting.push(resolve) === 1) this.#socket.once('drain', () => this.#wake());
      });
    }
  }

  sendRequest(request: RequestFrame['request'], name: string): void {
    this.#send(requestText(request, name, true));
  }

  sendAck(frame: Omit<AckFrame, 'type'>): void {
    this.#sendJson({ type: 'ack', ...frame } satisfies AckFrame);
  }

  sendEnd(frame: Omit<EndFrame, 'type'>): void {
    this.#sendJson({ type: 'end', ...frame } satisfies EndFrame);
  }

  sendError(error: ProtocolError, requestId: string, id: string | null, subscription: string | null): void {
    this.#sendJson({ type: 'error', id, subscription, ...error.toBody(requestId) });
  }

  /** Starts the close handshake; what is written already still goes out. */
  close(code: number, reason = ''): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#owner.closing();
    this.#wake();
    this.#ws?.close(code, reason);
  }

  closeSlow(): void {
    this.close(CLOSE.tooSlow, 'too slow: resume by cursor');
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#ws?.terminate();
  }

  /** Pings, cuts a connection whose peer does not answer, and tells cursors after silence. */
  tick(nowMs: number, cursors: () => Record<string, string>): void {
    if (this.#state !== 'open') return;
    const { heartbeatIntervalMs } = this.#deps.limits;
    if (nowMs - this.#lastPingMs >= heartbeatIntervalMs) {
      if (this.#lastHeardMs < this.#lastPingMs) {
        this.terminate();
        return;
      }
      this.#lastPingMs = nowMs;
      this.#ws?.ping();
    }
    if (nowMs - this.#lastWriteMs < heartbeatIntervalMs || this.#socket.writableNeedDrain) return;
    this.#sendJson({ type: 'heartbeat', cursors: cursors() } satisfies HeartbeatFrame);
  }

  #listen(ws: WebSocket): void {
    const heard = () => this.#admitFrame();
    ws.on('ping', heard);
    ws.on('pong', heard);
    ws.on('message', (data, isBinary) => {
      if (!this.#admitFrame()) return;
      if (isBinary) this.close(CLOSE.binary, 'frames are JSON text');
      else this.#owner.take(data as Buffer);
    });
    ws.on('error', (error) => this.#deps.logger.debug({ err: error }, 'socket failed'));
    ws.on('close', (code) => this.#over(code));
  }

  #over(closeCode: number): void {
    this.#state = 'closed';
    this.#owner.closing();
    this.#wake();
    this.#owner.closed(closeCode);
  }

  /** Control frames count too: a flood of pings costs as much as one of messages. */
  #admitFrame(): boolean {
    if (this.#state !== 'open') return false;
    const now = this.#deps.clock.monotonic();
    this.#lastHeardMs = now;
    if (this.#budget.take(now)) return true;
    const { framesPerSecond } = this.#deps.limits;
    const message = `Send at most ${framesPerSecond} frames a second. Reconnect and slow down.`;
    const error = new ProtocolError('rate_limited', message, { retryAfterSeconds: 1 });
    this.sendError(error, this.#deps.newRequestId(), null, null);
    this.close(CLOSE.flood, 'too many frames');
    return false;
  }

  #sendJson(frame: object): void {
    this.#send(textFrame(JSON.stringify(frame)));
  }

  /** Answers count towards the byte cap: a client that asks without reading is slow too. */
  #send(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.#write(bytes);
    if (this.#socket.writableLength > this.#deps.limits.streamBufferBytes + bytes.length) this.closeSlow();
  }

  #write(bytes: Buffer): void {
    this.#lastWriteMs = this.#deps.clock.monotonic();
    this.#socket.write(bytes);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
