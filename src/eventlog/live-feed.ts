import { EventFrame } from './event-frame.ts';
import type { Event, EventLog, StreamScope } from './event-log.ts';

export interface FrameReceiver {
  take(frame: EventFrame): void;
}

/** One event and those who get it; the iterator remembers how far the delivery has come. */
interface Delivery {
  frame: EventFrame;
  receivers: Iterator<FrameReceiver>;
}

/**
 * Hands committed events to the subscribers of their streams. At most `sliceSize` deliveries run in one turn of the event
 * loop, so that commits never wait for a large audience. A receiver that joins while a delivery is under way may get an
 * event it has read from the log already, never miss one: it drops ids it knows.
 */
export class LiveFeed {
  readonly #all = new Set<FrameReceiver>();
  readonly #sessions = new Map<string, Set<FrameReceiver>>();
  readonly #tasks = new Map<string, Set<FrameReceiver>>();
  readonly #sliceSize: number;
  readonly #stop: () => void;
  #deliveries: Delivery[] = [];
  #scheduled = false;

  constructor(log: EventLog, sliceSize: number) {
    this.#sliceSize = sliceSize;
    this.#stop = log.tail((events) => {
      for (const stored of events) {
        const sets = this.#audience(stored.event);
        if (sets.length > 0) this.#deliveries.push({ frame: new EventFrame(stored), receivers: each(sets) });
      }
      if (!this.#scheduled) this.#deliver();
    });
  }

  /** Registers until the returned function is called. */
  join(scope: StreamScope, receiver: FrameReceiver): () => void {
    if (scope.kind === 'all') return joinSet(this.#all, receiver);
    const streams = scope.kind === 'session' ? this.#sessions : this.#tasks;
    const set = streams.get(scope.id) ?? new Set();
    streams.set(scope.id, set.add(receiver));
    return () => {
      set.delete(receiver);
      if (set.size === 0 && streams.get(scope.id) === set) streams.delete(scope.id);
    };
  }

  close(): void {
    this.#stop();
    this.#deliveries = [];
  }

  #audience(event: Event): Set<FrameReceiver>[] {
    const sets = [
      this.#all,
      event.session_id === null ? undefined : this.#sessions.get(event.session_id),
      event.task_id === null ? undefined : this.#tasks.get(event.task_id),
    ];
    return sets.filter((set) => set !== undefined && set.size > 0) as Set<FrameReceiver>[];
  }

  #deliver(): void {
    this.#scheduled = false;
    const rest = deliverSlice(this.#deliveries, this.#sliceSize);
    this.#deliveries = rest;
    if (rest.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }
}

/** Runs up to `budget` deliveries in order; returns those that are not finished. */
function deliverSlice(deliveries: Delivery[], budget: number): Delivery[] {
  let left = budget;
  for (const [at, { frame, receivers }] of deliveries.entries()) {
    for (let next = receivers.next(); !next.done; next = receivers.next()) {
      next.value.take(frame);
      left -= 1;
      if (left === 0) return deliveries.slice(at);
    }
  }
  return [];
}

function* each(sets: Set<FrameReceiver>[]): Generator<FrameReceiver, void> {
  for (const set of sets) yield* set;
}

function joinSet(set: Set<FrameReceiver>, receiver: FrameReceiver): () => void {
  set.add(receiver);
  return () => set.delete(receiver);
}
