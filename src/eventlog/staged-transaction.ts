import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { eventIdOf, eventKey, headKey } from '../store/keys.ts';
import { seal, unseal } from '../store/sealed-record.ts';
import { buildEvent } from './encode-event.ts';

import type { Event, NewEvent, Origin, Projection, State, StateWriter, Transaction } from './event-log.ts';
import { foldEvent, type ResourceHead } from './fold-event.ts';
import { StagedChanges } from './staged-changes.ts';

/** Takes secrets out of event content; returns the same object when it is clean. */
export type Redact = (value: JsonValue) => JsonValue;

/** What the transactions before this one left behind, durable or not. */
export interface EarlierState {
  /** Number of the newest event. */
  readonly eventNumber: number;
  state(key: string): State | undefined;
  /** A sealed primary record. */
  record(key: string): Buffer | undefined;
}

export interface TransactionParts {
  origin: Origin;
  time: string;
  earlier: EarlierState;
  projection: Projection;
  redact: Redact;
}

/**
 * One transaction while its decision runs. Nothing leaves it before the log merges `changes`. The folds write to it too; a
 * decision sees it as a Transaction only.
 */
export class StagedTransaction implements Transaction, StateWriter {
  readonly changes = new StagedChanges();
  readonly actions: (() => void)[] = [];
  readonly #parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  get time(): string {
    return this.#parts.time;
  }

  get position(): string {
    return eventIdOf(this.#parts.earlier.eventNumber + this.changes.events.length);
  }

  get<S extends State>(key: string): S | undefined {
    const staged = this.changes.states;
    // The caller names the type of the states under its own keys.
    return (staged.has(key) ? staged.get(key) : this.#parts.earlier.state(key)) as S | undefined;
  }

  set(key: string, state: State | undefined): void {
    this.changes.states.set(key, state);
  }

  index(key: string): void {
    this.changes.markers.set(key, true);
  }

  unindex(key: string): void {
    this.changes.markers.set(key, false);
  }

  append(input: NewEvent): Event {
    const { origin, time, earlier, projection } = this.#parts;
    const { object, id } = input.resource;
    const head = input.isFirst ? undefined : this.get<ResourceHead>(headKey(object, id));
    const content = { payload: this.#clean(input.payload), metadata: this.#clean(input.metadata ?? {}) };
    const event = buildEvent(input, content, origin, {
      id: eventIdOf(earlier.eventNumber + this.changes.events.length + 1),
      sequence: (head?.sequence ?? 0) + 1,
      previousEventId: head?.event_id ?? null,
      time,
    });
    const key = eventKey(event.id);
    this.changes.events.push({ event, key, sealed: seal(JSON.stringify(event), key) });
    foldEvent(event, this, projection);
    return event;
  }

  record(key: string, value: Buffer | string): void {
    this.changes.record(key, seal(value, key));
  }

  erase(key: string): void {
    this.changes.erase(key);
  }

  recorded(key: string): Buffer | undefined {
    if (this.changes.erased.has(key)) return undefined;
    const sealed = this.changes.records.get(key) ?? this.#parts.earlier.record(key);
    return sealed === undefined ? undefined : unseal(sealed, key);
  }

  afterCommit(action: () => void): void {
    this.actions.push(action);
  }

  #clean(value: JsonObject): JsonObject {
    const clean = this.#parts.redact(value);
    if (clean === null || typeof clean !== 'object' || Array.isArray(clean))
      throw new TypeError('Redaction must keep an object an object.');
    return clean;
  }
}
