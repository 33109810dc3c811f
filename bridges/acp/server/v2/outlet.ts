import type { IncomingHttpHeaders } from 'node:http';
import type { FaceCall, FaceConnection } from '#face.ts';
import type { AdmittedCaller, Call } from '#gateway.ts';

/** A connection whose messages are sent by somebody else. */
export class Outlet implements FaceConnection {
  readonly #connection: FaceConnection;
  readonly #send: (text: string) => number;
  readonly #sendLarge: (text: string) => Promise<void>;

  constructor(
    connection: FaceConnection,
    send: (text: string) => number,
    sendLarge: (text: string) => Promise<void>,
  ) {
    this.#connection = connection;
    this.#send = send;
    this.#sendLarge = sendLarge;
  }

  get requestId(): string {
    return this.#connection.requestId;
  }

  get headers(): IncomingHttpHeaders {
    return this.#connection.headers;
  }

  get subprotocol(): string {
    return this.#connection.subprotocol;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  get caller(): AdmittedCaller {
    return this.#connection.caller;
  }

  call(given?: FaceCall): Call {
    return this.#connection.call(given);
  }

  send(text: string): number {
    return this.#send(text);
  }

  sendLarge(text: string): Promise<void> {
    return this.#sendLarge(text);
  }

  cork(): void {
    this.#connection.cork();
  }

  uncork(): void {
    this.#connection.uncork();
  }

  drained(): Promise<void> {
    return this.#connection.drained();
  }

  close(code: number, reason?: string): void {
    this.#connection.close(code, reason);
  }
}
