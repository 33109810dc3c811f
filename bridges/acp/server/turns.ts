import { RpcError } from '../wire/json-rpc.ts';
import type { GatewayCalls } from './gateway-calls.ts';

/** A prompt under way. Its cancel reaches its own Task, and no other. */
export class PromptInFlight {
  isCanceled = false;
  /** The gateway knows: once is enough. */
  isToldCanceled = false;
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
    if (prompt.taskId === undefined || prompt.isToldCanceled) return;
    prompt.isToldCanceled = true;
    await this.#calls.json('cancelTask', { path: { task_id: prompt.taskId } }).catch((error: unknown) => {
      // It has ended meanwhile; its end is told anyway.
      if (!(error instanceof RpcError)) throw error;
    });
  }
}
