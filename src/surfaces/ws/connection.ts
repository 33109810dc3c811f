import type { StreamFrame } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { AckFrame, EndFrame, HeartbeatFrame, RequestFrame } from './frames.ts';
import type { WsLimits } from './limits.ts';
import {
  type Beginning,
  type EventTexts,
  requestText,
  textFrame,
  Wire,
  type WireDeps,
  type WireOwner,
} from './wire.ts';

export interface ConnectionDeps extends WireDeps {
  limits: WsLimits & WireDeps['limits'];
  texts: EventTexts;
  newRequestId(): string;
}

/** What a connection reports to its owner. */
export type ConnectionOwner = Omit<WireOwner, 'flooded'>;

/** The server frames of the Harn WebSocket profile, on one wire. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #wire: Wire;

  constructor(deps: ConnectionDeps, beginning: Beginning, owner: ConnectionOwner) {
    this.#deps = deps;
    this.#wire = new Wire(deps, beginning, {
      take: (bytes) => owner.take(bytes),
      flooded: () => this.#refuseFlood(),
      closing: () => owner.closing(),
      closed: (code) => owner.closed(code),
    });
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  open(): void {
    this.#wire.open();
  }

  discard(): void {
    this.#wire.discard();
  }

  /** Sends one event, and what it asks; returns the unsent bytes of the socket. */
  deliver(frame: StreamFrame, name: string, replayed: boolean): number {
    if (!this.#wire.isOpen) return 0;
    const { event, request } = this.#deps.texts.of(frame, name, replayed);
    if (!this.#wire.writeEvent(event)) return 0;
    if (request !== undefined && !replayed) this.#wire.write(request);
    return this.#wire.unsentBytes;
  }

  cork(): void {
    this.#wire.cork();
  }

  uncork(): void {
    this.#wire.uncork();
  }

  drained(): Promise<void> {
    return this.#wire.drained();
  }

  sendRequest(request: RequestFrame['request'], name: string): void {
    this.#wire.writeAnswer(requestText(request, name, true));
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

  close(code: number, reason = ''): void {
    this.#wire.close(code, reason);
  }

  closeSlow(): void {
    this.#wire.closeSlow();
  }

  terminate(): void {
    this.#wire.terminate();
  }

  /** Pings, and sends cursors after silence. */
  tick(nowMs: number, cursors: () => Record<string, string>): void {
    this.#wire.tick(nowMs);
    if (this.#wire.isQuiet(nowMs)) {
      this.#sendJson({ type: 'heartbeat', cursors: cursors() } satisfies HeartbeatFrame);
    }
  }

  #refuseFlood(): void {
    const { framesPerSecond } = this.#deps.limits;
    const message = `Send at most ${framesPerSecond} frames a second. Reconnect and slow down.`;
    const error = new ProtocolError('rate_limited', message, { retryAfterSeconds: 1 });
    this.sendError(error, this.#deps.newRequestId(), null, null);
  }

  #sendJson(frame: object): void {
    this.#wire.writeAnswer(textFrame(JSON.stringify(frame)));
  }
}
