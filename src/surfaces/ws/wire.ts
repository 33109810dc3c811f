import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { StreamFrame } from '#gateway.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import { CLOSE } from './close-codes.ts';
import type { RequestFrame } from './frames.ts';
import type { WsLimits } from './limits.ts';
import { questionOf } from './questions.ts';

const TEXT_FINAL = 0x81;

/**
 * A finished, unmasked WebSocket text frame (RFC 6455, 5.2). Made here and not by `ws`, so that one Buffer serves every
 * socket and costs each of them one write.
 */
export function textFrame(...parts: readonly (Buffer | string)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const length = bytes.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([head(length), ...bytes]);
}

function head(length: number): Buffer {
  if (length < 126) return Buffer.from([TEXT_FINAL, length]);
  if (length < 65_536) return Buffer.from([TEXT_FINAL, 126, length >> 8, length & 0xff]);
  const long = Buffer.alloc(10);
  long[0] = TEXT_FINAL;
  long[1] = 127;
  long.writeBigUInt64BE(BigInt(length), 2);
  return long;
}

/** The wire text of one event for one subscription name. */
interface EventText {
  event: Buffer;
  /** The request frame, when the event asks the client for something. */
  request: Buffer | undefined;
}

/** A text and what it was built for. */
interface KnownText {
  name: string;
  replayed: boolean;
  text: EventText;
}

/**
 * Wire texts, each built once for all sockets that follow the same stream. Live delivery goes through the subscribers of
 * one stream before those of the next, so remembering the newest text of an event is enough.
 */
export class EventTexts {
  readonly #known = new WeakMap<StreamFrame, KnownText>();

  of(frame: StreamFrame, name: string, replayed: boolean): EventText {
    const known = this.#known.get(frame);
    if (known !== undefined && known.name === name && known.replayed === replayed) return known.text;
    const text = eventText(frame, name, replayed);
    this.#known.set(frame, { name, replayed, text });
    return text;
  }
}

function eventText(frame: StreamFrame, name: string, replayed: boolean): EventText {
  const subscription = JSON.stringify(name);
  const start = `{"type":"event","subscription":${subscription},"replayed":${replayed},"event":`;
  const question = questionOf(frame);
  return {
    event: textFrame(start, frame.bytes, '}'),
    request: question === undefined ? undefined : requestText(question, name, replayed),
  };
}

export function requestText(request: RequestFrame['request'], name: string, replayed: boolean): Buffer {
  const frame: RequestFrame = { type: 'request', subscription: name, replayed, request };
  return textFrame(JSON.stringify(frame));
}

export interface WireDeps {
  clock: Clock;
  logger: Logger;
  limits: Pick<WsLimits, 'framesPerSecond' | 'frameBurst'> & {
    streamBufferBytes: number;
    heartbeatIntervalMs: number;
  };
  /** Called for each connection that is cut because its peer does not keep up. */
  onOverflow(): void;
}

/** What a wire reports to its owner. */
export interface WireOwner {
  /** Takes one text message, at once or in a while; the next one comes when it is taken. Never rejects. */
  take(bytes: Buffer): Promise<void> | undefined;
  /** Too many frames came; the connection closes after the owner's last words. */
  flooded(): void;
  /** Nothing more can be sent. */
  closing(): void;
  /** The connection is over; with the code of the close frame, 1006 when there was none. */
  closed(closeCode: number): void;
}

/** How a connection begins. */
export interface Beginning {
  socket: Socket;
  /** Completes the upgrade; undefined when the peer is gone or its handshake is broken. */
  accept(): WebSocket | undefined;
}

/**
 * One WebSocket of any protocol: opening, liveness, flood and byte limits, closing. Finished frames go to the network socket
 * itself; nothing is dropped: a client that does not keep up loses the connection.
 */
export class Wire {
  readonly #deps: WireDeps;
  readonly #socket: Socket;
  readonly #budget: FrameBudget;
  readonly #owner: WireOwner;
  /** Let go of when the socket is open: it holds the request. */
  #accept: Beginning['accept'] | undefined;
  #ws: WebSocket | undefined;
  #state: 'waiting' | 'open' | 'closing' | 'closed' = 'waiting';
  #lastWriteMs: number;
  #lastHeardMs: number;
  #lastPingMs: number;
  /** Those who wait for the client to read. */
  /** Of the unsent bytes, those of large messages; more than them when some have left. */
  #largeBytes = 0;
  #waiting: (() => void)[] = [];
  /** What came behind a message that is still being taken, in order; undefined while none is. */
  #behind: (() => Promise<void> | undefined)[] | undefined;

