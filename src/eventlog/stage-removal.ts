import type { JsonObject } from '../protocol/json.ts';
import { baseKey, eventKey, LOG_CUT_KEY, streamCutKey, streamOf, workspaceCutKey } from '../store/keys.ts';
import { encodeCut, readCut } from './cut-record.ts';
import type { Event } from './event-log.ts';
import { HISTORY_REMOVED } from './history-mark.ts';
import type { CutStream, RemovalPlan } from './history-removal.ts';
import { refuseKept } from './retention-rules.ts';
import type { StagedTransaction } from './staged-transaction.ts';
import { encodeRow } from './stream-row.ts';

/** What a cut stream says of itself in its mark. */
interface StreamMark extends JsonObject {
  object: string;
  id: string;
  first_event_id: string;
  events: number;
}

/**
 * Stages a planned removal: the events go, the last one of each stream becomes a mark with its id, place and links, and
 * what they had folded to goes to the base. One commit, so a crash shows all of it or nothing. Returns the events removed.
 */
export function stageRemoval(tx: StagedTransaction, { streams, base }: RemovalPlan): number {
  const [session] = streams;
  if (session === undefined) return 0;
  const marks = marksOf(streams);
  for (const stream of streams) leaveStream(tx, stream);
  const removed = eraseEvents(tx, streams, marks);
  for (const { last, streams: said } of marks.values()) putMark(tx, last, said);
  for (const [key, entry] of base) putBase(tx, key, entry);
  const { id, workspace_id } = session.last;
  putCut(tx, LOG_CUT_KEY, id);
  if (workspace_id !== null) putCut(tx, workspaceCutKey(workspace_id), id);
  return removed;
}

type Marks = Map<string, { last: Event; streams: StreamMark[] }>;

/** One event can be the last one of its session and of its task. */
function marksOf(streams: readonly CutStream[]): Marks {
  const marks: Marks = new Map();
  for (const stream of streams) {
    const mark = marks.get(stream.last.id) ?? { last: stream.last, streams: [] };
    mark.streams.push(streamMark(stream));
    marks.set(stream.last.id, mark);
  }
  return marks;
}

function streamMark({ object, id, ids, earlierMark }: CutStream): StreamMark {
  const earlier = saidBefore(earlierMark, id);
  return {
    object,
    id,
    first_event_id: earlier?.first_event_id ?? ids[0] ?? '',
    events: (earlier?.events ?? 0) + ids.length - Number(earlierMark !== undefined),
  };
}

function saidBefore(mark: Event | undefined, id: string): StreamMark | undefined {
  const said = (mark?.payload['streams'] ?? []) as StreamMark[];
  return said.find((stream) => stream.id === id);
}

/** The mark stays in its stream, in a row of its own, and the base says so. */
function leaveStream(tx: StagedTransaction, { object, id, last, earlierMark, rows }: CutStream): void {
  const stream = streamOf(object, id);
  for (const [key, ids] of rows) {
    const kept = ids.filter((eventId) => eventId > last.id);
    if (kept.length === 0) tx.putRow(key, undefined);
    else tx.putRow(...encodeRow(stream, kept));
  }
  const [mark, row] = encodeRow(stream, [last.id]);
  tx.putRow(mark, row);
  if (earlierMark !== undefined) tx.erase(baseKey(stream + earlierMark.id));
  putBase(tx, mark, { marker: true });
  putCut(tx, streamCutKey(object, id), last.id);
}

/** An event that still marks another stream stays: the session's earlier mark may be that of a task. */
function eraseEvents(tx: StagedTransaction, streams: readonly CutStream[], marks: Marks): number {
  const ids = new Set(streams.flatMap((stream) => stream.ids));
  const superseded = new Set(
    streams.filter(({ object }) => object === 'task').map(({ earlierMark }) => earlierMark?.id),
  );
  let removed = 0;
  for (const { object, ids: own, earlierMark } of streams)
    if (object === 'session') removed += own.length - Number(earlierMark !== undefined);
  const sessionMark = streams.find(({ object }) => object === 'session')?.earlierMark;
  const marksTask =
    sessionMark !== undefined && sessionMark.task_id !== null && !superseded.has(sessionMark.id);
  for (const id of ids) {
    if (marks.has(id) || (marksTask && id === sessionMark.id)) continue;
    const key = eventKey(id);
    refuseKept(key);
    tx.erase(key);
  }
  return removed;
}

/** The mark has the removed event's envelope, so that ids, sequences and links go on without a gap. */
function putMark(tx: StagedTransaction, last: Event, streams: StreamMark[]): void {
  const payload: JsonObject = { event: last.event, removed_at: tx.time, streams };
  tx.record(eventKey(last.id), JSON.stringify({ ...last, event: HISTORY_REMOVED, payload } satisfies Event));
}

function putBase(tx: StagedTransaction, key: string, entry: object | undefined): void {
  if (entry !== undefined) tx.record(baseKey(key), JSON.stringify(entry));
  else if (tx.recorded(baseKey(key)) !== undefined) tx.erase(baseKey(key));
}

function putCut(tx: StagedTransaction, key: string, through: string): void {
  const before = tx.recorded(key);
  if (before === undefined || readCut(before) < through) tx.record(key, encodeCut(through));
}
