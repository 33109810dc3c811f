import { eventKey, lastSegment } from '#store/keys.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { BaseFolds } from './base-folds.ts';
import type { Event, HistoryErasure, HistoryRemoval, Projection } from './event-log.ts';
import { type FoldRecord, foldEvent } from './fold-record.ts';
import { isNoMark, type RemovedPart } from './history-mark.ts';
import { type LogReader, storedEvent } from './log-reader.ts';
import { eventsIn, NO_EVENT } from './segment.ts';

/** Events read at once while a removal is planned. */
const PAGE = 500;

/** One stream that loses its beginning. */
export interface CutStream {
  object: 'session' | 'task';
  id: string;
  /** Its newest event to go. */
  last: Event;
  /** How many of its events go now. */
  events: number;
  firstId: string;
  /** What its mark says of those removed before. */
  earlier: RemovedPart | undefined;
}

/** A segment that goes, or loses its beginning. */
export interface CutSegment {
  key: string;
  /** All of its events that are there. */
  events: { event: Event; bytes: Buffer }[];
}

export interface RemovalPlan {
  streams: CutStream[];
  segments: CutSegment[];
  /** Base records to write; undefined: to delete. */
  base: Map<string, FoldRecord | { marker: true } | undefined>;
  /** Derived rows that go with the events. */
  rows: string[];
}

export interface RemovalParts {
  reader: LogReader;
  projection: Projection;
  /** Resources that are nothing but events, and of which none comes once their run has ended. */
  endsWithRun(key: string): boolean;
}

/** Reads and folds what is to be removed. Undefined when there is nothing (more) to remove. */
export async function planRemoval(
  parts: RemovalParts,
  removal: HistoryRemoval,
): Promise<RemovalPlan | undefined> {
  const read = await eventsThrough(parts.reader, removal.sessionId, removal.throughId);
  const events = read.filter(isNoMark);
  const last = events.at(-1);
  if (last === undefined) return undefined;
  const folds = await folded(parts, notFolded(parts, events), removal);
  const session: CutStream = {
    ...cut('session', removal.sessionId, events, last),
    earlier: parts.reader.mark({ kind: 'session', id: removal.sessionId })?.part,
  };
  return {
    streams: [session, ...taskCuts(parts.reader, events)],
    segments: await segmentsThrough(parts.reader, removal.sessionId, last.id),
    ...baseOf(parts, folds, last.id),
  };
}

export interface ErasurePlan extends Pick<RemovalPlan, 'base' | 'rows'> {
  sessionId: string;
  throughId: string;
  /** Whether the base holds more of the session than before. */
  isFurther: boolean;
  /** Segments that are written again, with their events as they are left. */
  segments: { key: string; content: Buffer }[];
  /** Events that lose what they said. */
  erased: number;
}

/** Reads and folds what is to lose its words. Undefined when there is nothing (more) to do. */
export async function planErasure(
  parts: RemovalParts,
  erasure: HistoryErasure,
): Promise<ErasurePlan | undefined> {
  const { reader } = parts;
  const { sessionId, afterId, throughId } = erasure;
  const events: Event[] = [];
  for (const event of await eventsThrough(reader, sessionId, throughId, afterId)) {
    if (isNoMark(event) && event.id > afterId) events.push(event);
  }
  const last = events.at(-1);
  if (last === undefined) return undefined;
  const folds = await folded(parts, notFolded(parts, events), erasure);
  const { segments, erased } = leftOfSegments(reader, events, erasure.left);
  const through = reader.foldedThrough(sessionId);
  return {
    sessionId,
    isFurther: last.id > through,
    throughId: last.id,
    segments,
    erased,
    ...baseOf(parts, folds, last.id),
  };
}

/** The segments of these events as they are written again. Those of which nothing goes are left alone. */
export function leftOfSegments(
  reader: LogReader,
  events: readonly Event[],
  left: HistoryErasure['left'],
): Pick<ErasurePlan, 'segments' | 'erased'> {
  const going = new Map(
    events.flatMap((event) => {
      const rest = left(event);
      return rest === undefined ? [] : [[event.id, JSON.stringify({ ...event, ...rest })] as const];
    }),
  );
  const segments = new Map<string, Buffer>();
  for (const id of going.keys()) {
    const segment = reader.segment(id);
    if (segment === undefined)
      throw new IntegrityError(eventKey(id), 'a segment with the event', 'no segment');
    if (segments.has(segment.key)) continue;
    const lines = segment.events.map((bytes) => going.get(storedEvent(bytes).event.id) ?? bytes.toString());
    segments.set(segment.key, Buffer.from(lines.join('\n')));
  }
  return { segments: Array.from(segments, ([key, content]) => ({ key, content })), erased: going.size };
}

