import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Frame, PermissionAnswer, TracedExchange, Turn } from '#protocol-client.ts';
import { askedPages } from '../../../mappings/mcp/eras.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault } from '../../wire/faults.ts';
import { FrameQueue } from '../../wire/frame-queue.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { sha256 } from '../../wire/sha256.ts';
import { withTrace } from '../../wire/trace-meta.ts';
import { pause, unlessAborted } from '../../wire/waits.ts';
import { CallQuestions, type QuestionContext } from './call-questions.ts';
import { CallRounds, PAGE_WANTED, type Round, type RoundsPort } from './call-rounds.ts';
import { FIXED_LIMITS, type McpLimits } from './config.ts';
import type { CallOptions, Connection, ServerPeer } from './connection.ts';
import { GIVEN_UP, isNotRun, TIMED_OUT } from './faults.ts';
import { frameOf, type KeptRound, type McpRecord } from './record.ts';
import { needsTask, type Tool } from './tools.ts';

export interface CallContext extends Omit<QuestionContext, 'push'> {
  tool: Tool;
  input: JsonObject;
  limits: McpLimits;
  onError: 'fail' | 'complete';
  deps: Pick<BridgeDeps, 'clock' | 'timers' | 'canonicalJson'>;
  /** Arguments that the Session has for this tool; they are in no frame. */
  inputs?(): JsonObject;
  turn: Pick<Turn, 'traceparent' | 'begins'>;
  /** How messages reach the server. */
  transport: 'pipe' | 'tcp';
  /** Another connection in place of a lost one, in the same way; waits for a server that is started again. */
  reconnect(): Promise<Connection>;
}

/** Where a call begins: with the call, or where it stood when the gateway was stopped. */
type Begin = { at: 'call' } | Stand;
/** `resumes`: how often the call was taken up, this time included. */
export type Stand = { resumes: number } & ({ at: 'task'; taskId: string } | { at: 'round'; round: Round });

/** One tool call from its request to its result: what the server reports meanwhile, and what it asks. */
export class ActiveCall implements ServerPeer {
  readonly frames = new FrameQueue();
  readonly #context: CallContext;
  readonly #stopper = new AbortController();
  readonly #questions: CallQuestions;
  #numbered = 0;
  #resumes = 0;
  #logs = 0;
  #reportedAt: number | undefined;
  #burst: number = FIXED_LIMITS.progressBurst;
  #dropped = 0;
  #connection: Connection | undefined;
  #lifeAt = Number.NEGATIVE_INFINITY;
  #startedAt = 0;
  #isSentAgain = false;
  #isAnswered = false;

  constructor(context: CallContext) {
    this.#context = context;
    this.#questions = new CallQuestions({ ...context, push: (record) => this.#push(record) });
  }

  /** Calls the tool; all that happens is pushed as frames, the last one is the result. */
  async run(connection: Connection, signal: AbortSignal, begin: Begin = { at: 'call' }): Promise<void> {
    const abort = () => this.cancel();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      this.#connection = connection;
      if (begin.at !== 'call') this.#takeUp(begin);
      this.#startedAt = this.#context.deps.clock.monotonic();
      this.frames.push(await this.#call(connection, begin));
    } finally {
      signal.removeEventListener('abort', abort);
      this.#questions.leave();
      this.frames.close();
    }
  }

  /** The connection that the call is made on, once it is. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Whether the server has done with it: after that it asks nothing about it. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Gives the call up; the server is notified, and what it did is unknown. */
  cancel(): void {
    this.#stopper.abort('canceled');
    this.#questions.leave();
  }

  /** Hands over the answer to a question; false when none of that id waits. */
  answer(answer: PermissionAnswer): boolean {
    return this.#questions.answer(answer);
  }

  asked(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#questions.ask(method, params);
  }

  notified(method: string, params: JsonObject): void {
    if (method !== 'notifications/message') return;
    this.#logs += 1;
    if (this.#logs <= FIXED_LIMITS.logsPerCall) this.#push({ ...this.#context.facts, type: 'log', params });
  }

  #takeUp({ at, resumes }: Stand): void {
    this.#resumes = resumes;
    this.#push({ ...this.#context.facts, type: 'resumed', what: at, resumes });
  }

