import type { Event } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { eventIdBehind, eventNumberOf } from '#protocol/ports.ts';
import type { FrameList, ListedFrame } from './frame-list.ts';
import type { FrameBlock, RecordedFrame } from './recorded-frame.ts';

/** Most frames of a row: a reader that looks for one of them tries no more keys than that. */
export const MAX_ROW_FRAMES = 64;

/** Characters as JSON from which on a value of a frame is not said again: a shorter one is as long as what points to it. */
const SAID_CHARS = 64;

/**
 * Where a value of a frame stands: its JSON pointer in the frame, how many events behind `after` (1: the next one), and its JSON
 * pointer in that event. In the frame itself stands null.
 */
type Said = [inFrame: string, event: number, inEvent: string];

/** A frame as its row holds it; `wholeFrame` puts it together. */
export interface StoredFrame extends RecordedFrame {
  said?: Said[];
}

/** A frame of a row, without its content where that is the content of an earlier one. */
type RowFrame = Omit<StoredFrame, 'frame' | 'said' | 'at' | 'after'> & {
  /** Absent: that of the frame before. */
  at?: string;
  /** How many events behind the `after` of the first frame its own is. Absent on the first. */
  behind?: number;
  after?: string;
  /** Which frame of the row, from 0, has the same `frame` and `said`: only what its events say is another. */
  as?: number;
} & Partial<Pick<StoredFrame, 'frame' | 'said'>>;

/**
 * The frames that one transaction recorded of a task, as one row, oldest first; its key has the number of the first. What
 * `events`, the task's own of the same transaction, say is not said again. A frame of its own is written as it is, several as
 * `{"frames": [...]}`.
 */
export function encodeFrameRow(frames: readonly RecordedFrame[], events: readonly Event[]): string {
  const [first] = frames;
  const places = placesIn(events);
  const stored = frames.map((frame) => hollow(frame, places));
  if (stored.length === 1) return JSON.stringify(stored[0]);
  const shapes = new Map<string, number>();
  let at: string | undefined;
  const rows = stored.map(({ frame, said, at: time, after, ...head }, index): RowFrame => {
    const row: RowFrame = {
      ...head,
      ...(time === at ? {} : { at: time }),
      ...(index === 0 ? { after } : { behind: eventNumberOf(after) - eventNumberOf(first?.after ?? '') }),
    };
    at = time;
    const shape = JSON.stringify([frame, said]);
    const as = shapes.get(shape);
    if (as !== undefined) return { ...row, as };
    shapes.set(shape, index);
    return { ...row, frame, ...(said === undefined ? {} : { said }) };
  });
  return JSON.stringify({ frames: rows });
}

/** The frames of a row, oldest first; what their events say is not in them yet. */
export function framesInRow(content: Buffer): StoredFrame[] {
  const row = JSON.parse(content.toString('utf8')) as StoredFrame | { frames: RowFrame[] };
  if (!('frames' in row)) return [row];
  const frames: StoredFrame[] = [];
  for (const { as, behind = 0, ...given } of row.frames) {
    const like = as === undefined ? undefined : frames[as];
    const at = given.at ?? frames.at(-1)?.at ?? '';
    const after = given.after ?? eventIdBehind(frames[0]?.after ?? '', behind);
    const { frame, said } = like ?? given;
    if (frame === undefined) throw new TypeError('A frame of a row has no content.');
    frames.push({ ...given, at, after, frame, ...(said === undefined ? {} : { said }) });
  }
  return frames;
}

/** An event that a frame is put together from is not there, or says nothing where the frame points. */
export class FrameGapError extends Error {
  override readonly name = 'FrameGapError';
  readonly eventId: string;

  constructor(eventId: string) {
    super(`Event ${eventId} does not say what a recorded frame points to.`);
    this.eventId = eventId;
  }
}

/** A frame as it was recorded. Throws FrameGapError, and whatever `eventOf` throws. */
export function wholeFrame(
  { said, ...stored }: StoredFrame,
  eventOf: (id: string) => Event | undefined,
): RecordedFrame {
  if (said === undefined) return stored;
  const frame = structuredClone(stored.frame) as unknown as JsonObject;
  for (const [inFrame, behind, inEvent] of said) {
    const id = eventIdBehind(stored.after, behind);
    const value = valueAt(eventOf(id) as unknown as JsonValue, inEvent);
    if (value === undefined) throw new FrameGapError(id);
    put(frame, inFrame, value);
  }
  return { ...stored, frame: frame as unknown as RecordedFrame['frame'] };
}

/** What a receipt knows of a frame, and what is kept on it of those before it. */
export interface FrameHead {
  listed: ListedFrame;
  /** In records under rules 1. */
  list?: FrameList;
  block?: FrameBlock;
}

/** The members that a row of one frame begins with; the frame itself, which may be large, is not parsed. */
const HEAD_OF_FRAME =
  /^\{"key":("(?:[^"\\]|\\.)*"),"at":"[^"]*","sha256":"([^"]*)"(?:,"redaction_proof":"([^"]*)")?(?:,"(list|block)":(\{[^}]*\}))?/;
/** Long enough for every override key and the members after it. */
const HEAD_BYTES = 2_048;

