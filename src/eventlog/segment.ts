import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#protocol/json-shape.ts';
import { eventIdBehind, eventIdOf, eventNumberOf, partitionOf } from '#protocol/ports.ts';
import { eventKey, lastSegment, streamOf } from '#store/keys.ts';
import { checked, contentOfChecked, SEAL_BYTES, seal, sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { Event, Segment, State, StoredEvent } from './event-log.ts';

/**
 * Most events of a segment. An event is found by trying the keys from its own id on, so this is also how many look-ups that
 * can take.
 */
const MAX_SEGMENT_EVENTS = 64;
/** Characters of JSON behind which a segment is ended, so that one read never brings much more than was asked for. */
const MAX_SEGMENT_CHARS = 256 * 1024;

/**
 * The unit in which events are stored: consecutive events that one transaction added to one Session, or to one resource
 * outside of Sessions. One row `e/<id of the last event>`, hashed once; its content is the JSON of the events as it is sent,
 * a line each. JSON has no line ends of its own.
 */
export interface SealedSegment {
  key: string;
  sealed: Buffer;
  events: readonly Event[];
}

/** The events of one transaction on their way into segments. */
export class SegmentWriter {
  /** Those that are complete, and the open one behind them. */
  readonly #parts: { owner: string; events: Event[]; json: string[]; chars: number }[] = [];
  /** How many were added. */
  events = 0;

  add(event: Event): void {
    const json = JSON.stringify(event);
    const owner = event.session_id ?? `${event.resource.object}/${event.resource.id}`;
    const open = this.#parts.at(-1);
    this.events += 1;
    if (
      open?.owner !== owner ||
      open.events.length === MAX_SEGMENT_EVENTS ||
      open.chars > MAX_SEGMENT_CHARS
    ) {
      this.#parts.push({ owner, events: [event], json: [json], chars: json.length });
      return;
    }
    open.events.push(event);
    open.json.push(json);
    open.chars += json.length;
  }

  /** Staged events are looked for seldom, and are few. */
  find(id: string): Event | undefined {
    return this.#parts.flatMap(({ events }) => events).find((event) => event.id === id);
  }

  /** Those with an id behind this one, oldest first. */
  behind(id: string): Event[] {
    return this.#parts.flatMap(({ events }) => events).filter((event) => event.id > id);
  }

  seal(): SealedSegment[] {
    return this.#parts.map(({ events, json }) => {
      const key = eventKey(events.at(-1)?.id ?? '');
      return { key, sealed: seal(json.join('\n'), key), events };
    });
  }
}

const LINE_END = 0x0a;

/** The bytes of each event, as views of the content. */
export function eventsIn(content: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = content.indexOf(LINE_END, from);
    if (end === -1) return [...events, content.subarray(from)];
    events.push(content.subarray(from, end));
    from = end + 1;
  }
}

/** Events that are stored in a segment with their bytes. */
export function storedEvents({ sealed, events }: SealedSegment): StoredEvent[] {
  const lines = eventsIn(sealed.subarray(SEAL_BYTES));
  return events.map((event, at) => ({ event, bytes: lines[at] ?? Buffer.alloc(0) }));
}

/**
 * The first segment that ends with this event or one behind it: the only one that can hold it. Keys cannot be looked for in
 * order without waiting, so they are tried.
 */
export function segmentFrom(
  store: Pick<Store, 'get'>,
  id: string,
): { key: string; sealed: Buffer } | undefined {
  const [first, partition] = [eventNumberOf(id), partitionOf(id)];
  // An id that somebody made up may have a number that no event ever gets.
  for (let n = first; n < first + MAX_SEGMENT_EVENTS && Number.isSafeInteger(n); n += 1) {
    const key = eventKey(eventIdOf(n, partition));
    const sealed = store.get(key);
    if (sealed !== undefined) return { key, sealed };
  }
  return undefined;
}

/** The segment that holds an event, checked against its seal; throws IntegrityError when it is damaged. */
export function readSegment(store: Pick<Store, 'get'>, id: string): Segment | undefined {
  const found = segmentFrom(store, id);
  const segment = found && segmentOf(found.key, found.sealed);
  return segment !== undefined && segment.firstId <= id ? segment : undefined;
}

/** A stored segment; its events have the ids up to that of its key. Throws IntegrityError when it is damaged. */
export function segmentOf(key: string, sealed: Buffer): Segment {
  const events = eventsIn(unseal(sealed, key));
  const lastId = lastSegment(key);
  const firstId = eventIdBehind(lastId, 1 - Math.min(events.length, eventNumberOf(lastId) + 1));
  return { key, firstId, lastId, events, sha256: sealedHash(sealed) };
}