  async #call(connection: Connection, begin: Begin): Promise<Frame> {
    const rounds = new CallRounds(this.#port(), connection.isStateless);
    const params = this.#params(connection);
    try {
      const result = await this.#follow(rounds, params, begin);
      this.#isAnswered = true;
      return frameOf(this.#resultOf(result), this.#context.facts.call_id);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #follow(rounds: CallRounds, params: JsonObject, begin: Begin): Promise<JsonObject> {
    if (begin.at === 'task') return rounds.followTask(begin.taskId);
    if (begin.at === 'call') return rounds.finish(params, await this.#send(params));
    return rounds.finish(params, await rounds.answerRound(params, begin.round), begin.round.number + 1);
  }

  #params({ isStateless, capabilities }: Connection): JsonObject {
    const { tool, input, turn } = this.#context;
    const params = {
      name: tool.name,
      arguments: { ...this.#context.inputs?.(), ...input },
      ...(isStateless ? { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : {}),
      ...(!isStateless && needsTask(tool, capabilities) ? { task: {} } : {}),
    };
    return withTrace(params, turn.traceparent);
  }

  /** Calls the tool; once more where it is known not to have run, on another connection. */
  async #sendOnce(params: JsonObject): Promise<JsonObject> {
    const how = {
      onProgress: (report: JsonObject) => this.#progress(report),
      inputSchema: this.#context.tool.inputSchema,
    };
    try {
      return await this.#request('tools/call', params, how);
    } catch (error) {
      if (!isNotRun(error) || this.#isSentAgain) throw error;
      this.#isSentAgain = true;
      this.#connection = await unlessAborted(this.#context.reconnect(), this.#stopper.signal, GIVEN_UP);
      return await this.#request('tools/call', params, how);
    }
  }

  async #send(params: JsonObject): Promise<JsonObject> {
    try {
      return await this.#sendOnce(params);
    } catch (error) {
      const inputRequests = wantsPages(error) ? askedPages(error.data) : {};
      if (this.#connection?.isStateless || Object.keys(inputRequests).length === 0) throw error;
      return { resultType: 'input_required', inputRequests };
    }
  }

  async #request(method: string, params: JsonObject, more: Partial<CallOptions> = {}): Promise<JsonObject> {
    const { idle_timeout_ms: idleTimeoutMs, total_timeout_ms: totalTimeoutMs } = this.#context.limits;
    if (this.#connection === undefined) throw new Error('the call has no connection');
    const { signal } = this.#stopper;
    const options = { signal, idleTimeoutMs, totalTimeoutMs, ...more };
    const traced = this.#traced(method);
    if (traced === undefined) return this.#connection.request(method, params, options);
    try {
      const result = await this.#connection.request(method, withTrace(params, traced.traceparent), options);
      traced.end(result['isError'] === true ? 'tool_error' : undefined);
      return result;
    } catch (error) {
      traced.end(error instanceof RpcError ? String(error.code) : faultOf(error).code);
      throw error;
    }
  }

  /** Spec: OpenTelemetry semantic conventions, "MCP client". */
  #traced(method: string): TracedExchange | undefined {
    const { turn, tool, transport } = this.#context;
    const isCall = method === 'tools/call';
    return turn.begins?.(isCall ? `${method} ${tool.name}` : method, {
      'mcp.method.name': method,
      'network.transport': transport,
      ...(isCall ? { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name } : {}),
    });
  }

  #port(): RoundsPort {
    return {
      call: (params) => this.#send(params),
      request: (method, params) => this.#request(method, params),
      poll: (method, params) => this.#poll(method, params),
      ask: (method, params, name) =>
        params['mode'] === 'url' && !this.#connection?.isStateless
          ? this.#questions.openPage(params, name)
          : this.#questions.ask(method, params, name),
      wait: (ms) => this.#wait(ms),
      progress: (params) => this.#progress(params),
      asksInRound: (round) => this.#push({ ...this.#context.facts, type: 'round', ...this.#kept(round) }),
      answersRound: () => this.#push({ ...this.#context.facts, type: 'answered', ...this.#count() }),
      becomesTask: (task_id) =>
        this.#push({ ...this.#context.facts, type: 'task', task_id, ...this.#count() }),
    };
  }

  #kept({ number, inputRequests, requestState }: Round): { round: KeptRound; resumes?: number } {
    const { input, deps } = this.#context;
    const round = {
      number,
      input_requests: inputRequests,
      ...(requestState === undefined ? {} : { request_state: requestState }),
      input,
      input_sha256: sha256(deps.canonicalJson(input)),
    };
    return { round, ...this.#count() };
  }

  #count(): { resumes?: number } {
    return this.#resumes === 0 ? {} : { resumes: this.#resumes };
  }

  /** A server that cannot be reached for a moment keeps its tasks: only silence for too long ends the call. */
  async #poll(method: string, params: JsonObject): Promise<JsonObject> {
    const { limits, deps, reconnect } = this.#context;
    this.#lifeAt = Math.max(this.#lifeAt, this.#startedAt);
    for (;;) {
      if (deps.clock.monotonic() - this.#startedAt > limits.total_timeout_ms) throw TIMED_OUT;
      try {
        if (this.#connection?.isClosed) this.#connection = await reconnect();
        const answer = await this.#request(method, params);
        this.#lifeAt = deps.clock.monotonic();
        return answer;
      } catch (error) {
        const isSilent = deps.clock.monotonic() - this.#lifeAt > limits.idle_timeout_ms;
        if (!(error instanceof Fault) || error.code !== 'upstream_unavailable' || isSilent) throw error;
        await this.#wait(FIXED_LIMITS.pollMs.usual);
      }
    }
  }

  #wait(ms: number): Promise<void> {
    return pause(ms, this.#context.deps.timers, this.#stopper.signal, GIVEN_UP);
  }

  #failed(error: unknown): Frame {
    const { facts } = this.#context;
    if (this.#stopper.signal.aborted) return frameOf({ ...facts, type: 'canceled' }, facts.call_id);
    if (error instanceof RpcError && !wantsPages(error)) {
      this.#isAnswered = true;
      const { code, message, data } = error;
      const refusal = { code, message, ...(data === undefined ? {} : { data }) };
      return frameOf({ ...facts, type: 'error', error: refusal }, facts.call_id);
    }
    const fault = faultOf(error);
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

  /** All progress of a short call; of a longer one only what comes no faster than anybody reads. How much was left out is recorded. */
  #progress(params: JsonObject): void {
    const now = this.#context.deps.clock.monotonic();
    const { progressMs, progressBurst } = FIXED_LIMITS;
    const earned = this.#reportedAt === undefined ? 0 : (now - this.#reportedAt) / progressMs;
    this.#burst = Math.min(progressBurst, this.#burst + earned);
    this.#reportedAt = now;
    const isLast = params['progress'] !== undefined && params['progress'] === params['total'];
    if (this.#burst < 1 && !isLast) {
      this.#dropped += 1;
      return;
    }
    this.#burst = Math.max(0, this.#burst - 1);
    this.#push({ ...this.#context.facts, type: 'progress', params, dropped: this.#dropped });
    this.#dropped = 0;
  }

  #push(record: McpRecord): void {
    this.#numbered += 1;
    const number = this.#resumes === 0 ? this.#numbered : `${this.#resumes}r${this.#numbered}`;
    this.frames.push(frameOf(record, `${this.#context.facts.call_id}.${number}`));
  }
}

function wantsPages(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === MCP_ERRORS.url_elicitation_required;
}

function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return wantsPages(error) ? PAGE_WANTED : new Fault('upstream_unavailable', 'The call failed.');
}

/** A call that was sent before the gateway was restarted, and what is needed to follow it. */
interface KeptCall {
  callId: string;
  tool: string;
  input: JsonObject;
  stand: Stand;
}

/**
 * Where a call stood, by what is bound to its Task. Undefined where nobody knows what it did: without a task of the server or
 * a question of its, or where the record of its arguments was redacted.
 */
export function keptCall(
  binding: JsonObject | undefined,
  spell: (value: JsonValue) => string,
): KeptCall | undefined {
  const { call_id: callId, tool, remote_task: taskId, round, resumes = 0 } = binding ?? {};
  if (typeof callId !== 'string' || typeof tool !== 'string') return undefined;
  const times = { resumes: Number(resumes) + 1 };
  if (typeof taskId === 'string') return { callId, tool, input: {}, stand: { at: 'task', taskId, ...times } };
  if (round === undefined) return undefined;
  const { number, input_requests, request_state, input, input_sha256 } = round as unknown as KeptRound;
  if (sha256(spell(input)) !== input_sha256) return undefined;
  const state = request_state === undefined ? {} : { requestState: request_state };
  const asked = { number, inputRequests: objectOf(input_requests), ...state };
  return { callId, tool, input, stand: { at: 'round', round: asked, ...times } };
}
