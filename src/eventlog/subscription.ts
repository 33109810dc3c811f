import { ProtocolError } from '#protocol/errors.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import type { Event, EventLog, StoredEvent, StreamScope } from './event-log.ts';
import { checkCursor, storedEvent } from './log-reader.ts';

/** An event on its way to subscribers. The SSE frame is made when the first of them asks and shared by all. */
export class EventFrame implements StoredEvent {
  readonly event: Event;
  readonly bytes: Buffer;
  #sse: Buffer | undefined;
  readonly #shown: { toInternal?: EventFrame; toOthers?: EventFrame } = {};

  constructor({ event, bytes }: StoredEvent) {
    this.event = event;
    this.bytes = bytes;
  }

  get id(): string {
    return this.event.id;
  }

  get kind(): string {
    return this.event.event;
  }

  /** The form that readers of one kind are shown; made once, however many read it. */
  shown(to: 'toInternal' | 'toOthers', make: (frame: EventFrame) => EventFrame): EventFrame {
    this.#shown[to] ??= make(this);
    return this.#shown[to];
  }

  /** LF line ends; the SSE id equals the event id. JSON text has no line breaks, so nothing can split it. */
  get sse(): Buffer {
    this.#sse ??= Buffer.concat([
      Buffer.from(`id: ${this.id}\nevent: ${this.kind}\ndata: `),
      this.bytes,
      Buffer.from('\n\n'),
    ]);
    return this.#sse;
  }
}

interface FrameReceiver {
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
class LiveFeed {
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

/** Where a subscription delivers. A closed sink returns 0 from `write`, resolves `drained`, and closes the subscription. */
export interface FrameSink {
  /** Takes one frame; `replayed`: recorded before the subscription began. Returns the bytes not yet handed to the network. */
  write(frame: EventFrame, replayed: boolean): number;
  /** Called once, when history is delivered and live delivery begins. */
  caughtUp?(): void;
  /** Several frames follow; they may be held until `uncork`. */
  cork?(): void;
  uncork?(): void;
  /** Resolves when the buffered bytes are below half the cap. */
  drained(): Promise<void>;
  /** `complete`: the stream is over. `overflow`: the client is too slow and has to resume. `failed`: with the error. */
  end(reason: 'complete' | 'overflow' | 'failed', error?: ProtocolError): void;
}

export interface SubscriptionOptions {
  scope: StreamScope;
  /** Event id to go on after, checked by `checkCursor`. Default: from the start. */
  after?: string;
  /** Name of the cursor in an `invalid_request`. Default `Last-Event-ID`. */
  cursorParam?: string;
  /** Events the subscriber may see; default all. */
  filter?: (event: Event) => boolean;
  /** Whether the stream ends with this event. */
  isLast?: (event: Event) => boolean;
  /** Asked once everything durable was delivered: whether nothing more can come. */
  isOver?: () => boolean;
  sink: FrameSink;
  /** Unsent bytes of a live subscriber above which it is ended with `overflow`. */
  maxBufferedBytes: number;
}

export interface EventSubscription {
  /** Newest event id up to which this stream is complete; heartbeats carry it. */
  cursor(): string;
  /** How far it is behind. */
  lag(): FollowerLag;
  close(): void;
}

export interface FollowerLag {
  /** Whether it has delivered all there was and takes what is committed at once. */
  isLive: boolean;
  /** Events of the whole log after the one it has delivered; 0 while it is live. */
  events: number;
  /** Bytes that its client had not taken when its newest event was written. */
  unsentBytes: number;
}

interface SubscriptionsOptions {
  /** Deliveries in one turn of the event loop. Default 1,000. */
  sliceSize?: number;
  /** Events read from the log at once. Default 200. */
  historyPage?: number;
}

/** All subscriptions to one log. */
export class Subscriptions {
  readonly #log: EventLog;
  readonly #feed: LiveFeed;
  readonly #historyPage: number;

  constructor(log: EventLog, { sliceSize = 1_000, historyPage = 200 }: SubscriptionsOptions = {}) {
    this.#log = log;
    this.#feed = new LiveFeed(log, sliceSize);
    this.#historyPage = historyPage;
  }

