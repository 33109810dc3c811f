import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Logger } from '#protocol/ports.ts';
import { isAnsweredAlready, type PermissionRequest } from '#resources/permission/schema.ts';
import { notice } from '../../../mappings/acp/notices.ts';
import { type Asks, questionOf } from '../../../mappings/acp/questions-out.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import type { Peer } from '../../wire/peer.ts';
import type { GatewayCalls } from './calls.ts';
import type { WholeEvents } from './contents.ts';
import type { TurnWaits } from './turns.ts';

const ANSWERED_ELSEWHERE = 'answered elsewhere';

/**
 * What the client of one connection is asked. The first answer wins, wherever it comes from: a client whose request was
 * answered by somebody else is withdrawn, and its own late answer changes nothing. There is no time limit here.
 */
export class Questions {
  readonly #calls: GatewayCalls;
  readonly #peer: Peer;
  readonly #logger: Logger;
  readonly #asks: () => Asks;
  readonly #whole: WholeEvents;
  readonly #open = new Map<string, { sessionId: string; abort: AbortController }>();

  constructor(calls: GatewayCalls, peer: Peer, logger: Logger, asks: () => Asks, whole: WholeEvents) {
    this.#calls = calls;
    this.#peer = peer;
    this.#logger = logger;
    this.#asks = asks;
    this.#whole = whole;
  }

  /** Asks what is still open in a Session; a client that resumes has not seen it. */
  async askPending(session: Follower): Promise<void> {
    const query = { session_id: session.id, limit: '200' };
    const { data } = await this.#calls
      .json<{ data: PermissionRequest[] }>('listPermissionRequests', { query })
      // A client that may not read requests is not asked.
      .catch(() => ({ data: [] }));
    for (const request of data.toReversed())
      if (request.status === 'pending') this.ask(session, await this.#whole.request(request));
  }

  /** A question that the client has no word for ends its turn; the next prompt answers it. */
  ask(session: Follower, given: JsonValue | PermissionRequest | undefined): void {
    if (!isObject(given as JsonValue)) return;
    const request = given as PermissionRequest;
    // A remembered answer needs no question.
    if (this.#open.has(request.id) || isAnsweredAlready(request.request)) return;
    if (session.isAskedElsewhere) {
      session.notify(notice('Somebody else has to answer this', request.request.message));
      return;
    }
    const mayAnswer = this.#mayAnswer();
    const question = mayAnswer ? questionOf(request, session.id, this.#asks()) : undefined;
    if (question === undefined) {
      if (mayAnswer || request.request.kind === 'elicitation') this.#askInWords(session, request);
      else session.notify(notice('Somebody else has to allow this', request.request.message));
      return;
    }
    const abort = new AbortController();
    this.#open.set(request.id, { sessionId: session.id, abort });
    this.#peer
      .ask(question.method, question.params, abort.signal)
      .then((answer) => ('error' in answer ? refusal(answer.error.code) : question.read(answer.result)))
      .then((body) => (body === undefined ? undefined : this.#respond(request.id, body)))
      .catch((error: unknown) => this.#note(error, abort))
      .finally(() => this.#open.delete(request.id));
  }

  /** Somebody answered. */
  withdraw(requestId: string): void {
    this.#open.get(requestId)?.abort.abort(ANSWERED_ELSEWHERE);
    this.#open.delete(requestId);
  }

  /** The client follows the Session no more. */
  forget(sessionId: string): void {
    for (const [id, open] of this.#open) if (open.sessionId === sessionId) this.withdraw(id);
  }

  /** Whoever may not decide is not asked for a decision that would be refused; an answer to a question is work on its task. */
  #mayAnswer(): boolean {
    try {
      this.#calls.admit('respondPermissionRequest');
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  #askInWords(session: Follower, { request, task_id }: PermissionRequest): void {
    if (request.message_id === undefined) {
      const content = { type: 'text', text: request.message };
      session.notify({ sessionUpdate: 'agent_message_chunk', content });
    }
    if (task_id !== null) session.turns.end(task_id, { kind: 'question' });
  }

  async #respond(requestId: string, body: JsonObject): Promise<void> {
    await this.#calls.json('respondPermissionRequest', { path: { request_id: requestId }, body });
  }

  /** Late answers are conflicts, and a connection that is over answers nothing. */
  #note(error: unknown, { signal }: AbortController): void {
    if (signal.aborted) return;
    const code = error instanceof RpcError ? error.message : 'connection over';
    this.#logger.debug({ why: code }, 'an answer of an ACP client changed nothing');
  }
}

/** A client that cannot answer has not allowed anything. */
function refusal(code: number): JsonObject {
  return { outcome: 'denied', reason: `The client could not be asked (${code}).` };
}

/** A Session that a client follows, as far as questions need it. */
export interface Follower {
  readonly id: string;
  readonly turns: TurnWaits;
  /** The client that controls the Session is asked, and this one is told. */
  readonly isAskedElsewhere: boolean;
  /** Sends one update of the gateway's own. */
  notify(update: JsonObject): void;
}
