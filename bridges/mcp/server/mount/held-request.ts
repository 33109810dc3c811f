import type { FaceDeps } from '#face.ts';
import type { JsonObject } from '#protocol/json.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { FIXED_LIMITS } from '../../client/config.ts';
import type { ServerPeer } from '../../client/connection.ts';
import { RpcError } from '../../client/faults.ts';
import { SESSION_ID_BYTES } from '../session-table.ts';

interface Question {
  request: JsonObject;
  resolve(answer: JsonObject): void;
}

type Outcome = { result: JsonObject } | { error: unknown };

/**
 * A request of a client without a session that runs on a server with one. What the server asks meanwhile is told in a
 * result, and answered by the next request of the client; the request of the server waits for it.
 */
export class HeldRequest implements ServerPeer {
  readonly #questions = new Map<string, Question>();
  readonly #stopper = new AbortController();
  #numbered = 0;
  #outcome: Outcome | undefined;
  #wake: () => void = () => undefined;
  /** Told what the server says while a request of the client is open. */
  listener: (method: string, params: JsonObject) => void = () => undefined;

  /** Aborted when the client gave the request up, or does not come back. */
  get signal(): AbortSignal {
    return this.#stopper.signal;
  }

  follow(request: Promise<JsonObject>): void {
    const end = (outcome: Outcome) => {
      this.#outcome = outcome;
      this.#wake();
    };
    request.then(
      (result) => end({ result }),
      (error: unknown) => end({ error }),
    );
  }

  asked(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    this.#numbered += 1;
    if (this.#numbered > FIXED_LIMITS.questionsPerCall || this.signal.aborted)
      return Promise.reject(new RpcError(MCP_ERRORS.invalid_request, 'The client is not asked any more.'));
    const key = `question_${this.#numbered}`;
    signal.addEventListener('abort', () => this.#questions.delete(key), { once: true });
    return new Promise((resolve) => {
      this.#questions.set(key, { request: { method, params: shared(params) }, resolve });
      this.#wake();
    });
  }

  told(method: string, params: JsonObject): void {
    this.listener(method, params);
  }

  /** Answers to what was asked; others are ignored, as the revision wants it. */
  answer(responses: JsonObject): void {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#questions.get(key);
      if (question === undefined || typeof response !== 'object' || response === null) continue;
      this.#questions.delete(key);
      question.resolve(response as JsonObject);
    }
  }

  stop(): void {
    this.#stopper.abort();
    this.#wake();
  }

  /** The result, or `inputRequests` when the server asks first. Rejects with what the request was rejected with. */
  async standstill(): Promise<{ result: JsonObject } | { inputRequests: JsonObject }> {
    for (;;) {
      if (this.#outcome !== undefined && 'error' in this.#outcome) throw this.#outcome.error;
      if (this.#outcome !== undefined) return this.#outcome;
      const asked = [...this.#questions].map(([key, { request }]) => [key, request] as const);
      if (asked.length > 0 && !this.signal.aborted) return { inputRequests: Object.fromEntries(asked) };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Pages to open have no id in the revision without sessions. */
function shared({ elicitationId, ...params }: JsonObject): JsonObject {
  return params;
}

/** What is held for one caller, and of which request it is a part. */
interface Held {
  request: HeldRequest;
  /** Whose request it is, and its method and name. */
  what: string;
  stopWaiting(): void;
}

/** Requests whose clients were asked something, until they come back. They are in memory, and end with the gateway. */
export class HeldRequests {
  readonly #held = new Map<string, Held>();
  readonly #deps: Pick<FaceDeps, 'random' | 'timers'>;

  constructor(deps: Pick<FaceDeps, 'random' | 'timers'>) {
    this.#deps = deps;
  }

  /** Waits for the client to come back with the state that is returned. */
  hold(request: HeldRequest, what: string): string {
    const [oldest] = this.#held.size < FIXED_LIMITS.heldRequests ? [] : this.#held.keys();
    if (oldest !== undefined) this.#drop(oldest);
    const state = Buffer.from(this.#deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    const stopWaiting = this.#deps.timers.after(FIXED_LIMITS.questionIdleMs, () => this.#drop(state));
    this.#held.set(state, { request, what, stopWaiting });
    return state;
  }

  /** The request of a state, each of which counts once. Throws an RpcError for one that is not of `what`. */
  resume(state: string, what: string): HeldRequest {
    const held = this.#held.get(state);
    if (held?.what !== what) {
      const message =
        'requestState names no request of yours that waits. Send it back as it came, or ask again without it.';
      throw new RpcError(MCP_ERRORS.invalid_params, message);
    }
    this.#held.delete(state);
    held.stopWaiting();
    return held.request;
  }

  close(): void {
    for (const state of this.#held.keys()) this.#drop(state);
  }

  #drop(state: string): void {
    const held = this.#held.get(state);
    this.#held.delete(state);
    held?.stopWaiting();
    held?.request.stop();
  }
}
