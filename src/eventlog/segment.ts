import { checked, contentOfChecked } from '#store/checked-record.ts';
import { eventIdOf, eventKey, lastSegment, streamOf } from '#store/keys.ts';
import { SEAL_BYTES, seal, sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { eventNumberOf } from './event-id.ts';
import type { Event, Segment, StoredEvent } from './event-log.ts';

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
  const first = eventNumberOf(id);
  for (let n = first; n < first + MAX_SEGMENT_EVENTS; n += 1) {
    const key = eventKey(eventIdOf(n));
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
  const firstId = eventIdOf(Math.max(0, eventNumberOf(lastId) - events.length + 1));
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
  const end = eventNumberOf(last);
  const ids: string[] = [];
  for (const run of contentOfChecked(value, key).toString('latin1').split(',')) {
    const [from = 0, to = from] = run.split('-').map(Number);
    for (let distance = from; distance >= to; distance -= 1) ids.push(eventIdOf(end - distance));
  }
  return ids;
}
