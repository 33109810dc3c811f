import type { FaceStream } from '#face.ts';
import type { StreamEnd, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import {
  type Encoding,
  encodeMessage,
  encodeTask,
  encodeUpdate,
  streamEvent,
} from '../../../mappings/a2a/encode-task.ts';
import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { encodeError, refusal } from '../../../mappings/a2a/errors-out.ts';
import type { Event, TaskView, Update, ViewStatus } from '../../../mappings/a2a/task-view.ts';
import {
  type Found,
  isAtHand,
  NOTHING,
  restored,
  type Wanted,
  wantedByTask,
  wantedByUpdate,
} from './contents.ts';
import type { Follower } from './follow.ts';

export interface StreamOptions {
  stream: FaceStream;
  /** The finished frame of one event; `id` is the cursor by which a client resumes. */
  frame(event: JsonObject, id: string): Buffer;
  encoding: Omit<Encoding, 'bytes' | 'parts'>;
  historyLength: number | undefined;
  read(wanted: Wanted): Promise<Found>;
  /** The first event waits for the agent's first word, because that may be a Message and no Task. */
  waitsForWord: boolean;
  /** A first event that says the Task is over, or asks for input, is the last one too. */
  closesWhenSettled: boolean;
  /** Runs once after a while; returns what stops it. */
  after(delayMs: number, run: () => void): () => void;
}

/** Longest wait for the first word of an agent that might answer with a Message and no Task. */
const PATIENCE_MS = 15_000;

interface Told {
  updates: Update[];
  event: Event;
}

/**
 * A Task on a stream of A2A events: the Task first, then every change, or the one Message that is the whole answer. Closes
 * after the end of the Task and when it asks for input. Frames leave in order, also where one has to wait for bytes.
 */
export class TaskStream implements Follower {
  readonly #options: StreamOptions;
  #subscription: Subscription | undefined;
  #state: 'waiting' | 'open' | 'ended' = 'waiting';
  /** The Task of the first event. */
  #first: { view: TaskView; id: string } | undefined;
  /** Name of the frame that was the agent's first word. */
  #firstWord: unknown;
  #held: Told[] = [];
  #stopPatience: () => void = () => undefined;
  /** The frames that wait for bytes; undefined while none does. */
  #tail: Promise<void> | undefined;
  #refuse: (error: ProtocolError) => void = () => undefined;
  /** Settles when the stream has begun, or rejects with the refusal that takes its place. */
  readonly ready: Promise<void>;
  #resolveReady: () => void = () => undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#refuse = reject;
    });
  }

  /** Takes the subscription, to close it with the stream. */
  attach(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#state === 'ended') subscription.close();
    // Heartbeats are plain comments: some readers stumble over a block that has an id and no data.
    this.#options.stream.onClose(() => this.#close());
  }

  begin(view: TaskView, id: string): void {
    this.#first = { view: view.copy(), id };
    if (!this.#options.waitsForWord || view.status.status !== 'WORKING') this.#open(view);
    else this.#stopPatience = this.#options.after(PATIENCE_MS, () => this.#open(view));
  }

  tell(updates: Update[], view: TaskView, event: Event): number {
    if (this.#state === 'ended') return 0;
    if (this.#state === 'open') return this.#send({ updates, event }, view);
    const hasEnded = isTerminal(view.status.status);
    const refused = hasEnded ? refusalOf(view) : undefined;
    if (hasEnded && view.isMessageOnly) this.#answerWithMessage(view, event.id);
    else if (refused !== undefined) this.#fail(refused);
    else if (this.#isOfFirstWord(event)) {
      // An agent begins with its Task, so what that said is in ours; it is sent when this turn is over.
      this.#first = { view: view.copy(), id: event.id };
      if (view.isBound && this.#firstWord !== undefined) this.#hurry(view);
    } else {
      this.#held.push({ updates, event });
      if (hasEnded || view.isBound || !isBeforeWord(event)) this.#open(view);
    }
    return 0;
  }

  /** Events of the first frame the agent sent, but chunks, whose boundaries count. */
  #isOfFirstWord({ event, payload }: Event): boolean {
    if (event.startsWith('artifact.') || this.#held.length > 0) return false;
    const { material } = payload;
    if (material === undefined) return isBeforeWord({ event });
    this.#firstWord ??= material;
    return this.#firstWord === material;
  }

  #hurry(view: TaskView): void {
    this.#stopPatience();
    this.#stopPatience = this.#options.after(0, () => this.#open(view));
  }

  async drained(): Promise<void> {
    await this.#tail;
    await this.#options.stream.drained();
  }

  cork(): void {
    if (this.#state === 'open') this.#options.stream.cork?.();
  }

  uncork(): void {
    if (this.#state === 'open') this.#options.stream.uncork?.();
  }

  end(view: TaskView, reason: StreamEnd, error?: ProtocolError): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'waiting' && error !== undefined) {
      this.#fail(error);
      return;
    }
    if (this.#state === 'waiting') this.#open(view);
    if (!this.#isOver()) this.#finish(reason, error);
  }

  /** Writes the Task and what was held, and goes on live. */
  #open(view: TaskView): void {
    const first = this.#first;
    if (this.#state !== 'waiting' || first === undefined) return;
    this.#stopPatience();
    this.#state = 'open';
    this.#write(this.#encodeTask(first.view), first.id);
    this.#resolveReady();
    if (this.#options.closesWhenSettled && isOver(first.view.status)) this.#finish('complete');
    for (const told of this.#held.splice(0)) this.#send(told, view);
  }

  #send({ updates, event }: Told, view: TaskView): number {
    const { encoding } = this.#options;
    let unsent = 0;
    for (const update of updates) {
      if (this.#state !== 'open' || (update.type === 'event' && !encoding.extended)) continue;
      unsent = this.#write(this.#encodeUpdate(update, view, event), event.id);
      if (isClosing(update)) this.#finish('complete');
    }
    return unsent;
  }

  #encodeUpdate(update: Update, view: TaskView, event: Event): Promise<JsonObject> | JsonObject {
    const { encoding, read } = this.#options;
    const wanted = wantedByUpdate(update);
    // The state moves on while bytes are read; what is told is the update as it was.
    const encode = (found: Found) =>
      encodeUpdate(withRestored(update, found), view, { ...encoding, ...found }, event);
    return isAtHand(wanted) ? encode(NOTHING) : read(wanted).then(encode);
  }

  #encodeTask(view: TaskView): Promise<JsonObject> | JsonObject {
    const { encoding, historyLength, read } = this.#options;
    const wanted = wantedByTask(view);
    const encode = (found: Found) => {
      view.restore((message) => restored(message, found));
      const task = encodeTask(view, { ...encoding, ...found }, { historyLength, artifacts: true });
      return encoding.version === '1.0' ? streamEvent('task', encoding, task) : task;
    };
    return isAtHand(wanted) ? encode(NOTHING) : read(wanted).then(encode);
  }

  #answerWithMessage(view: TaskView, id: string): void {
    const message = view.history.at(-1) ?? view.status.message;
    if (message === undefined) {
      this.#open(view);
      return;
    }
    this.#stopPatience();
    this.#state = 'open';
    const { encoding, read } = this.#options;
    const wanted: Wanted = { messages: [message], artifacts: [] };
    const encode = (found: Found) => {
      const { taskId: _, ...body } = encodeMessage(restored(message, found), { ...encoding, ...found });
      return encoding.version === '1.0' ? streamEvent('message', encoding, body) : body;
    };
    this.#write(isAtHand(wanted) ? encode(NOTHING) : read(wanted).then(encode), id);
    this.#resolveReady();
    this.#finish('complete');
  }

  #write(event: Promise<JsonObject> | JsonObject, id: string): number {
    const { stream, frame } = this.#options;
    if (this.#tail === undefined && !(event instanceof Promise))
      return stream.write({ sse: frame(event, id) });
    const before = this.#tail ?? Promise.resolve();
    const tail = before.then(async () => {
      stream.write({ sse: frame(await event, id) });
    });
    this.#tail = tail.catch((error: unknown) => stream.end('failed', ProtocolError.from(error)));
    const mine = this.#tail;
    void mine.then(() => {
      if (this.#tail === mine) this.#tail = undefined;
    });
    return 0;
  }

  #finish(reason: StreamEnd, error?: ProtocolError): void {
    this.#close();
    const end = () => this.#options.stream.end(reason, error);
    if (this.#tail === undefined) end();
    else void this.#tail.then(end);
  }

  #fail(error: ProtocolError): void {
    this.#close();
    this.#refuse(error);
  }

  #isOver(): boolean {
    return this.#state === 'ended';
  }

  #close(): void {
    this.#stopPatience();
    this.#state = 'ended';
    this.#subscription?.close();
  }
}

/** The agent's refusal of a message it made no task of; it leaves as the error it came as. */
export function refusalOf(view: TaskView): ProtocolError | undefined {
  const { failure } = view.status;
  const name = failure?.details?.['a2a_error'];
  if (failure === undefined || view.isBound || typeof name !== 'string' || name === 'unknown')
    return undefined;
  return refusal(name as A2aErrorName, failure.message);
}

/** Events that come before an agent has said anything; spans are the gateway's own account of it. */
function isBeforeWord({ event }: Pick<Event, 'event'>): boolean {
  return BEFORE_WORD.has(event) || event.startsWith('span.');
}

const BEFORE_WORD: ReadonlySet<string> = new Set([
  'task.submitted',
  'user.message',
  'session.message_appended',
  'task.started',
  'agent.message',
  'receipt.issued',
  'vendor.harn_gateway.upstream_bound',
]);

/** INPUT_REQUIRED ends a stream, AUTH_REQUIRED does not: its agent may go on by itself. Source: notes/a2a.md 1.2. */
function isClosing(update: Update): boolean {
  return update.type === 'status' && isOver(update.status);
}

function isOver({ status }: ViewStatus): boolean {
  return isTerminal(status) || status === 'INPUT_REQUIRED';
}

function withRestored(update: Update, found: Found): Update {
  if (update.type !== 'status' || update.status.message === undefined) return update;
  return { ...update, status: { ...update.status, message: restored(update.status.message, found) } };
}

/** The last frame of a stream that fails after it began. */
export function errorMembers(error: ProtocolError): JsonObject {
  const { code, message, details } = encodeError(error);
  return { code, message, data: details };
}
