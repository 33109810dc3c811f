import { isDeepStrictEqual } from 'node:util';
import { type BaseEntry, BaseFolds, foldHash } from './base-folds.ts';
import { NO_EVENT } from './event-id.ts';
import type { Event, HistoryRemoval, Projection } from './event-log.ts';
import { foldEvent } from './fold-event.ts';
import type { FoldRecord } from './fold-record.ts';
import { isNoMark } from './history-mark.ts';
import { type LogReader, storedEvent } from './log-reader.ts';

/** Events read at once while a removal is planned. */
const PAGE = 500;

/** One stream that loses its beginning. */
export interface CutStream {
  object: 'session' | 'task';
  id: string;
  /** Ids that leave the stream, the earlier mark among them; the last one is where the new mark stands. */
  ids: string[];
  last: Event;
  earlierMark: Event | undefined;
  /** Rows of the stream that hold these events, by their keys, with all their events. */
  rows: [key: string, ids: string[]][];
}

export interface RemovalPlan {
  streams: CutStream[];
  /** Base records to write; undefined: to delete. */
  base: Map<string, BaseEntry | undefined>;
}

export interface RemovalParts {
  reader: LogReader;
  projection: Projection;
  /** States that no event changes once they are set; the base names them by hash. */
  isSettled(key: string): boolean;
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
  const folds = await folded(parts, events, removal);
  const session = await cut(parts.reader, 'session', removal.sessionId, read, last);
  return { streams: [session, ...(await taskCuts(parts.reader, events))], base: baseOf(parts, folds) };
}

async function eventsThrough(reader: LogReader, sessionId: string, throughId: string): Promise<Event[]> {
  const found: Event[] = [];
  for (let after = NO_EVENT; after < throughId; ) {
    const page = await reader.range({ kind: 'session', id: sessionId }, after, PAGE);
    const events = page.map((bytes) => storedEvent(bytes).event);
    found.push(...events.filter(({ id }) => id <= throughId));
    after = events.length < PAGE ? throughId : (events.at(-1)?.id ?? throughId);
  }
  return found;
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
      ? await folded(parts, (await eventsThrough(parts.reader, otherId, reading.id)).filter(isNoMark), {
          ...(readsFrom ? { readsFrom } : {}),
        })
      : undefined;
  const folds = new BaseFolds(parts.reader);
  for (const event of events) {
    const fold = () => foldEvent(event, folds, parts.projection);
    if (other !== undefined && event === reading) folds.reading(other, fold);
    else fold();
  }
  return folds;
}

async function taskCuts(reader: LogReader, events: readonly Event[]): Promise<CutStream[]> {
  const cuts: CutStream[] = [];
  for (const [id, own] of byTask(events)) {
    const [first] = await reader.range({ kind: 'task', id }, NO_EVENT, 1);
    const mark = first === undefined ? [] : [storedEvent(first).event].filter((event) => !isNoMark(event));
    const last = own.at(-1);
    if (last !== undefined) cuts.push(await cut(reader, 'task', id, [...mark, ...own], last));
  }
  return cuts;
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

async function cut(
  reader: LogReader,
  object: CutStream['object'],
  id: string,
  events: readonly Event[],
  last: Event,
): Promise<CutStream> {
  const earlierMark = events.find((event) => !isNoMark(event));
  const rows = await reader.rowsThrough({ kind: object, id }, last.id);
  return { object, id, ids: events.map((event) => event.id), last, earlierMark, rows };
}

function baseOf(parts: RemovalParts, folds: BaseFolds): RemovalPlan['base'] {
  const base: RemovalPlan['base'] = new Map();
  for (const [key, fold] of folds.folds) {
    const isGone = fold.head === undefined && fold.state === undefined;
    base.set(key, isGone ? undefined : entryOf(parts, key, fold));
  }
  for (const [key, isPut] of folds.markers) base.set(key, isPut ? { marker: true } : undefined);
  return base;
}

function entryOf({ reader, isSettled }: RemovalParts, key: string, fold: FoldRecord): BaseEntry {
  const stored = isSettled(key) ? reader.sealed(key) : undefined;
  if (stored === undefined || !isDeepStrictEqual(reader.fold(key), fold)) return fold;
  return { hash: foldHash(key, stored) };
}