  constructor(deps: WireDeps, { socket, accept }: Beginning, owner: WireOwner) {
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

  /** Bytes accepted but not handed to the network. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Those by which a client may be too slow: a large message on its way says nothing of that. */
  get backlogBytes(): number {
    if (this.unsentBytes === 0) this.#largeBytes = 0;
    return Math.max(0, this.unsentBytes - this.#largeBytes);
  }

  /** The subprotocol both sides agreed on; empty when there is none. */
  get subprotocol(): string {
    return this.#ws?.protocol ?? '';
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

  /** Several frames follow: what is written until `uncork` is one write to the network. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  /** Resolves when the unsent bytes are below half the cap, or the connection is over. */
  async drained(): Promise<void> {
    while (this.#state === 'open' && this.unsentBytes >= this.#deps.limits.streamBufferBytes / 2) {
      await new Promise<void>((resolve) => {
        if (this.#waiting.push(resolve) === 1) this.#socket.once('drain', () => this.#wake());
      });
    }
  }

  /**
   * Writes an event. A frame larger than the cap still passes on an empty connection; otherwise its client could never get
   * past it. False when the client was too slow and is closed.
   */
  writeEvent(bytes: Buffer): boolean {
    if (this.#state !== 'open') return false;
    const { backlogBytes } = this;
    if (backlogBytes > 0 && backlogBytes + bytes.length > this.#deps.limits.streamBufferBytes) {
      this.closeSlow();
      return false;
    }
    this.write(bytes);
    return true;
  }

  /** Writes an answer; these count towards the cap too: a client that asks without reading is slow as well. */
  writeAnswer(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.write(bytes);
    if (this.backlogBytes > this.#deps.limits.streamBufferBytes + bytes.length) this.closeSlow();
  }

  /** Writes a message of any size; await `drained` before, so that one at a time is on its way. */
  writeLarge(bytes: Buffer): void {
    this.#largeBytes = Math.min(this.#largeBytes, this.unsentBytes) + bytes.length;
    this.write(bytes);
  }

  /** Writes a finished frame, whatever waits already. */
  write(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.#lastWriteMs = this.#deps.clock.monotonic();
    this.#socket.write(bytes);
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
    if (this.#state === 'open') this.#deps.onOverflow();
    this.close(CLOSE.tooSlow, 'too slow: resume by cursor');
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#ws?.terminate();
  }

  /** Pings, and cuts a connection whose peer does not answer. */
  tick(nowMs: number): void {
    if (this.#state !== 'open') return;
    if (nowMs - this.#lastPingMs < this.#deps.limits.heartbeatIntervalMs) return;
    // Nothing is heard of a peer while one of its messages is taken.
    if (this.#behind !== undefined) return;
    if (this.#lastHeardMs < this.#lastPingMs) {
      this.terminate();
      return;
    }
    this.#lastPingMs = nowMs;
    this.#ws?.ping();
  }

  /** True when nothing was sent for the heartbeat interval and the client reads. */
  isQuiet(nowMs: number): boolean {
    if (this.#state !== 'open' || this.#socket.writableNeedDrain) return false;
    return nowMs - this.#lastWriteMs >= this.#deps.limits.heartbeatIntervalMs;
  }

  #listen(ws: WebSocket): void {
    const heard = () => this.#admitFrame();
    ws.on('ping', heard);
    ws.on('pong', heard);
    ws.on('message', (data, isBinary) => {
      if (!this.#admitFrame()) return;
      if (isBinary) this.close(CLOSE.binary, 'frames are JSON text');
      else this.#inOrder(ws, () => this.#owner.take(data as Buffer));
    });
    ws.on('error', (error) => this.#deps.logger.debug({ err: error }, 'socket failed'));
    ws.on('close', (code) => this.#inOrder(ws, () => this.#over(code)));
  }

  /** One after the other; nothing more is read from the network while one takes its time. */
  #inOrder(ws: WebSocket, step: () => Promise<void> | undefined): void {
    if (this.#behind !== undefined) {
      this.#behind.push(step);
      return;
    }
    const taken = step();
    if (taken === undefined) return;
    this.#behind = [];
    ws.pause();
    void taken.then(() => this.#goOn(ws));
  }

  #goOn(ws: WebSocket): void {
    const steps = this.#behind ?? [];
    this.#behind = undefined;
    for (const step of steps) this.#inOrder(ws, step);
    if (this.#behind === undefined) ws.resume();
  }

  #over(closeCode: number): undefined {
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
    this.#owner.flooded();
    this.close(CLOSE.flood, 'too many frames');
    return false;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A token bucket: `burst` frames at once, `perSecond` in the long run. */
class FrameBudget {
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #filledMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#filledMs = nowMs;
  }

  /** Takes one; false when none is left. */
  take(nowMs: number): boolean {
    const earned = ((nowMs - this.#filledMs) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#burst, this.#left + earned);
    this.#filledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
