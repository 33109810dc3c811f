import type { Gateway, StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { ServerRequest, ServerStream } from '#protocol-server.ts';
import {
  type Encoding,
  encodeMessage,
  encodeTask,
  encodeUpdate,
  streamEvent,
} from '../../../mappings/a2a/encode-task.ts';
import { isSettled } from '../../../mappings/a2a/states.ts';
import { type Event, TaskView, type Update, type ViewStatus } from '../../../mappings/a2a/task-view.ts';
import {
  type Found,
  isAtHand,
  NOTHING,
  restored,
  type Wanted,
  wantedByTask,
  wantedByUpdate,
} from './contents.ts';
import { refusalOf } from './faults.ts';

interface StreamOptions {
  stream: ServerStream;
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

interface Change {
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
  #held: Change[] = [];
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

  take(updates: Update[], view: TaskView, event: Event): number {
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
    for (const change of this.#held.splice(0)) this.#send(change, view);
  }

  #send({ updates, event }: Change, view: TaskView): number {
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
    // The state moves on while bytes are read; what is sent is the update as it was.
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
      return stream.write({ sse: frame(event, id), id });
    const before = this.#tail ?? Promise.resolve();
    const tail = before.then(async () => {
      stream.write({ sse: frame(await event, id), id });
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

/** INPUT_REQUIRED ends a stream, AUTH_REQUIRED does not: its agent may go on by itself. Spec: A2A 1.0, 7.6. */
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

/** Where in a Task's events a follower begins; everything before is in its first snapshot. */
export type Start =
  /** Once the message with this id was taken and the agent works on it, if it does at once. */
  | { after: 'message'; id: string }
  /** After this event. */
  | { after: 'event'; id: string }
  /** Now. */
  | { after: 'history' };

/** Takes what becomes of a Task. */
interface Follower {
  /** The Task as it is at the start. `id` is the event it is complete up to. */
  begin(view: TaskView, id: string): void;
  /** What the next event means; returns the bytes not yet handed to the network. */
  take(updates: Update[], view: TaskView, event: Event): number;
  drained(): Promise<void>;
  cork?(): void;
  uncork?(): void;
  /** Nothing more comes. */
  end(view: TaskView, reason: StreamEnd, error?: ProtocolError): void;
}

/** Folds the stream of a Task and hands on what happens from the start on. */
class TaskSink implements StreamSink {
  readonly #view = new TaskView();
  readonly #start: Start;
  readonly #follower: Follower;
  #hasBegun = false;
  #isHeard = false;
  #last = '';

  constructor(start: Start, follower: Follower) {
    this.#start = start;
    this.#follower = follower;
  }

  write({ event }: StreamFrame): number {
    if (this.#isPast(event)) this.#begin();
    this.#last = event.id;
    const updates = this.#view.advance(event);
    if (this.#hasBegun) return this.#follower.take(updates, this.#view, event);
    this.#isHeard ||= this.#isMessage(event);
    if (this.#isHeard && !isPending(this.#view)) this.#begin();
    return 0;
  }

  /** What was decided with the message is in the log by now. */
  caughtUp(): void {
    if (this.#start.after !== 'message' || this.#isHeard) this.#begin();
  }

  cork(): void {
    this.#follower.cork?.();
  }

  uncork(): void {
    this.#follower.uncork?.();
  }

  drained(): Promise<void> {
    return this.#follower.drained();
  }

  end(reason: StreamEnd, error?: ProtocolError): void {
    if (error === undefined) this.#begin();
    this.#follower.end(this.#view, reason, error);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#follower.begin(this.#view, this.#last);
  }

  /** A cursor may lie on an event that this caller is not shown, or before the first one, which makes the Task. */
  #isPast(event: Event): boolean {
    const isWhole = !this.#hasBegun && this.#last !== '';
    return isWhole && this.#start.after === 'event' && event.id > this.#start.id;
  }

  #isMessage(event: Event): boolean {
    if (this.#start.after !== 'message' || event.event !== 'user.message') return false;
    const { message } = event.payload as { message?: { id?: string } };
    return message?.id === this.#start.id;
  }
}

/** A message was taken, and its Task is not on the move yet. */
function isPending({ status }: TaskView): boolean {
  return status.status === 'SUBMITTED' || isBlocked(status.status);
}

/** Follows a Task from its first event on, so that the view is whole wherever the follower begins. */
export function follow(
  gateway: Gateway,
  exchange: ServerRequest,
  taskId: string,
  start: Start,
  follower: Follower,
): Promise<Subscription> {
  const call = exchange.call({ path: { task_id: taskId }, lastEventId: undefined });
  return gateway.subscribe('streamTaskEvents', call, new TaskSink(start, follower));
}

/** Blocking calls under way; a shutdown answers them with the Task as it is. */
export class Waiting {
  readonly #open = new Set<() => void>();

  /**
   * The view once the Task is over or asks for something, counted from `start` on; at a shutdown as it is then. Rejects when
   * the caller left.
   */
  async until(gateway: Gateway, exchange: ServerRequest, taskId: string, start: Start): Promise<TaskView> {
    let subscription: Subscription | undefined;
    let isOver = false;
    let finish: () => void = () => undefined;
    const { signal } = exchange;
    try {
      return await new Promise<TaskView>((resolve, reject) => {
        let view: TaskView | undefined;
        finish = () => (view === undefined ? reject(leaving()) : resolve(view));
        this.#open.add(finish);
        signal.addEventListener('abort', () => reject(clientLeft()), { once: true });
        follow(gateway, exchange, taskId, start, {
          begin(seen) {
            view = seen;
            if (start.after !== 'message' && isSettled(seen.status.status)) resolve(seen);
          },
          take(updates, seen) {
            const isMoved = updates.some(({ type }) => type === 'status');
            if (isMoved && isSettled(seen.status.status)) resolve(seen);
            return 0;
          },
          drained: async () => undefined,
          end: (seen, _reason, error) => (error === undefined ? resolve(seen) : reject(error)),
        }).then((made) => {
          subscription = made;
          if (isOver) made.close();
        }, reject);
      });
    } finally {
      isOver = true;
      this.#open.delete(finish);
      subscription?.close();
    }
  }

  drain(): void {
    for (const finish of this.#open) finish();
  }
}

function leaving(): ProtocolError {
  return new ProtocolError(
    'service_unavailable',
    'The gateway is shutting down. Ask for the task in a moment.',
  );
}

function clientLeft(): ProtocolError {
  return new ProtocolError('client_closed_request', 'The client left before the task was settled.');
}
