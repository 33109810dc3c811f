import { pathToFileURL } from 'node:url';
import type { JsonObject } from '#protocol/json.ts';
import type { PermissionAnswer } from '#upstream.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { objectOf } from '../object-of.ts';
import { elicitResult, secretMembers } from './answers.ts';
import { FIXED_LIMITS } from './config.ts';
import { RpcError } from './faults.ts';
import type { CallFacts, McpRecord } from './record.ts';
import { samplingForm, samplingResult } from './sampling.ts';
import type { SchemaChecks } from './schema-check.ts';

export interface QuestionContext {
  facts: CallFacts;
  roots: readonly string[];
  /** Where the server's questions reach the caller. */
  isInteractive: boolean;
  /** Whether the caller is asked for what a model would write. */
  maySample: boolean;
  checks: SchemaChecks;
  /** What was answered to a question of this id before, possibly before the gateway was restarted. */
  given(requestId: string): PermissionAnswer | undefined;
  push(record: McpRecord): void;
}

/** What a server asks during one call, and who answers it. */
export class CallQuestions {
  readonly #context: QuestionContext;
  readonly #waiting = new Map<string, (answer: PermissionAnswer | undefined) => void>();
  #asked = 0;
  #isOver = false;

  constructor(context: QuestionContext) {
    this.#context = context;
  }

  /** Hands over the answer to a question; false when none of that id waits. */
  answer(answer: PermissionAnswer): boolean {
    const resolve = this.#waiting.get(answer.upstreamId);
    this.#waiting.delete(answer.upstreamId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** Nobody answers any more. */
  leave(): void {
    this.#isOver = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  /**
   * Answers one request of the server. `name` tells it from all others of the call, also after a restart; default: its
   * number. Rejects with an RpcError to refuse.
   */
  async ask(method: string, params: JsonObject, name?: string): Promise<JsonObject> {
    const { isInteractive, maySample, roots } = this.#context;
    if (method === 'elicitation/create' && isInteractive) return this.#elicit(params, name);
    if (method === 'sampling/createMessage' && maySample) return this.#sample(params, name);
    if (method === 'roots/list' && roots.length > 0) {
      return { roots: roots.map((root) => ({ uri: pathToFileURL(root).href })) };
    }
    this.#decline(method, 'not_offered');
    throw new RpcError(MCP_ERRORS.method_not_found, `This client does not offer ${method}.`);
  }

  /** A page without which the tool cannot be called; it is shown also where a server may ask nothing in the midst of a call. */
  openPage(params: JsonObject, name: string): Promise<JsonObject> {
    return this.#elicit(params, name);
  }

  async #elicit(params: JsonObject, name: string | undefined): Promise<JsonObject> {
    const schema = objectOf(params['requestedSchema']);
    if (secretMembers(schema).length > 0) {
      this.#decline('elicitation/create', 'asks_for_a_secret');
      return { action: 'decline' };
    }
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#ask(
        params,
        attempt === 1 || name === undefined ? name : `${name}/${attempt}`,
      );
      if (answer === undefined) return { action: 'cancel' };
      const result = elicitResult(answer, schema);
      if (result['action'] !== 'accept' || params['mode'] === 'url') return withoutContent(result, params);
      const fault = this.#context.checks.of(schema)?.(objectOf(result['content']));
      if (fault === undefined) return result;
      const asked = typeof params['message'] === 'string' ? params['message'] : '';
      const why = `${fault.path === '' ? 'The answer' : fault.path}: ${fault.message}.`;
      params = { ...params, message: `${why} ${asked}` };
    }
  }

  /** The caller writes, or lets a model write; who refuses is told to the server as the error of the specification. */
  async #sample(params: JsonObject, name: string | undefined): Promise<JsonObject> {
    const answer = await this.#ask(samplingForm(params), name);
    const result = answer === undefined ? undefined : samplingResult(answer);
    if (result !== undefined) return result;
    throw new RpcError(MCP_ERRORS.sampling_rejected, 'The request for a model was rejected.');
  }

  /** Undefined when nobody answers any more. */
  #ask(params: JsonObject, name: string | undefined): Promise<PermissionAnswer | undefined> {
    this.#asked += 1;
    const request_id = `${this.#context.facts.call_id}/${name ?? this.#asked}`;
    const given = this.#context.given(request_id);
    if (given !== undefined) return Promise.resolve(given);
    if (this.#asked > FIXED_LIMITS.questionsPerCall || this.#isOver) return Promise.resolve(undefined);
    const answered = new Promise<PermissionAnswer | undefined>((resolve) => {
      this.#waiting.set(request_id, resolve);
    });
    this.#context.push({ ...this.#context.facts, type: 'asked', request_id, params });
    return answered;
  }

  #decline(method: string, reason: string): void {
    this.#context.push({ ...this.#context.facts, type: 'declined', method, reason });
  }
}

function withoutContent(result: JsonObject, { mode }: JsonObject): JsonObject {
  return mode === 'url' && result['action'] === 'accept' ? { action: 'accept' } : result;
}
