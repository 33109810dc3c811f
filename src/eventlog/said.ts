import { isDeepStrictEqual } from 'node:util';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { Event, State } from './event-log.ts';
import { eventIn, readSegment } from './segment.ts';

/**
 * Where the state under a key holds what one event said, and how that is made from the event again: while the event is kept
 * the row refers to it and does not repeat it.
 */
export interface SaidSlot {
  path: readonly [string] | readonly [string, string];
  make(event: Event): object | undefined;
  /** What the state is besides, unless something more was said of it. Default: nothing can be said of it in advance. */
  rest?: object;
  /** Key of another row that holds the same, for the time when the event is gone. Default: the row repeats it then. */
  alsoIn?(value: object): string | undefined;
}

/** The slot of the states under a key; undefined for those that are stored as they are. */
export type SaidSlots = (key: string) => SaidSlot | undefined;

/** The member that stands in a row in the place of what an event said: its id, or the key of the row that has it. */
const SAID = '$said';

interface Source {
  /** An event id, or the key of a row. */
  name: string;
  /** Of its JSON; known once it was read. */
  chars: number | undefined;
}

const sources = new WeakMap<object, Source>();

/** A copy of what an event says that is known to be its words; it cannot be changed. */
export function saidBy<Value extends object>(event: Event, value: Value, chars?: number): Value {
  return namedCopy(value, { name: event.id, chars });
}

function namedCopy<Value extends object>(value: Value, source: Source): Value {
  const own = Object.freeze({ ...value });
  sources.set(own, source);
  return own;
}

export const EVENT_ID = /^[0-9]{20}$/;

/** Keeps what events said once: rows name the event, states have the words. */
export class SaidWords {
  readonly #slots: SaidSlots;
  readonly #store: Pick<Store, 'get'>;

  constructor(slots: SaidSlots, store: Pick<Store, 'get'>) {
    this.#slots = slots;
    this.#store = store;
  }

  mayBeAt(key: string): boolean {
    return this.#slots(key) !== undefined;
  }

  /** What the state under a key refers to. */
  sourceOf(key: string, state: State): Source | undefined {
    const slot = this.#slots(key);
    const value = slot && memberAt(state, slot.path);
    return isObject(value) ? sources.get(value) : undefined;
  }

  /** The state as it is stored, with what it refers to. */
  shorten(key: string, state: State): { stored: State; source: Source | undefined } {
    const slot = this.#slots(key);
    if (slot === undefined) return { stored: state, source: undefined };
    const source = this.sourceOf(key, state);
    return { stored: source ? withMember(state, slot.path, { [SAID]: source.name }) : state, source };
  }

  /** Whether the state says nothing but what its event said, so that the id of the event stands for all of it. */
  isAllSaid(key: string, state: State): boolean {
    const slot = this.#slots(key);
    if (slot?.rest === undefined || slot.path.length !== 1) return false;
    const { [slot.path[0]]: _said, ...rest } = state as Record<string, unknown>;
    return isDeepStrictEqual(rest, slot.rest);
  }

  /** The state for which the id of an event stands, and the event. Throws IntegrityError when it cannot be read. */
  saidWholly(key: string, eventId: string): { event: Event; state: State } {
    const slot = this.#slots(key);
    const said = slot && this.#saidIn(eventId, slot);
    if (slot === undefined || said === undefined) throw unreadable(key, eventId);
    return { event: said.event, state: { [slot.path[0]]: said.value, ...slot.rest } };
  }

  /** The state as folds and readers have it. Throws IntegrityError when what it refers to cannot be read. */
  complete(key: string, stored: State, readRow: ReadRow): State {
    const slot = this.#slots(key);
    const named = slot && memberAt(stored, slot.path);
    const name = isObject(named) ? (named as { [SAID]?: unknown })[SAID] : undefined;
    if (slot === undefined || typeof name !== 'string') return stored;
    const value = EVENT_ID.test(name) ? this.#saidIn(name, slot)?.value : this.#heldIn(name, readRow);
    if (value === undefined) throw unreadable(key, name);
    return withMember(stored, slot.path, value);
  }

  #saidIn(eventId: string, slot: SaidSlot): { event: Event; value: object } | undefined {
    const segment = readSegment(this.#store, eventId);
    const bytes = segment && eventIn(segment, eventId);
    const event: Event | undefined = bytes && JSON.parse(bytes.toString('utf8'));
    const value = event && slot.make(event);
    return event && value && { event, value: saidBy(event, value, bytes?.length) };
  }

  #heldIn(row: string, readRow: ReadRow): object | undefined {
    const state = readRow(row);
    const value = state && memberAt(state, this.#slots(row)?.path ?? []);
    return isObject(value) ? namedCopy(value, { name: row, chars: undefined }) : undefined;
  }

  /** The state without a reference to an event: with its own words, or those of another row. */
  whole(key: string, state: State, readRow: ReadRow): State {
    const slot = this.#slots(key);
    const value = slot && memberAt(state, slot.path);
    if (slot === undefined || !isObject(value)) return state;
    const row = slot.alsoIn?.(value);
    const other = row === undefined ? undefined : this.#heldIn(row, readRow);
    const isThere = other !== undefined && isDeepStrictEqual(other, { ...value });
    return withMember(state, slot.path, isThere ? other : { ...value });
  }
}

function unreadable(key: string, name: string): IntegrityError {
  return new IntegrityError(key, `what ${name} says`, 'no such record');
}

/** The state of another row. */
export type ReadRow = (key: string) => State | undefined;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function memberAt(state: State, path: readonly string[]): unknown {
  let value: unknown = path.length === 0 ? undefined : state;
  for (const name of path) value = isObject(value) ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

function withMember(state: State, [name = '', ...rest]: readonly string[], value: object): State {
  const inner = (state as Record<string, unknown>)[name];
  return { ...state, [name]: rest.length === 0 || !isObject(inner) ? value : withMember(inner, rest, value) };
}