/** The segments of a session from its beginning through the one that holds the event. */
async function segmentsThrough(reader: LogReader, id: string, throughId: string): Promise<CutSegment[]> {
  const rows = await reader.rowsThrough({ kind: 'session', id }, throughId);
  return rows.map(([row]) => {
    const key = eventKey(lastSegment(row));
    const bytes = reader.record(key);
    if (bytes === undefined)
      throw new IntegrityError(key, 'a segment named by its stream index', 'no segment');
    return { key, events: eventsIn(bytes).map(storedEvent) };
  });
}

async function eventsThrough(
  reader: LogReader,
  sessionId: string,
  throughId: string,
  afterId = NO_EVENT,
): Promise<Event[]> {
  const found: Event[] = [];
  for (let after = afterId; after < throughId; ) {
    const page = await reader.range({ kind: 'session', id: sessionId }, after, PAGE);
    const events = page.map((bytes) => storedEvent(bytes).event);
    found.push(...events.filter(({ id }) => id <= throughId));
    after = events.length < PAGE ? throughId : (events.at(-1)?.id ?? throughId);
  }
  return found;
}

/** Events of a session that the base does not hold yet. */
function notFolded({ reader }: Pick<RemovalParts, 'reader'>, events: readonly Event[]): Event[] {
  const [first] = events;
  if (first === undefined) return [];
  const through = reader.foldedThrough(first.session_id ?? '');
  return events.filter(({ id }) => id > through);
}

/** The states after `events`; those of another session are made again as they were when an event read them. */
async function folded(
  parts: RemovalParts,
  events: readonly Event[],
  { readsFrom }: Pick<HistoryRemoval, 'readsFrom'>,
): Promise<BaseFolds> {
  const reading = events.find((event) => readsFrom?.(event) !== undefined);
  const otherId = reading && readsFrom?.(reading);
  const other =
    reading && otherId
      ? await folded(
          parts,
          notFolded(parts, (await eventsThrough(parts.reader, otherId, reading.id)).filter(isNoMark)),
          { ...(readsFrom ? { readsFrom } : {}) },
        )
      : undefined;
  const folds = new BaseFolds(parts.reader);
  for (const event of events) {
    const fold = () => foldEvent(event, folds, parts.projection);
    if (other !== undefined && event === reading) folds.reading(other, fold);
    else fold();
  }
  return folds;
}

function taskCuts(reader: LogReader, events: readonly Event[]): CutStream[] {
  return [...byTask(events)].flatMap(([id, own]) => {
    const last = own.at(-1);
    const earlier = reader.mark({ kind: 'task', id })?.part;
    return last === undefined ? [] : [{ ...cut('task', id, own, last), earlier }];
  });
}

function byTask(events: readonly Event[]): Map<string, Event[]> {
  const tasks = new Map<string, Event[]>();
  for (const event of events) {
    if (event.task_id === null) continue;
    const own = tasks.get(event.task_id) ?? [];
    own.push(event);
    tasks.set(event.task_id, own);
  }
  return tasks;
}

function cut(
  object: CutStream['object'],
  id: string,
  events: readonly Event[],
  last: Event,
): Omit<CutStream, 'earlier'> {
  return { object, id, last, events: events.length, firstId: events[0]?.id ?? last.id };
}

function baseOf(
  parts: RemovalParts,
  folds: BaseFolds,
  throughId: string,
): Pick<RemovalPlan, 'base' | 'rows'> {
  const base: RemovalPlan['base'] = new Map();
  const rows: string[] = [];
  for (const [key, fold] of folds.folds) {
    const isOver = parts.endsWithRun(key) && (parts.reader.fold(key)?.head?.event_id ?? '') <= throughId;
    if (isOver) rows.push(key);
    const isGone = isOver || (fold.head === undefined && fold.state === undefined);
    base.set(key, isGone ? undefined : fold);
  }
  for (const [key, isPut] of folds.markers) base.set(key, isPut ? { marker: true } : undefined);
  return { base, rows };
}
