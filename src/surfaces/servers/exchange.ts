import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AdmittedCaller, Call } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { ServerCall, ServerExchange, ServerStream, ServerStreamOptions } from '#protocol-server.ts';
import {
  errorHeaders,
  logFailure,
  parseBody,
  readRaw,
  send,
  sendEmpty,
  setSafety,
} from '#surfaces/http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpLimits } from '../http/limits.ts';
import { decodeQuery, type Query } from '../rest/decode-call.ts';
import type { EventStreams } from '../sse/event-streams.ts';

export interface ServerExchangeDeps {
  limits: HttpLimits;
  streams: EventStreams;
  json: Pick<JsonReader, 'read'>;
}

const ANY: ReadonlySet<string> = new Set();

/** An exchange as a protocol server may use it. */
export class ServerHttpExchange implements ServerExchange {
  readonly #exchange: Exchange;
  readonly #deps: ServerExchangeDeps;
  #query: Query | undefined;
  #traceparent: string | undefined;

  constructor(exchange: Exchange, deps: ServerExchangeDeps) {
    this.#exchange = exchange;
    this.#deps = deps;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get headers(): IncomingHttpHeaders {
    return this.#exchange.req.headers;
  }

  get query(): Query {
    this.#query ??= decodeQuery(this.#exchange.req.url ?? '', ANY);
    return this.#query;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  caller(): AdmittedCaller {
    return this.#exchange.caller('exempt');
  }

  tracedBy(traceparent: string): void {
    this.#traceparent = traceparent;
  }

  call(given: ServerCall = {}): Call {
    const { headers } = this;
    const signal = () => this.signal;
    const call: Call = {
      requestId: this.requestId,
      caller: this.caller(),
      path: {},
      query: {},
      body: undefined,
      idempotencyKey: single(headers['idempotency-key']),
      lastEventId: single(headers['last-event-id']),
      traceparent: this.#traceparent ?? single(headers['traceparent']),
      request: this.#exchange.trace,
      // Made on demand: few calls look at it.
      get signal() {
        return signal();
      },
    };
    return Object.assign(call, given);
  }

  async readBody(maxBytes: number = this.#deps.limits.maxBodyBytes): Promise<Buffer> {
    return (await readRaw(this.#exchange, maxBytes)).bytes;
  }

  async parseJson(bytes: Buffer): Promise<JsonValue> {
    const { limits, json } = this.#deps;
    return await parseBody(this.#exchange, bytes, limits, json);
  }

  send(status: number, contentType: string, body: string | Buffer, headers: readonly string[] = []): void {
    send(this.#exchange, status, contentType, body, headers);
  }

  sendEmpty(status: number, headers: readonly string[] = []): void {
    sendEmpty(this.#exchange, status, headers);
  }

  failed(error: ProtocolError): void {
    this.#exchange.answeredWith(error);
    if (error.status >= 500) logFailure(this.#exchange, error);
  }

  errorHeaders(error: ProtocolError): readonly string[] {
    return errorHeaders(error, this.#exchange.deps.challenges);
  }

  openStream(options: ServerStreamOptions): ServerStream {
    return this.#deps.streams.open(this.#exchange, options);
  }

  takeOver(onDrain: () => void): { req: IncomingMessage; res: ServerResponse } {
    const { req, res } = this.#exchange;
    this.#deps.streams.count(this.#exchange, onDrain);
    setSafety(this.#exchange);
    this.#exchange.released();
    return { req, res };
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
