import type { JsonObject, JsonValue } from '#protocol/json.ts';
import {
  methodNotFound,
  RPC_ERRORS,
  type RpcAnswer,
  RpcError,
  type RpcId,
  type RpcMessage,
  readRefused,
  readRpc,
} from './json-rpc.ts';

/** What a peer does with what it is sent. Called in the order of arrival, before the next message is read. */
export interface PeerHandlers {
  /**
   * Answers a request. Resolves with the result, rejects with an RpcError; anything else is an internal error whose reason
   * stays here. `signal` aborts when the other side takes its request back; an answer is owed all the same.
   */
  request(method: string, params: JsonObject, context: RequestContext): Promise<JsonValue> | undefined;
  notification(method: string, params: JsonObject): void;
  /** A handler threw what is no RpcError. */
  failed(error: unknown, method: string): void;
}

export interface PeerOptions {
  /** The notification that takes a request back; its `requestId` names the request. ACP: `$/cancel_request`, MCP: `notifications/cancelled`. */
  cancelMethod: '$/cancel_request' | 'notifications/cancelled';
  send(message: JsonObject): void;
  handlers: PeerHandlers;
}

/** Who waits for an answer: it is called before the next message is read. */
export interface Waiting {
  resolve(answer: RpcAnswer): void;
  reject(why: unknown): void;
}

export interface RequestContext {
  id: RpcId;
  signal: AbortSignal;
}

const TAKEN_BACK = 'taken back';
/** Requests that one side may have open: an editor has one per session and a few besides. */
const MAX_OPEN_REQUESTS = 1_000;

function tooMany(): RpcError {
  const message = `More than ${MAX_OPEN_REQUESTS} requests are open. Wait for answers.`;
  const harn = { code: 'rate_limited', type: 'rate_limit_error' };
  return new RpcError(RPC_ERRORS.internal_error, message, { harn });
}

/**
 * One side of a JSON-RPC connection, of ACP or of MCP: ids, answers in order, requests that are taken back, and a bound on open
 * ones. Why those of the SDKs are not used: bridges/acp/README.md and bridges/mcp/README.md, "Decided about the SDK".
 */
export class Peer {
  readonly #send: (message: JsonObject) => void;
  readonly #handlers: PeerHandlers;
  readonly #cancelMethod: PeerOptions['cancelMethod'];
  readonly #asked = new Map<string, Waiting>();
  readonly #asking = new Map<RpcId, AbortController>();
  #nextId = 0;
  #closed: unknown;

  constructor({ send, handlers, cancelMethod }: PeerOptions) {
    this.#send = (message) => send({ jsonrpc: '2.0', ...message });
    this.#handlers = handlers;
    this.#cancelMethod = cancelMethod;
  }

  /** Takes one message as it came. */
  receive(value: JsonValue): void {
    const message = readRpc(value);
    if (message.kind === 'request') this.#answer(message);
    else if (message.kind === 'response') this.#settle(message);
    else if (message.kind === 'notification') this.#note(message.method, message.params);
    else this.refuse(message.id, new RpcError(RPC_ERRORS.invalid_request, message.reason));
  }

  /**
   * Takes a text that was refused, for example for a number that cannot be kept: nobody waits for ever for what it asked or
   * answered. False when it did neither.
   */
  receiveRefused(text: string, why: string): boolean {
    const message = readRefused(text);
    const code = RPC_ERRORS.invalid_params;
    if (message.kind === 'request') this.refuse(message.id, new RpcError(code, why));
    else if (message.kind === 'response')
      this.#settle({ ...message, answer: { error: { code, message: why } } });
    return message.kind === 'request' || message.kind === 'response';
  }

  refuse(id: RpcId, { fault }: RpcError): void {
    this.#send({ id, error: { ...fault } });
  }

  /**
   * Asks the other side. Resolves with the whole answer, an error included; rejects with the reason of `close`, or of the
   * signal: then the other side is notified that nobody waits any more.
   */
  ask(
    method: string,
    params: JsonObject,
    signal?: AbortSignal,
    heard?: (answer: RpcAnswer) => void,
  ): Promise<RpcAnswer> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<RpcAnswer>((resolve, reject) => {
      const giveUp = () => {
        if (!this.#asked.delete(String(id))) return;
        this.notify(this.#cancelMethod, { requestId: id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const id = this.request(method, params, {
        resolve: (given) => {
          signal?.removeEventListener('abort', giveUp);
          heard?.(given);
          resolve(given);
        },
        reject: (why) => {
          signal?.removeEventListener('abort', giveUp);
          reject(why);
        },
      });
    });
  }

  /** Asks for somebody who has to know the answer before anything that follows it. */
  request(method: string, params: JsonObject, waiting: Waiting): RpcId {
    const id = this.#nextId;
    this.#nextId += 1;
    if (this.#closed !== undefined) {
      waiting.reject(this.#closed);
      return id;
    }
    this.#asked.set(String(id), waiting);
    this.#send({ id, method, params });
    return id;
  }

  notify(method: string, params: JsonObject): void {
    if (this.#closed === undefined) this.#send({ method, params });
  }

  /** The connection is over: everything that waits is rejected with the reason. */
  close(why: unknown): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    for (const { reject } of this.#asked.values()) reject(why);
    this.#asked.clear();
    for (const controller of this.#asking.values()) controller.abort(why);
    this.#asking.clear();
  }

  /** Ids are compared as text, because some peers give a number back as a string. */
  #settle({ id, answer: given }: Extract<RpcMessage, { kind: 'response' }>): void {
    const waiting = this.#asked.get(String(id));
    this.#asked.delete(String(id));
    waiting?.resolve(given);
  }

  #note(method: string, params: JsonObject): void {
    if (method === this.#cancelMethod) {
      const id = params['requestId'];
      if (typeof id === 'string' || typeof id === 'number') this.#asking.get(id)?.abort(TAKEN_BACK);
      return;
    }
    this.#handlers.notification(method, params);
  }

  #answer({ id, method, params }: Extract<RpcMessage, { kind: 'request' }>): void {
    if (this.#asking.has(id)) {
      this.refuse(
        id,
        new RpcError(RPC_ERRORS.invalid_request, 'A request with this id is open. Use a new id.'),
      );
      return;
    }
    if (this.#asking.size >= MAX_OPEN_REQUESTS) {
      this.refuse(id, tooMany());
      return;
    }
    const controller = new AbortController();
    const handled = this.#handlers.request(method, params, { id, signal: controller.signal });
    if (handled === undefined) {
      this.refuse(id, methodNotFound(method));
      return;
    }
    this.#asking.set(id, controller);
    handled
      .then((result): RpcAnswer => ({ result }))
      .catch((error: unknown): RpcAnswer => ({ error: this.#faultOf(error, method) }))
      .then((given) => {
        this.#asking.delete(id);
        if (this.#closed === undefined) this.#send({ id, ...given } as JsonObject);
      })
      .catch((error: unknown) => this.#handlers.failed(error, method));
  }

  #faultOf(error: unknown, method: string) {
    if (error instanceof RpcError) return error.fault;
    this.#handlers.failed(error, method);
    return new RpcError(RPC_ERRORS.internal_error, 'The gateway failed unexpectedly. Retry.').fault;
  }
}
