import type { JsonObject } from '#protocol/json.ts';
import type { Failure, TerminalStatus } from '#protocol/task-states.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { endOf, STOP_REASONS } from '../../../mappings/acp/stop-reasons.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import type { GatewayCalls } from './calls.ts';

/** A prompt under way. Its cancel reaches its own Task, and no other. */
class PromptInFlight {
  isCanceled = false;
  /** The gateway knows: once is enough. */
  isCancelSent = false;
  taskId: string | undefined;
}

/** More than a client has under way. */
const REMEMBERED_KEYS = 1_000;

/** The prompts of one connection that are not answered yet. */
export class Prompts {
  readonly #connectionId: string;
  readonly #calls: GatewayCalls;
  readonly #open = new Map<string, Set<PromptInFlight>>();
  /** Keys of the newest prompts, by which their Messages are known again. */
  readonly #keys = new Set<string>();

  constructor(connectionId: string, calls: GatewayCalls) {
    this.#connectionId = connectionId;
    this.#calls = calls;
  }

  /** Ids of requests begin anew with every connection, so the connection is part of the key. */
  keyOf(requestId: string | number | null): string {
    return `acp:${this.#connectionId}:${requestId}`;
  }

  sent(key: string): void {
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > REMEMBERED_KEYS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** Whether a prompt came from this client: on this connection, or on one before it under the same client id. */
  isOwn(key: string, clientId: string): boolean {
    return this.#keys.has(key) || key.startsWith(`acp:${clientId}:`);
  }

  begin(sessionId: string): PromptInFlight {
    const prompt = new PromptInFlight();
    const open = this.#open.get(sessionId) ?? new Set();
    this.#open.set(sessionId, open.add(prompt));
    return prompt;
  }

  end(sessionId: string, prompt: PromptInFlight): void {
    const open = this.#open.get(sessionId);
    open?.delete(prompt);
    if (open?.size === 0) this.#open.delete(sessionId);
  }

  /** Cancels what is under way now; a cancel that comes late finds nothing, and hits no later prompt. */
  cancel(sessionId: string): void {
    for (const prompt of this.#open.get(sessionId) ?? []) void this.cancelOne(prompt);
  }

  async cancelOne(prompt: PromptInFlight): Promise<void> {
    prompt.isCanceled = true;
    if (prompt.taskId === undefined || prompt.isCancelSent) return;
    prompt.isCancelSent = true;
    await this.#calls.json('cancelTask', { path: { task_id: prompt.taskId } }).catch((error: unknown) => {
      // It has ended meanwhile; its end is reported anyway.
      if (!(error instanceof RpcError)) throw error;
    });
  }
}

/** How a turn ends for its client: its Task ended, or asks something that the client can be asked by a prompt only. */
export type TurnEnd =
  | { kind: 'task'; status: TerminalStatus; failure: Failure | null }
  | { kind: 'question' };

/** Ends that are remembered: a prompt may be answered before its own submission is. */
const REMEMBERED = 64;

/** Prompts that wait for the end of their Task. Ends are reported in the order of the log, after everything before them. */
export class TurnWaits {
  readonly #ends = new Map<string, TurnEnd>();
  readonly #waiting = new Map<string, Set<(end: TurnEnd) => void>>();

  endOf(taskId: string): TurnEnd | undefined {
    return this.#ends.get(taskId);
  }

  end(taskId: string, end: TurnEnd): void {
    this.#ends.set(taskId, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > REMEMBERED && oldest !== undefined) this.#ends.delete(oldest);
    for (const resolve of this.#waiting.get(taskId) ?? []) resolve(end);
    this.#waiting.delete(taskId);
  }

  /** The Task that asked last and waits for words. */
  question(): string | undefined {
    return [...this.#ends].findLast(([, end]) => end.kind === 'question')?.[0];
  }

  /** The Task goes on: what was reported before is no end any more. */
  reopen(taskId: string): void {
    this.#ends.delete(taskId);
  }

  wait(taskId: string): Promise<TurnEnd> {
    const end = this.#ends.get(taskId);
    if (end !== undefined) return Promise.resolve(end);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(taskId) ?? new Set();
      this.#waiting.set(taskId, waiting.add(resolve));
    });
  }
}

/**
 * The answer to a prompt. A cancelled turn is `cancelled`, whatever its Task came to: the word of the Task stands in
 * `_meta.harn`. A failure without a word of ACP is an error. Spec: ACP v1, "Cancellation".
 */
export function promptAnswer(taskId: string, end: TurnEnd, isCanceled: boolean): JsonObject {
  if (end.kind === 'question') {
    return { stopReason: 'end_turn', _meta: { harn: { taskId, status: 'INPUT_REQUIRED' } } };
  }
  const { status, failure } = end;
  const _meta = { harn: { taskId, status } };
  if (isCanceled) return { stopReason: 'cancelled', _meta };
  const found = STOP_REASONS.encode(endOf(status, failure));
  if (found.known) return { stopReason: found.word, _meta };
  const { code = 'runtime_error', message = 'The task failed.', type = 'runtime_error' } = failure ?? {};
  throw new RpcError(ACP_ERRORS.internal_error, message, { harn: { code, type, taskId, status } });
}
