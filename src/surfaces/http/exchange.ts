import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AdmittedCaller, CredentialOfCall, Gateway } from '#gateway.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import type { Clock, Logger } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';
import type { Challenges } from './challenges.ts';
import type { FailedLogins, SenderProofs } from './request-checks.ts';

export interface ExchangeDeps {
  clock: Clock;
  timers: Timers;
  logger: Logger;
  /** Fresh request id, `req_<ULID>`. */
  newRequestId(): string;
  /** What a 401 asks for. */
  challenges: Challenges;
  proofs: SenderProofs;
  /** See `Gateway.enter`. */
  enter: Gateway['enter'];
  /** Called for every request that was answered with 401. */
  failedLogins: FailedLogins;
  /** True once the gateway is shutting down: answers then close their connection. */
  isDraining(): boolean;
}

const openExchanges = new WeakMap<Socket, Exchange>();

/** The newest exchange on a socket, if any; parse errors are judged by its state. */
export function exchangeOn(socket: Socket): Exchange | undefined {
  return openExchanges.get(socket);
}

/** One request and its answer: ids, the abort signal, and the log line written when the answer is closed. */
export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Path pattern of the matched route; `-` while none matched. */
  route = '-';
  /** True for event streams, whose clients leave when they like. */
  isStream = false;
  /** True when the gateway itself cut off an answer that had begun. */
  isCut = false;
  /** Flat list of headers that every answer of this exchange carries. */
  readonly headers: string[] = [];
  /** Code of the error answered, for the log. */
  errorCode: string | undefined;
  /** Why the credential was refused, for the log. */
  refusalReason: string | undefined;
  readonly deps: ExchangeDeps;
  #abort: AbortController | undefined;
  #hasLeft = false;
  readonly #startedAt: number;
  #credential: CredentialOfCall | undefined;
  #caller: AdmittedCaller | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, deps: ExchangeDeps) {
    this.req = req;
    this.res = res;
    this.deps = deps;
    this.requestId = deps.newRequestId();
    this.#startedAt = deps.clock.monotonic();
    openExchanges.set(req.socket, this);
    res.once('close', () => this.#closed());
    res.on('error', (error) =>
      deps.logger.debug({ request_id: this.requestId, err: error }, 'answer failed'),
    );
  }

  /** Aborted when the client went away before its answer was complete; made on demand, as few calls look at it. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#hasLeft) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Who the request says it is of: one object for all who ask, so that its proof is judged once. */
  get credential(): CredentialOfCall {
    this.#credential ??= {
      authorization: this.req.headers.authorization,
      proof: this.deps.proofs.of(this.req),
    };
    return this.#credential;
  }

  /** Who is calling, resolved by the first who asks. Throws what `Gateway.enter` throws. */
  caller(version: string | undefined | 'exempt'): AdmittedCaller {
    this.#caller ??= this.deps.enter(this.credential, version);
    return this.#caller;
  }

  /** Calls back when the credential of its caller ends before the answer is complete; for who calls with one of the gateway. */
  onCredentialEnd(watch: Gateway['watch'], ended: (error: ProtocolError) => void): void {
    if (this.#caller !== undefined) this.res.once('close', watch(this.#caller, ended));
  }

  /** Notes the error that is answered with, for the log. */
  answeredWith({ code, challenge }: ProtocolError): void {
    this.errorCode = code;
    this.refusalReason = challenge?.reason;
  }

  /** True when nothing more can reach the client. */
  get isGone(): boolean {
    return this.res.destroyed || this.req.socket.destroyed;
  }

  /** Logs route, status and time only: headers and bodies may hold secrets. */
  #closed(): void {
    const finished = this.res.writableFinished;
    if (this.res.statusCode === 401) this.deps.failedLogins.failed(this.req);
    this.#hasLeft = !finished;
    if (!finished) this.#abort?.abort();
    const left = !finished && !this.isStream && !this.isCut;
    const errorCode = left ? 'client_closed_request' : this.errorCode;
    this.deps.logger.info(
      {
        request_id: this.requestId,
        method: this.req.method,
        route: this.route,
        status: left ? 499 : this.res.statusCode,
        duration_ms: Math.round((this.deps.clock.monotonic() - this.#startedAt) * 1000) / 1000,
        ...(errorCode === undefined ? {} : { error_code: errorCode }),
        ...(this.refusalReason === undefined ? {} : { reason: this.refusalReason }),
      },
      'request',
    );
  }
}