  /** Delivers history, then live events, without gap or duplicate. Throws for a bad cursor (see `checkCursor`). */
  subscribe(options: SubscriptionOptions): EventSubscription {
    const { scope, after, cursorParam = 'Last-Event-ID' } = options;
    const start = checkCursor(this.#log, scope, after, cursorParam);
    const subscription = new Subscriber(this.#log, this.#feed, this.#historyPage, options, start);
    void subscription.run();
    return subscription;
  }

  close(): void {
    this.#feed.close();
  }
}

/**
 * History is read page by page, only while the sink accepts. When a page comes back short, the subscriber joins the live
 * feed and keeps what it brings aside, reads once more what was committed in between, then takes what it kept: ids it has
 * passed already are dropped, so nothing is doubled, and nothing can fall between. If too much comes in meanwhile it goes
 * back to reading history, so no queue grows without bound.
 */
class Subscriber implements EventSubscription, FrameReceiver {
  readonly #log: EventLog;
  readonly #feed: LiveFeed;
  readonly #page: number;
  readonly #options: SubscriptionOptions;
  /** Newest event at the start: what comes after it is live. */
  readonly #startedAt: string;
  #cursor: string;
  #unsentBytes = 0;
  #mode: 'history' | 'joining' | 'live' | 'closed' = 'history';
  #kept: EventFrame[] = [];
  #leave: () => void = () => undefined;

  constructor(log: EventLog, feed: LiveFeed, page: number, options: SubscriptionOptions, start: string) {
    this.#log = log;
    this.#feed = feed;
    this.#page = page;
    this.#options = options;
    this.#startedAt = log.head.eventId;
    this.#cursor = start;
  }

  cursor(): string {
    return this.#cursor;
  }

  lag(): FollowerLag {
    const isLive = this.#mode === 'live';
    const events = eventNumberOf(this.#log.head.eventId) - eventNumberOf(this.#cursor);
    return { isLive, events: isLive ? 0 : Math.max(0, events), unsentBytes: this.#unsentBytes };
  }

  close(): void {
    this.#mode = 'closed';
    this.#kept = [];
    this.#leave();
  }

  async run(): Promise<void> {
    try {
      while (this.#mode === 'history') {
        await this.#readHistory();
        await this.#cutOver();
      }
    } catch (error) {
      this.#end('failed', ProtocolError.from(error));
    }
  }

  take(frames: readonly EventFrame[]): void {
    if (this.#mode === 'live') this.#takeLive(frames);
    else if (this.#mode === 'joining' && this.#kept.push(...frames) > this.#page) this.#backToHistory();
  }

  /** The events of a commit are one write to the network. */
  #takeLive(frames: readonly EventFrame[]): void {
    const { sink } = this.#options;
    if (frames.length > 1) sink.cork?.();
    try {
      for (const frame of frames) {
        if (this.#deliver(frame, false) > this.#options.maxBufferedBytes) this.#end('overflow');
      }
    } catch (error) {
      this.#end('failed', ProtocolError.from(error));
    } finally {
      if (frames.length > 1) sink.uncork?.();
    }
  }

  #backToHistory(): void {
    this.#leave();
    this.#kept = [];
    this.#mode = 'history';
  }

  async #readHistory(): Promise<void> {
    let size = this.#page;
    while (size === this.#page && this.#isOpen()) {
      const page = await this.#readPage();
      size = page.length;
      await this.#deliverSlowly(page.map((stored) => new EventFrame(stored)));
    }
  }

  /** Recent events are in memory, so a caller that follows a task it has just submitted waits for no read of the store. */
  async #readPage(): Promise<StoredEvent[]> {
    const { scope } = this.#options;
    const recent = this.#log.recent(scope, this.#cursor, this.#page);
    return recent ?? (await this.#log.range(scope, this.#cursor, this.#page)).map(storedEvent);
  }

  async #cutOver(): Promise<void> {
    if (this.#mode !== 'history') return;
    this.#mode = 'joining';
    this.#leave = this.#feed.join(this.#options.scope, this);
    await this.#readHistory();
    while (this.#isJoining() && this.#kept.length > 0) await this.#deliverSlowly(this.#kept.splice(0));
    if (!this.#isJoining()) return;
    if (this.#options.isOver?.()) await this.#finish();
    else this.#goLive();
  }

  #goLive(): void {
    this.#mode = 'live';
    this.#options.sink.caughtUp?.();
  }

  /** What says that it is over may be stored a moment before its events are published. */
  async #finish(): Promise<void> {
    await this.#readHistory();
    this.#end('complete');
  }

  /** One write to the network, unless the client has to be waited for between two frames; live delivery never waits. */
  async #deliverSlowly(frames: readonly EventFrame[]): Promise<void> {
    const { sink, maxBufferedBytes } = this.#options;
    sink.cork?.();
    try {
      for (const frame of frames) {
        if (!this.#isOpen()) return;
        if (this.#deliver(frame, frame.id <= this.#startedAt) <= maxBufferedBytes / 2) continue;
        sink.uncork?.();
        await sink.drained();
        sink.cork?.();
      }
    } finally {
      sink.uncork?.();
    }
  }

  /** Returns the unsent bytes of the sink. */
  #deliver(frame: EventFrame, replayed: boolean): number {
    if (this.#mode === 'closed' || frame.id <= this.#cursor) return 0;
    const { filter, isLast, sink } = this.#options;
    const isVisible = filter === undefined || filter(frame.event);
    const unsent = isVisible ? sink.write(frame, replayed) : 0;
    this.#cursor = frame.id;
    this.#unsentBytes = unsent;
    if (isLast?.(frame.event)) this.#end('complete');
    return unsent;
  }

  #end(reason: 'complete' | 'overflow' | 'failed', error?: ProtocolError): void {
    if (this.#mode === 'closed') return;
    this.close();
    this.#options.sink.end(reason, error);
  }

  // Methods, because other code changes the mode while these functions wait.
  #isOpen(): boolean {
    return this.#mode !== 'closed';
  }

  #isJoining(): boolean {
    return this.#mode === 'joining';
  }
}
