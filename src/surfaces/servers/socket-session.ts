import type { IncomingHttpHeaders } from 'node:http';
import type { AdmittedCaller, Call, CallHead, Metering } from '#gateway.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { ServerCall, ServerConnection, ServerConnectionOwner, ServerSocket } from '#protocol-server.ts';
import { textFrame } from '#surfaces/ws/wire.ts';
import { CLOSE } from '../ws/close-codes.ts';
import { type Beginning, Wire, type WireDeps, type WireOwner } from '../ws/wire.ts';

/** What the upgrade request said. */
export interface UpgradeFacts {
  head: CallHead;
  headers: IncomingHttpHeaders;
}

/** One WebSocket of a protocol server: the wire is ours, the words are those of the protocol. */
export class ServerSocketSession implements ServerConnection, WireOwner {
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly #head: CallHead;
  readonly #metering: Metering;
  readonly #wire: Wire;
  readonly #onClose: (closeCode: number) => void;
  readonly #abort = new AbortController();
  #owner: ServerConnectionOwner | undefined;
  #large: Promise<void> = Promise.resolve();

  constructor(
    deps: WireDeps & { metering: Metering },
    { head, headers }: UpgradeFacts,
    beginning: Beginning,
    onClose: (closeCode: number) => void,
  ) {
    this.#head = head;
    this.#metering = deps.metering;
    this.headers = headers;
    this.requestId = head.requestId;
    this.#onClose = onClose;
    this.#wire = new Wire(deps, beginning, this);
  }

  /** Completes the upgrade and hands the connection to the protocol server. */
  open(socket: ServerSocket): void {
    this.#wire.open();
    if (this.#wire.isOpen) this.#owner = socket.open(this);
  }

  get caller(): AdmittedCaller {
    return this.#head.caller;
  }

  get subprotocol(): string {
    return this.#wire.subprotocol;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  call(given: ServerCall = {}): Call {
    return { ...this.#head, body: undefined, ...given, signal: this.signal, connectionId: this.requestId };
  }

  count(): void {
    const { refused } = this.#metering.meter?.take(this.caller) ?? {};
    if (refused !== undefined) throw refused;
  }

  send(text: string): number {
    this.#wire.writeEvent(textFrame(text));
    return this.#wire.backlogBytes;
  }

  sendLarge(text: string): Promise<void> {
    this.#large = this.#large.then(async () => {
      await this.#wire.drained();
      this.#wire.writeLarge(textFrame(text));
    });
    return this.#large;
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

  close(code: number, reason = ''): void {
    this.#wire.close(code, reason);
  }

  terminate(): void {
    this.#wire.terminate();
  }

  tick(nowMs: number): void {
    this.#wire.tick(nowMs);
  }

  credentialEnded({ code }: ProtocolError): void {
    this.close(CLOSE.unauthenticated, code);
  }

  drain(): void {
    this.#owner?.drain();
  }

  take(bytes: Buffer): Promise<void> | undefined {
    return this.#owner?.message(bytes.toString('utf8')) ?? undefined;
  }

  /** The close code says it all: what an error looks like is a matter of the protocol. */
  flooded(): void {}

  closing(): void {
    this.#abort.abort();
  }

  closed(closeCode: number): void {
    this.#owner?.closed(closeCode);
    this.#onClose(closeCode);
  }
}
