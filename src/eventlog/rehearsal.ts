import { type CleanText, own } from '#protocol/clean.ts';
import { eventIdBehind } from '#protocol/ports.ts';
import type { Event, NewEvent, Projection, ResourcePointer, State, Transaction } from './event-log.ts';
import {
  buildEvent,
  copyOf,
  type Drafts,
  type FoldWriter,
  foldEvent,
  type ResourceHead,
  recordOf,
} from './fold-record.ts';
import { NO_EVENT, saidBy } from './segment.ts';

/**
 * A transaction kept in memory only. Decisions run in it as they ran in the log, with recorded times. Its events are compared
 * with the recorded ones, each with the one at its place.
 */
export class Rehearsal implements Transaction, FoldWriter {
  readonly #projection: Projection;
  readonly #states = new Map<string, State | undefined>();
  readonly #heads = new Map<string, ResourceHead>();
  readonly #records = new Map<string, Buffer>();
  readonly #drafts: Drafts = new Map();
  #isFolding = false;
  #places: readonly Event[] = [];
  #appended: Event[] = [];
  #time = own('');
  #position = own(NO_EVENT);

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Begins the next transaction, at a recorded time, in the places of these recorded events. */
  begin(time: CleanText, places: readonly Event[]): void {
    this.#time = time;
    this.#places = places;
    this.#appended = [];
    this.#drafts.clear();
    this.#placeSession();
  }

  /** Restores the head of the session before the transaction, as the recorded event that follows it names it. */
  #placeSession(): void {
    const first = this.#places.find(({ resource }) => resource.object === 'session');
    if (!first) return;
    const { previous_event_id: event_id, sequence, resource } = first;
    if (event_id === null) this.#heads.delete(recordOf(resource));
    else this.moveHead(resource, { event_id, sequence: sequence - 1 });
  }

  /** What was appended since `begin`. */
  get appended(): readonly Event[] {
    return this.#appended;
  }

  get time(): CleanText {
    return this.#time;
  }

  get position(): CleanText {
    return this.#position;
  }

  get<S extends State>(key: string): S | undefined {
    if (!this.#isFolding) this.#drafts.delete(key);
    // The caller names the type of the states under its own keys.
    return this.#states.get(key) as S | undefined;
  }

  draft<S extends State>(key: string): S | undefined {
    const open = this.#drafts.get(key) as S | undefined;
    if (open !== undefined) return open;
    const state = this.get<S>(key);
    if (state === undefined) return undefined;
    const draft = copyOf(state);
    this.#drafts.set(key, draft);
    this.#states.set(key, draft);
    return draft;
  }

  set(key: string, state: State | undefined): void {
    this.#drafts.delete(key);
    this.#states.set(key, state);
  }

  said<Value extends object>(event: Event, value: Value): Value {
    return saidBy(event, value);
  }

  head(resource: ResourcePointer): ResourceHead | undefined {
    return this.#heads.get(recordOf(resource));
  }

  moveHead(resource: ResourcePointer, head: ResourceHead): void {
    this.#heads.set(recordOf(resource), head);
  }

  /** Lists are for readers of the log; no decision reads one. */
  index(): void {}

  unindex(): void {}

  append(input: NewEvent): Event {
    const place = this.#places[this.#appended.length] ?? this.#places.at(-1);
    const head = this.head(input.resource);
    const origin = { actor: place?.actor ?? null, traceId: place?.trace_id, spanId: place?.span_id };
    const content = { payload: plain(input.payload), metadata: plain(input.metadata ?? {}) };
    const event = buildEvent(input, content, definedOf(origin), {
      id: this.#places[this.#appended.length]?.id ?? eventIdBehind(this.#position, 1),
      sequence: (head?.sequence ?? 0) + 1,
      previousEventId: head?.event_id ?? null,
      time: this.#time,
    });
    this.keep(event);
    return event;
  }

  /** Takes an event as it was recorded. */
  keep(event: Event): void {
    this.#appended.push(event);
    this.#position = own(event.id);
    this.#isFolding = true;
    try {
      foldEvent(event, this, this.#projection);
    } finally {
      this.#isFolding = false;
    }
  }

  record(key: string, value: Buffer | string): void {
    this.#records.set(key, Buffer.from(value));
  }

  recordLater(key: string, make: () => string): void {
    this.record(key, make());
  }

  erase(key: string): void {
    this.#records.delete(key);
  }

  recorded(key: string): Buffer | undefined {
    return this.#records.get(key);
  }

  event(id: string): Event | undefined {
    return this.#appended.find((event) => event.id === id);
  }

  eventsBehind(position: string): Event[] {
    return this.#appended.filter((event) => event.id > position);
  }

  /** What is recorded beside a run was recorded when it ran. */
  atEnd(): void {}

  /** Nothing happens after a rehearsal: no agent is notified, no run is woken. */
  afterCommit(): void {}
}

/** As the log would store it: members without a value are not there. */
function plain(value: NewEvent['payload']): NewEvent['payload'] {
  return JSON.parse(JSON.stringify(value));
}

function definedOf(origin: {
  actor: string | null;
  traceId: string | null | undefined;
  spanId: string | null | undefined;
}) {
  const { actor, traceId, spanId } = origin;
  return { actor, ...(traceId ? { traceId } : {}), ...(spanId ? { spanId } : {}) };
}
