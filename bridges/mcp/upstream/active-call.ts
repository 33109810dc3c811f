import { pathToFileURL } from 'node:url';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Frame, PermissionAnswer } from '../../../src/upstream.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../outbound/fault.ts';
import { objectOf } from '../object-of.ts';
import { elicitResult, secretMembers } from './answers.ts';
import { FIXED_LIMITS, type McpLimits } from './config.ts';
import type { Connection, ServerPeer } from './connection.ts';
import { FrameQueue } from './frame-queue.ts';
import { type CallFacts, frameOf, type McpRecord } from './record.ts';
import { RpcError } from './rpc-error.ts';
import { samplingForm, samplingResult } from './sampling.ts';
import type { SchemaChecks } from './schema-check.ts';
import type { Tool } from './tools.ts';

export interface CallContext {
  tool: Tool;
  facts: CallFacts;
  input: JsonObject;
  limits: McpLimits;
  onError: 'fail' | 'complete';
  roots: readonly string[];
  /** Where the server's questions reach the caller. */
  isInteractive: boolean;
  /** Whether the caller is asked for what a model would write. */
  maySample: boolean;
  checks: SchemaChecks;
  deps: Pick<BridgeDeps, 'clock' | 'timers'>;
  traceparent?: string | undefined;
}

/** One tool call from its request to its result: what the server tells meanwhile, and what it asks. */
export class ActiveCall implements ServerPeer {
  readonly frames = new FrameQueue();
  readonly #context: CallContext;
  readonly #stopper = new AbortController();
  readonly #waiting = new Map<string, (answer: PermissionAnswer | undefined) => void>();
  #numbered = 0;
  #questions = 0;
  #logs = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #dropped = 0;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Calls the tool; all that happens is pushed as frames, the last one is the result. */
  async run(connection: Connection, signal: AbortSignal): Promise<void> {
    const abort = () => this.cancel();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      this.frames.push(await this.#call(connection));
    } finally {
      signal.removeEventListener('abort', abort);
      this.#leaveQuestions();
      this.frames.end();
    }
  }

  /** Gives the call up; the server is told, and what it did is unknown. */
  cancel(): void {
    this.#stopper.abort('canceled');
    this.#leaveQuestions();
  }

  /** Hands over the answer to a question; false when none of that id waits. */
  answer(answer: PermissionAnswer): boolean {
    const resolve = this.#waiting.get(answer.upstreamId);
    this.#waiting.delete(answer.upstreamId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  async asked(method: string, params: JsonObject): Promise<JsonObject> {
    const { isInteractive, maySample, roots } = this.#context;
    if (method === 'elicitation/create' && isInteractive) return this.#elicit(params);
    if (method === 'sampling/createMessage' && maySample) return this.#sample(params);
    if (method === 'roots/list' && roots.length > 0) {
      return { roots: roots.map((root) => ({ uri: pathToFileURL(root).href })) };
    }
    this.#decline(method, 'not_offered');
    throw new RpcError(MCP_ERRORS.method_not_found, `This client does not offer ${method}.`);
  }

  told(method: string, params: JsonObject): void {
    if (method !== 'notifications/message') return;
    this.#logs += 1;
    if (this.#logs <= FIXED_LIMITS.logsPerCall) this.#push({ ...this.#context.facts, type: 'log', params });
  }

  async #call(connection: Connection): Promise<Frame> {
    const { tool, facts, input, limits, traceparent } = this.#context;
    const meta = traceparent === undefined ? {} : { _meta: { traceparent } };
    const params = { name: tool.name, arguments: input, ...meta };
    try {
      const result = await connection.request('tools/call', params, {
        signal: this.#stopper.signal,
        idleTimeoutMs: limits.idle_timeout_ms,
        totalTimeoutMs: limits.total_timeout_ms,
        onProgress: (told) => this.#progress(told),
      });
      return frameOf(this.#resultOf(result), facts.call_id);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Frame {
    const { facts } = this.#context;
    if (this.#stopper.signal.aborted) return frameOf({ ...facts, type: 'canceled' }, facts.call_id);
    if (error instanceof RpcError) {
      const { code, message, data } = error;
      const told = { code, message, ...(data === undefined ? {} : { data }) };
      return frameOf({ ...facts, type: 'error', error: told }, facts.call_id);
    }
    const fault = error instanceof Fault ? error : new Fault('upstream_unavailable', 'The call failed.');
    const { call_id, server, tool } = facts;
    return new Fault(fault.code, fault.message, { ...fault.details, call_id, server, tool }).toFrame();
  }

  #resultOf(result: JsonObject): McpRecord {
    const { facts, onError, tool, checks } = this.#context;
    const record = { ...facts, type: 'result', result, on_error: onError } as const;
    if (tool.outputSchema === null || result['isError'] === true) return record;
    const { structuredContent } = result;
    if (structuredContent === undefined) return { ...record, output_fault: 'structuredContent: is required' };
    const fault = checks.of(tool.outputSchema)?.(structuredContent);
    if (fault === undefined) return record;
    const path = fault.path === '' ? 'structuredContent' : `structuredContent.${fault.path}`;
    return { ...record, output_fault: `${path}: ${fault.message}` };
  }

  /** The newest of what comes faster than anybody reads; how much was left out is said. */
  #progress(params: JsonObject): void {
    const now = this.#context.deps.clock.monotonic();
    const isLast = params['progress'] !== undefined && params['progress'] === params['total'];
    if (now - this.#toldAt < FIXED_LIMITS.progressMs && !isLast) {
      this.#dropped += 1;
      return;
    }
    this.#push({ ...this.#context.facts, type: 'progress', params, dropped: this.#dropped });
    this.#toldAt = now;
    this.#dropped = 0;
  }

  async #elicit(params: JsonObject): Promise<JsonObject> {
    const schema = objectOf(params['requestedSchema']);
    if (secretMembers(schema).length > 0) {
      this.#decline('elicitation/create', 'asks_for_a_secret');
      return { action: 'decline' };
    }
    for (;;) {
      const answer = await this.#ask(params);
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
  async #sample(params: JsonObject): Promise<JsonObject> {
    const answer = await this.#ask(samplingForm(params));
    const result = answer === undefined ? undefined : samplingResult(answer);
    if (result !== undefined) return result;
    throw new RpcError(MCP_ERRORS.sampling_rejected, 'The request for a model was rejected.');
  }

  /** Undefined when nobody answers any more. */
  #ask(params: JsonObject): Promise<PermissionAnswer | undefined> {
    this.#questions += 1;
    if (this.#questions > FIXED_LIMITS.questionsPerCall || this.#stopper.signal.aborted)
      return Promise.resolve(undefined);
    const request_id = `${this.#context.facts.call_id}/${this.#questions}`;
    const answered = new Promise<PermissionAnswer | undefined>((resolve) => {
      this.#waiting.set(request_id, resolve);
    });
    this.#push({ ...this.#context.facts, type: 'asked', request_id, params });
    return answered;
  }

  #decline(method: string, reason: string): void {
    this.#push({ ...this.#context.facts, type: 'declined', method, reason });
  }

  #leaveQuestions(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #push(record: McpRecord): void {
    this.#numbered += 1;
    this.frames.push(frameOf(record, `${this.#context.facts.call_id}.${this.#numbered}`));
  }
}

function withoutContent(result: JsonObject, { mode }: JsonObject): JsonObject {
  return mode === 'url' && result['action'] === 'accept' ? { action: 'accept' } : result;
}
