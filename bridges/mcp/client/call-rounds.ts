import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { Fault } from '../../wire/faults.ts';
import { sha256 } from '../../wire/sha256.ts';
import { FIXED_LIMITS } from './config.ts';
import { rpcErrorIn } from './faults.ts';

/** What following a call needs of the call. */
export interface RoundsPort {
  /** Calls the tool; rejects like a connection. */
  call(params: JsonObject): Promise<JsonObject>;
  /** Asks the server something else about the call; rejects like a connection. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Asks again on another connection where one was lost; rejects when the server gave no sign of life for too long. */
  poll(method: string, params: JsonObject): Promise<JsonObject>;
  /** Answers one request of the server. `name` distinguishes it from all others of the call, also after a restart. */
  ask(method: string, params: JsonObject, name: string): Promise<JsonObject>;
  /** Rejects when the call is given up. */
  wait(ms: number): Promise<void>;
  progress(params: JsonObject): void;
  /** The server wants input before it goes on: what it said goes back with the answers. */
  asksInRound(round: Round): void;
  /** The answers are on their way. */
  answersRound(): void;
  /** The server goes on by itself, as a task that is asked for. */
  becomesTask(taskId: string): void;
}

/**
 * A result that is a question. Spec: MCP 2026-07-28, "Multi round-trip requests". With sessions it is an error that names
 * pages to open. Spec: MCP 2025-11-25, "URL Elicitation Required Error".
 */
export interface Round {
  number: number;
  inputRequests: JsonObject;
  requestState?: string;
}

/** Follows a call from what the server answered to its result. */
export class CallRounds {
  readonly #port: RoundsPort;
  readonly #isStateless: boolean;

  constructor(port: RoundsPort, isStateless: boolean) {
    this.#port = port;
    this.#isStateless = isStateless;
  }

  /** The CallToolResult in the end. `params` are those of the call, `round` numbers the next question. */
  async finish(params: JsonObject, answer: JsonObject, round = 1): Promise<JsonObject> {
    let now = answer;
    for (let number = round; number <= FIXED_LIMITS.roundsPerCall; number += 1) {
      const task = this.#taskOf(now);
      if (task !== undefined) return this.followTask(String(task['taskId']), task);
      const { resultType, ...result } = now;
      if (resultType !== 'input_required') return result;
      const { requestState } = result;
      const state = typeof requestState === 'string' ? { requestState } : {};
      const asked: Round = { number, inputRequests: objectOf(result['inputRequests']), ...state };
      this.#port.asksInRound(asked);
      now = await this.answerRound(params, asked);
    }
    throw new Fault('rejected', 'The server asks for input again and again.', { reason: 'rounds' });
  }

  /** Sends the call again, with the answers to what the server wanted; where those were pages to open, as it was. */
  async answerRound(params: JsonObject, { number, inputRequests, requestState }: Round): Promise<JsonObject> {
    const inputResponses = await this.#answers(inputRequests, `round${number}`);
    if (!this.#isStateless && !Object.values(inputResponses).every(isAccepted)) throw PAGE_WANTED;
    this.#port.answersRound();
    if (!this.#isStateless) return this.#port.call(params);
    const state = requestState === undefined ? {} : { requestState };
    return this.#port.call({ ...params, inputResponses, ...state });
  }

  /** Asks for a task of the server until it is over. `last`: what the server said of it last. */
  async followTask(taskId: string, last?: JsonObject): Promise<JsonObject> {
    if (last !== undefined) this.#port.becomesTask(taskId);
    const answered = new Set<string>();
    let said: JsonValue | undefined;
    for (let now = last; ; ) {
      if (now !== undefined) await this.#port.wait(pollMs(now));
      now = await this.#port.poll('tasks/get', { taskId });
      const { status, statusMessage: message } = now;
      if (message !== undefined && message !== said) this.#port.progress({ message });
      said = message;
      if (status === 'cancelled') throw GONE;
      if (!this.#isStateless && status !== 'working') return this.#port.request('tasks/result', { taskId });
      if (status === 'completed') return objectOf(now['result']);
      if (status === 'failed') throw rpcErrorIn(now['error'], 'The task failed.');
      if (status === 'input_required') await this.#update(taskId, objectOf(now['inputRequests']), answered);
    }
  }

  /** The task that the answer to a call is; each era writes it its own way. */
  #taskOf(answer: JsonObject): JsonObject | undefined {
    if (this.#isStateless) return answer['resultType'] === 'task' ? answer : undefined;
    return answer['task'] === undefined ? undefined : objectOf(answer['task']);
  }

  async #update(taskId: string, wanted: JsonObject, answered: Set<string>): Promise<void> {
    const open = Object.fromEntries(Object.entries(wanted).filter(([key]) => !answered.has(key)));
    if (Object.keys(open).length === 0) return;
    const inputResponses = await this.#answers(open, 'task');
    for (const key of Object.keys(open)) answered.add(key);
    await this.#port.request('tasks/update', { taskId, inputResponses });
  }

  async #answers(requests: JsonObject, where: string): Promise<JsonObject> {
    const answers = Object.entries(requests).map(async ([key, request]) => {
      const { method, params } = objectOf(request);
      return [key, await this.#port.ask(String(method), objectOf(params), questionName(where, key))];
    });
    return Object.fromEntries(await Promise.all(answers)) as JsonObject;
  }
}

/** Nobody opened what the server wants opened first. */
export const PAGE_WANTED = new Fault(
  'auth_required',
  'The server wants a page to be opened before it is called, and it was not opened.',
  { reason: 'page_wanted' },
);

const isAccepted = (answer: JsonValue) => objectOf(answer)['action'] === 'accept';

const GONE = new Fault('upstream_unavailable', 'The server gave the task of the call up.', {
  reason: 'task_cancelled',
});

/** As long as the server wants, within bounds. */
function pollMs({ pollIntervalMs, pollInterval }: JsonObject): number {
  const { shortest, longest, usual } = FIXED_LIMITS.pollMs;
  const wanted = pollIntervalMs ?? pollInterval;
  const ms = typeof wanted === 'number' && Number.isFinite(wanted) ? wanted : usual;
  return Math.min(longest, Math.max(shortest, ms));
}

const PLAIN = /^[\w.-]{1,64}$/;

/** Names a question of a server by its own key, so that it is the same one when it is asked about again. */
function questionName(where: string, key: string): string {
  const named = PLAIN.test(key) ? key : sha256(key).slice(0, 16);
  return `${where}/${named}`;
}
