import { EventFrame } from './event-frame.ts';
import type { EventLog, StoredEvent, StreamScope } from './event-log.ts';

export interface FrameReceiver {
  /** Takes the events of one commit, in order. */
  take(frames: readonly EventFrame[]): void;
}

/** Events of one commit and those who get them; the iterator remembers how far the delivery has come. */
interface Delivery {
  frames: EventFrame[];
  receivers: Iterator<FrameReceiver>;
}

/**
 * Hands committed events to the subscribers of their streams, all those of one commit at once: a subscriber then costs one
 * write to the network, not one per event. At most `sliceSize` deliveries run in one turn of the event
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
      for (const [receivers, frames] of this.#audiences(events))
        this.#deliveries.push({ frames, receivers: receivers.values() });
      if (!this.#scheduled && this.#deliveries.length > 0) this.#deliver();
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

  /** Every subscriber is in one set only, so the order within a set is the order each of them sees. */
  #audiences(events: readonly StoredEvent[]): Map<Set<FrameReceiver>, EventFrame[]> {
    const audiences = new Map<Set<FrameReceiver>, EventFrame[]>();
    for (const stored of events) {
      const { session_id, task_id } = stored.event;
      let frame: EventFrame | undefined;
      for (const set of [this.#all, this.#sessions.get(session_id ?? ''), this.#tasks.get(task_id ?? '')]) {
        if (set === undefined || set.size === 0) continue;
        frame ??= new EventFrame(stored);
        const frames = audiences.get(set);
        if (frames === undefined) audiences.set(set, [frame]);
        else frames.push(frame);
      }
    }
    return audiences;
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

/** Runs deliveries in order until `budget` events were handed over; returns those that are not finished. */
function deliverSlice(deliveries: Delivery[], budget: number): Delivery[] {
  let left = budget;
  for (const [at, { frames, receivers }] of deliveries.entries()) {
    for (let next = receivers.next(); !next.done; next = receivers.next()) {
      next.value.take(frames);
      left -= frames.length;
      if (left <= 0) return deliveries.slice(at);
    }
  }
  return [];
}

function joinSet(set: Set<FrameReceiver>, receiver: FrameReceiver): () => void {
  set.add(receiver);
  return () => set.delete(receiver);
}
