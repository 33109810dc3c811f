import type { FaceExchange } from '#face.ts';
import type { Gateway, StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import type { ProtocolError } from '#protocol/errors.ts';
import { isBlocked } from '#protocol/task-states.ts';
import { type Event, TaskView, type Update } from '../../../mappings/a2a/task-view.ts';

/** Where in a Task's events a follower begins to tell; everything before is in its first snapshot. */
export type Start =
  /** Once the message with this id was taken and the agent works on it, if it does at once. */
  | { after: 'message'; id: string }
  /** After this event. */
  | { after: 'event'; id: string }
  /** Now. */
  | { after: 'history' };

/** Takes what a follower tells. */
export interface Follower {
  /** The Task as it is at the start. `id` is the event it is complete up to. */
  begin(view: TaskView, id: string): void;
  /** What the next event means; returns the bytes not yet handed to the network. */
  tell(updates: Update[], view: TaskView, event: Event): number;
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
    if (this.#hasBegun) return this.#follower.tell(updates, this.#view, event);
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

/** Follows a Task from its first event on, so that the view is whole wherever the telling begins. */
export function follow(
  gateway: Gateway,
  exchange: FaceExchange,
  taskId: string,
  start: Start,
  follower: Follower,
): Promise<Subscription> {
  const call = exchange.call({ path: { task_id: taskId }, lastEventId: undefined });
  return gateway.subscribe('streamTaskEvents', call, new TaskSink(start, follower));
}
