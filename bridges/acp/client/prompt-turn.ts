import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { PermissionAnswer, Turn } from '#protocol-client.ts';
import { encodeAnswer, PERMISSION_METHOD, subjectOf } from '../../../mappings/acp/permission-answers.ts';
import { Fault } from '../../wire/faults.ts';
import { FrameQueue } from '../../wire/frame-queue.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import type { QueuedTurn } from '../../wire/turn.ts';
import type { Host } from '../host.ts';
import { type AcpRecord, frameOf, type ToolFacts } from './record.ts';
import { Saying } from './saying.ts';

/** A reason made once: abort() without one would make an exception with a stack for every turn. */
const STOPPED = 'stopped';

export interface PromptParts {
  taskId: string;
  maxBytes: number;
  sendCancel(): void;
  /** The machine of the client now; undefined when there is none. */
  host(): Host | undefined;
  /** What the policy says of what the agent asks for. */
  judge: Turn['judge'];
  /** Whether an answer for good would be remembered. */
  remembers: Turn['remembers'];
  /** Ids of the tool calls that the session has spoken of. */
  heardCalls: Set<string>;
}

/** One `session/prompt` under way: its frames, and what the agent waits for. */
export class PromptTurn implements QueuedTurn {
  readonly taskId: string;
  readonly host: PromptParts['host'];
  /** Its client had a machine when it began; an agent may know of one by an earlier client. */
  readonly hasHost: boolean;
  readonly judge: PromptParts['judge'];
  readonly frames = new FrameQueue();
  /** Resolves when the agent has answered, or is gone. */
  readonly ended: Promise<void>;
  /** A turn reads the frames; else a cancel does. */
  isFollowed = false;
  readonly #maxBytes: number;
  readonly #sendCancel: () => void;
  readonly #remembers: PromptParts['remembers'];
  readonly #saying: Saying;
  readonly #waiting = new Map<string, { request: JsonObject; resolve: (result: JsonValue) => void }>();
  /** Requests that the policy holds back, by key. */
  readonly #held = new Map<string, (isAllowed: boolean) => void>();
  /** Aborts when the turn is cancelled or over: then nobody is asked any more. */
  readonly #stopper = new AbortController();
  readonly #whenStopped = new Promise<void>((resolve) => {
    this.#stopper.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  #served = 0;
  #bytes = 0;
  /** The agent called a tool, asked somebody or used the machine of the client. */
  #hasActed = false;
  #isCanceled = false;
  #isOver = false;
  #markEnded: () => void = () => undefined;