/** The heads of the frames of a row, oldest first. */
export function headsInRow(content: Buffer): FrameHead[] {
  const head = HEAD_OF_FRAME.exec(content.toString('utf8', 0, HEAD_BYTES));
  if (head === null) return framesInRow(content).map(headOf);
  const [, key = '""', sha256 = '', proof, together, digest] = head;
  const name = key.includes('\\') ? JSON.parse(key) : key.slice(1, -1);
  const listed = { key: name, sha256, ...(proof === undefined ? {} : { redaction_proof: proof }) };
  return [{ listed, ...(together === undefined ? {} : { [together]: JSON.parse(digest ?? '') }) }];
}

function headOf({ key, sha256, redaction_proof, list, block }: StoredFrame): FrameHead {
  const listed = { key, sha256, ...(redaction_proof === undefined ? {} : { redaction_proof }) };
  return { listed, ...(list === undefined ? {} : { list }), ...(block === undefined ? {} : { block }) };
}

/** A value, and where it stands: a member of `owner`, or the root. */
interface Place {
  value: unknown;
  name: string;
  owner: Place | undefined;
}

/** Where the values of some events stand; the place with no owner is the event itself. */
interface Places {
  /** By the very object or list: what an event carries on from the frame is the same one. */
  objects: Map<object, Place>;
  texts: Map<string, Place>;
}

function placesIn(events: readonly Event[]): Places {
  const places: Places = { objects: new Map(), texts: new Map() };
  const open: Place[] = [];
  for (const event of events) open.push({ value: event.payload, name: 'payload', owner: root(event) });
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'string') {
      if (value.length >= SAID_CHARS) places.texts.set(value, place);
    } else if (typeof value === 'object' && value !== null) {
      places.objects.set(value, place);
      for (const [name, member] of Object.entries(value)) open.push({ value: member, name, owner: place });
    }
  }
  return places;
}

/** The record with nothing in the places of long values that are said as a whole; itself where there are none. */
function hollow(record: RecordedFrame, { objects, texts }: Places): StoredFrame {
  const said: Said[] = [];
  const copies = new Map<Place, object>();
  const top = root(record.frame);
  const open = [top];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    const isText = typeof value === 'string';
    if (!isText && (typeof value !== 'object' || value === null)) continue;
    const long = isText ? value.length >= SAID_CHARS : objects.has(value) && isLong(value);
    const found = long ? (isText ? texts.get(value) : objects.get(value)) : undefined;
    const behind = found === undefined ? 0 : eventNumberOf(eventOf(found).id) - eventNumberOf(record.after);
    if (found !== undefined && behind > 0 && place !== top) {
      said.push([pointerTo(place), behind, pointerTo(found)]);
      empty(place, copies);
    } else if (!isText)
      for (const [name, member] of Object.entries(value)) open.push({ value: member, name, owner: place });
  }
  if (said.length === 0) return record;
  return { ...record, frame: copies.get(top) as unknown as RecordedFrame['frame'], said };
}

const root = (value: unknown): Place => ({ value, name: '', owner: undefined });

function eventOf(place: Place): Event {
  let at = place;
  while (at.owner !== undefined) at = at.owner;
  return at.value as Event;
}

function pointerTo(place: Place): string {
  let pointer = '';
  for (let { name, owner } = place; owner !== undefined; { name, owner } = owner) {
    const token = /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
    pointer = `/${token}${pointer}`;
  }
  return pointer;
}

/** Puts null in a place of the copy: every owner on the way to it is copied once. */
function empty(place: Place, copies: Map<Place, object>): void {
  let content: unknown = null;
  for (let at = place; at.owner !== undefined; at = at.owner) {
    const known = copies.get(at.owner);
    const copy =
      known ?? (Array.isArray(at.owner.value) ? [...at.owner.value] : { ...(at.owner.value as object) });
    if (at.name === '__proto__') define(copy, at.name, content);
    else (copy as Record<string, unknown>)[at.name] = content;
    if (known !== undefined) return;
    copies.set(at.owner, copy);
    content = copy;
  }
}

/** Counts what the text has at least, so that none is made. */
function isLong(value: object): boolean {
  const open: unknown[] = [value];
  let least = 0;
  for (let item = open.pop(); item !== undefined && least < SAID_CHARS; item = open.pop()) {
    if (typeof item === 'string') least += item.length;
    if (typeof item !== 'object' || item === null) least += 2;
    else if (Array.isArray(item)) for (const member of item) open.push(member ?? null);
    else
      for (const name of Object.keys(item)) {
        least += name.length + '"":,'.length;
        open.push((item as JsonObject)[name] ?? null);
      }
  }
  return least >= SAID_CHARS;
}

function namesIn(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let found = value;
  for (const name of namesIn(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

/** The member is there, and is null. */
function put(frame: JsonObject, pointer: string, value: JsonValue): void {
  const names = namesIn(pointer);
  const owner = valueAt(frame, pointer.slice(0, pointer.lastIndexOf('/')));
  if (typeof owner !== 'object' || owner === null) throw new TypeError(`A frame has nothing at ${pointer}.`);
  define(owner, names.at(-1) ?? '', value);
}

/** An assignment to `__proto__` would make no member. */
function define(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
}