/** The bytes of one event; undefined when the segment does not hold it. */
export function eventIn({ lastId, events }: Segment, id: string): Buffer | undefined {
  return events[events.length - 1 - (eventNumberOf(lastId) - eventNumberOf(id))];
}

/**
 * Rows that name a segment in the streams of its Session and its Tasks, by their keys. `events` are all that it holds: their
 * ids follow each other, and they are of one Session or of none.
 */
export function streamRows(
  key: string,
  events: readonly Pick<Event, 'session_id' | 'task_id'>[],
): [string, string][] {
  const distances = events.map((_, at) => events.length - 1 - at);
  const streams = new Map<string, number[]>();
  const session = events[0]?.session_id ?? null;
  if (session !== null) streams.set(streamOf('session', session), distances);
  for (const task of new Set(events.map(({ task_id }) => task_id)))
    if (task !== null)
      streams.set(
        streamOf('task', task),
        distances.filter((_, at) => events[at]?.task_id === task),
      );
  const last = lastSegment(key);
  return [...streams].map(([stream, own]) => encodeRow(stream + last, own));
}

const ONLY_THE_LAST = '';

/**
 * A row of a stream ends in the id of a segment; its value says which events of it are the stream's, as runs of their
 * distances from the last one: `6-0` for the last seven, `4-3,1` for three others. Empty: the last one alone.
 */
function encodeRow(key: string, distances: readonly number[]): [key: string, value: string] {
  const runs: { from: number; to: number }[] = [];
  for (const distance of distances) {
    const run = runs.at(-1);
    if (run !== undefined && run.to === distance + 1) run.to = distance;
    else runs.push({ from: distance, to: distance });
  }
  const text = runs.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join();
  return [key, text === '0' ? ONLY_THE_LAST : checked(text, key)];
}

/** Ids of the events that a row names, oldest first. Throws IntegrityError for a damaged row. */
export function idsOfRow(key: string, value: Buffer): string[] {
  const last = lastSegment(key);
  if (value.length === 0) return [last];
  const ids: string[] = [];
  for (const run of contentOfChecked(value, key).toString('latin1').split(',')) {
    const [from = 0, to = from] = run.split('-').map(Number);
    for (let distance = from; distance >= to; distance -= 1) ids.push(eventIdBehind(last, -distance));
  }
  return ids;
}

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

/** The member of a stored row that refers to what an event said: the id of the event, or the key of another row that has it. */
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

  /** Whether the state holds only what its event said, so that the id of the event is enough to store. */
  isAllSaid(key: string, state: State): boolean {
    const slot = this.#slots(key);
    if (slot?.rest === undefined || slot.path.length !== 1) return false;
    const { [slot.path[0]]: _said, ...rest } = state as Record<string, unknown>;
    return isDeepStrictEqual(rest, slot.rest);
  }

  /** The state that was stored as the id of an event, and the event. Throws IntegrityError when it cannot be read. */
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
    const name = isObject(named) ? named[SAID] : undefined;
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

function memberAt(state: State, path: readonly string[]): unknown {
  let value: unknown = path.length === 0 ? undefined : state;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

function withMember(state: State, [name = '', ...rest]: readonly string[], value: object): State {
  const inner = (state as Record<string, unknown>)[name];
  return { ...state, [name]: rest.length === 0 || !isObject(inner) ? value : withMember(inner, rest, value) };
}

/** The id before the first event, and the cursor that means "from the start". */
export const NO_EVENT = eventIdOf(0);

/**
 * Ids left out when a log goes on that lost its end, or was restored: far more than can have been given since the newest
 * one that is known, so that none is given twice and an old cursor is known as one. See README.md, Event ids.
 */
export const EPOCH_GAP = 10 ** 12;

/** Above every epoch that began by the gap alone. */
const FIRST_RESTORED = 10 ** 15;
/** More events than a log takes in a millisecond, in the long run. */
const IDS_PER_MS = 100;
const COUNTED_FROM_MS = Date.UTC(2020, 0, 1);

/**
 * A number that no event has been given by this time, in whichever life of a log: a backup may be restored more than once, and knows
 * nothing of what the others have given since. The numbers last for two thousand years of it.
 */
export function idsGivenBy(nowMs: number): number {
  return FIRST_RESTORED + Math.max(0, nowMs - COUNTED_FROM_MS) * IDS_PER_MS;
}

export function isEventId(text: string): boolean {
  return EVENT_ID.test(text) && Number.isSafeInteger(eventNumberOf(text));
}