  constructor({ taskId, maxBytes, sendCancel, host, judge, remembers, heardCalls }: PromptParts) {
    this.#saying = new Saying(heardCalls);
    this.taskId = taskId;
    this.host = host;
    this.hasHost = host() !== undefined;
    this.judge = judge;
    this.#maxBytes = maxBytes;
    this.#sendCancel = sendCancel;
    this.#remembers = remembers;
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The agent waits for somebody: its silence has no limit. */
  get isWaiting(): boolean {
    return this.#waiting.size + this.#served > 0;
  }

  /** Aborts when the turn is cancelled or over. */
  get stopped(): AbortSignal {
    return this.#stopper.signal;
  }

  /** Counts what the agent sent in this turn; false, and the end of the turn, when it is too much. */
  weigh(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return true;
    const text = `The agent sent more than ${this.#maxBytes} bytes in one turn.`;
    this.fail(new Fault('payload_too_large', text, { max_bytes: this.#maxBytes }));
    return false;
  }

  update(message: JsonObject, bytes: number, mended: JsonMend[]): void {
    if (!this.weigh(bytes)) return;
    for (const record of this.#saying.take(message, mended)) {
      this.#hasActed ||= record.op === 'update' && record.tool !== undefined;
      this.#push(record);
    }
  }

  refused(message: JsonObject): void {
    this.#push({ op: 'refused', message });
  }

  /** The agent asks; resolves with the result it gets. A cancelled turn asks nobody. */
  ask(key: string, message: JsonObject, signal: AbortSignal): Promise<JsonValue> {
    const request = message;
    this.#hasActed = true;
    if (this.#isCanceled) return Promise.resolve(encodeAnswer(request, 'cancelled'));
    const remembers = message['method'] === PERMISSION_METHOD && this.#remembers(subjectOf(message));
    const about = this.#askedCall(message);
    const asked = { op: 'asked' as const, key, message, ...about, ...(remembers ? { remembers } : {}) };
    return new Promise((resolve) => {
      this.#waiting.set(key, { request, resolve });
      signal.addEventListener('abort', () => this.#withdraw(key), { once: true });
      void this.record(asked);
    });
  }

  /** The policy holds back what the agent asks for; resolves with whether it is allowed, false when the turn is over. */
  held(key: string, signal: AbortSignal): Promise<boolean> {
    if (this.#stopper.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isAllowed: boolean) => {
        if (this.#held.delete(key)) resolve(isAllowed);
      };
      this.#held.set(key, settle);
      signal.addEventListener(
        'abort',
        () => {
          if (this.#held.has(key)) void this.record({ op: 'withdrawn', key });
          settle(false);
        },
        { once: true },
      );
      void this.#whenStopped.then(() => settle(false));
    });
  }

  /** The agent waits for something that is no question; its silence has no limit meanwhile. */
  async serve<T>(work: Promise<T>): Promise<T> {
    this.#served += 1;
    this.#hasActed = true;
    try {
      return await work;
    } finally {
      this.#served -= 1;
    }
  }

  /**
   * Records what is done next, after what was said before. Resolves when it is recorded; of a turn that is cancelled at once,
   * because nobody may read its frames before the agent has answered.
   */
  async record(record: AcpRecord): Promise<void> {
    for (const said of this.#saying.end()) this.#push(said);
    if (!this.#isOver) await Promise.race([this.frames.pushUrgent(frameOf(record)), this.#whenStopped]);
  }

  answer(answer: PermissionAnswer): boolean {
    const settle = this.#held.get(answer.upstreamId);
    if (settle !== undefined) {
      settle(answer.approved);
      return true;
    }
    const waiting = this.#waiting.get(answer.upstreamId);
    this.#waiting.delete(answer.upstreamId);
    if (waiting !== undefined && !answer.approved) this.#saying.calls.denied(toolCallIn(waiting.request));
    waiting?.resolve(encodeAnswer(waiting.request, answer));
    return waiting !== undefined;
  }

  /** Sends the cancel once; whatever the agent waits for is answered as cancelled. Spec: ACP v1, "Cancellation". */
  cancel(): void {
    if (this.#isCanceled || this.#isOver) return;
    this.#isCanceled = true;
    this.#sendCancel();
    for (const { request, resolve } of this.#waiting.values()) resolve(encodeAnswer(request, 'cancelled'));
    this.#waiting.clear();
    this.#stopper.abort(STOPPED);
  }

  /** `loginWays`: how to log in, where that is what the agent wants; of a prompt it has done something for, that is its end. */
  finish(answer: RpcAnswer, loginWays?: string[]): void {
    const outcome =
      'error' in answer ? { error: answer.error as unknown as JsonObject } : { result: answer.result };
    const denied = this.#saying.calls.leftDenied();
    void this.record({
      op: 'answer',
      ...outcome,
      ...(loginWays === undefined || this.#hasActed ? {} : { auth_methods: loginWays }),
      ...(denied.length === 0 ? {} : { denied_calls: denied }),
      model_calls: this.#saying.calls.count + 1,
    });
    this.#end();
  }

  /**
   * Nothing more of the turn is recorded. While the agent lives it is over only when the agent has answered the cancel: the next
   * prompt waits for that.
   */
  fail(fault: Fault): void {
    for (const record of this.#saying.end()) this.#push(record);
    this.frames.push(fault.toFrame());
    this.frames.close();
    if (fault.code === 'upstream_unavailable') this.#end();
    else this.cancel();
  }

  #askedCall(message: JsonObject): { tool?: ToolFacts } {
    return message['method'] === PERMISSION_METHOD
      ? { tool: this.#saying.calls.asked(toolCallIn(message)) }
      : {};
  }

  #push(record: AcpRecord): void {
    if (!this.#isOver) this.frames.push(frameOf(record));
  }

  #withdraw(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    waiting.resolve(encodeAnswer(waiting.request, 'cancelled'));
    void this.record({ op: 'withdrawn', key });
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting.clear();
    this.#stopper.abort(STOPPED);
    this.frames.close();
    this.#markEnded();
  }
}

function toolCallIn(request: JsonObject): JsonObject {
  return objectOf(objectOf(request['params'])['toolCall']);
}
