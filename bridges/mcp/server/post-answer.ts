import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ServerExchange, ServerStream, ServerTimers } from '#protocol-server.ts';

/** A call that takes longer is answered by a stream, so that its client has a place to resume from. */
const PATIENCE_MS = 1_000;

export interface PostAnswerOptions {
  exchange: ServerExchange;
  /** Requests of the POST, by id. */
  open: Iterable<RequestId>;
  isBatch: boolean;
  headers: readonly string[];
  /** Whether the client reads an event without a message, that only gives it a place to resume from. */
  isPrimed: boolean;
  timers: ServerTimers;
}

/** The answer to one POST: JSON when nothing is said before the result, else server-sent events. */
export class PostAnswer {
  readonly #options: PostAnswerOptions;
  readonly #open: Set<RequestId>;
  readonly #said: JSONRPCMessage[] = [];
  #stream: ServerStream | undefined;
  #place = '';
  #stopWaiting: () => void = () => undefined;

  constructor(options: PostAnswerOptions) {
    this.#options = options;
    this.#open = new Set(options.open);
  }

  get isOver(): boolean {
    return this.#open.size === 0;
  }

  /** From here on the answer can be resumed, by this id. */
  resumable(place: string): void {
    this.#place = place;
    if (this.#stream === undefined && !this.isOver)
      this.#stopWaiting = this.#options.timers.after(PATIENCE_MS, () => this.#openStream());
  }

  /** Says something before the result; `place` is where a client that has read it resumes. */
  send(message: JSONRPCMessage, place = this.#place): void {
    this.#place = place;
    this.#write(message, this.#openStream());
  }

  respond(id: RequestId, message: JSONRPCMessage): void {
    if (!this.#open.delete(id)) return;
    if (this.#stream !== undefined) this.#write(message, this.#stream);
    else this.#said.push(message);
    if (this.isOver) this.#end();
  }

  /** Ends the answer without a result, because the gateway stops: the client resumes where it was. */
  leave(): void {
    if (this.isOver) return;
    const stream = this.#openStream();
    this.#open.clear();
    this.#stopWaiting();
    stream.end('draining');
  }

  #end(): void {
    this.#stopWaiting();
    const { exchange, isBatch, headers } = this.#options;
    const body = () => JSON.stringify(isBatch ? this.#said : this.#said[0]);
    if (this.#stream === undefined) exchange.send(200, 'application/json', body(), headers);
    else this.#stream.end('complete');
  }

  #openStream(): ServerStream {
    if (this.#stream !== undefined) return this.#stream;
    this.#stopWaiting();
    const { exchange, headers, isPrimed } = this.#options;
    const stream = exchange.openStream({ isResumed: false, headers, failureFrame: () => '' });
    this.#stream = stream;
    if (isPrimed && this.#place !== '') stream.write({ sse: Buffer.from(`id: ${this.#place}\ndata: \n\n`) });
    for (const message of this.#said.splice(0)) this.#write(message, stream);
    return stream;
  }

  #write(message: JSONRPCMessage, stream: ServerStream): void {
    stream.write({ sse: messageFrame(message, this.#place) });
  }
}

/** A message as a server-sent event; without a place it cannot be resumed after. */
export function messageFrame(message: object, place: string): Buffer {
  const id = place === '' ? '' : `id: ${place}\n`;
  return Buffer.from(`event: message\n${id}data: ${JSON.stringify(message)}\n\n`);
}
