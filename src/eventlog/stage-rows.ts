import { isDeepStrictEqual } from 'node:util';
import {
  baseKey,
  foldedKey,
  LOG_CUT_KEY,
  LOG_FOLDED_KEY,
  streamCutKey,
  workspaceCutKey,
} from '#store/keys.ts';
import { type BaseEntry, baseEntryOf, MARKER_ENTRY } from './base-row.ts';
import type { RowRemoval, State } from './event-log.ts';
import { type FoldCodec, type FoldRecord, isResource } from './fold-record.ts';
import { encodeMark, markEvent } from './history-mark.ts';
import type { CutSegment, CutStream, ErasurePlan, RemovalPlan } from './history-removal.ts';
import { refuseKept } from './retention-rules.ts';
import { streamRows } from './segment.ts';
import type { StagedTransaction } from './staged-transaction.ts';

/** Stages the removal of derived rows with their base. False where a kept event has changed one of them. */
export function stageRows(tx: StagedTransaction, removal: RowRemoval): boolean {
  const { rows, changes, erased, record } = removal;
  if (removal.isKept?.(tx) || [...rows, ...changes.keys()].some((row) => isChangedSince(tx, row)))
    return false;
  for (const row of rows) {
    refuseKept(row, 'with its session');
    tx.dropRow(row);
    eraseKept(tx, baseKey(row));
  }
  for (const [key, change] of changes) changeShared(tx, key, change);
  for (const key of erased(tx)) {
    refuseKept(key, 'with its session');
    eraseKept(tx, key);
  }
  if (record !== undefined) tx.record(record.key, record.next(tx.recorded(record.key)));
  removal.also?.(tx);
  return true;
}

/** A resource that did not change since its removed events is the base itself, so there is no second copy. */
function isChangedSince(tx: StagedTransaction, row: string): boolean {
  return isResource(row) && tx.recorded(baseKey(row)) !== undefined;
}

function changeShared(tx: StagedTransaction, key: string, change: (state: State) => State | undefined): void {
  const state = tx.get(key);
  const next = state && change(state);
  if (tx.isBase(key)) {
    if (next === undefined) tx.dropRow(key);
    else tx.makeBase(key, { state: next });
    return;
  }
  if (state !== undefined) tx.set(key, next);
  const entry = baseOf(tx, key);
  if (entry === undefined || !('fold' in entry)) return;
  const left = change(entry.fold);
  if (left === undefined) tx.erase(baseKey(key));
  else tx.record(baseKey(key), JSON.stringify({ fold: left } satisfies BaseEntry));
}

function baseOf(tx: StagedTransaction, key: string): BaseEntry | undefined {
  const content = tx.recorded(baseKey(key));
  return content && (JSON.parse(content.toString('utf8')) as BaseEntry);
}

function eraseKept(tx: StagedTransaction, key: string): void {
  if (tx.recorded(key) !== undefined) tx.erase(key);
}

/**
 * Stages a planned removal: whole segments go, one that is cut in the middle keeps its end, each stream gets a mark in the
 * place of its last removed event, and what the events had folded to goes to the base. One commit, so a crash shows all of it
 * or nothing. Returns the events removed.
 */
export function stageRemoval(
  tx: StagedTransaction,
  { streams, segments, base, rows }: RemovalPlan,
  codec: FoldCodec,
): number {
  const session = streams.find(({ object }) => object === 'session');
  if (session === undefined) return 0;
  for (const segment of segments) cutSegment(tx, segment, session.last.id);
  for (const stream of streams) putMark(tx, streamCutKey(stream.object, stream.id), stream);
  stageBase(tx, { base, rows }, codec);
  const { workspace_id } = session.last;
  putNewestMark(tx, LOG_CUT_KEY, session);
  if (workspace_id !== null) putNewestMark(tx, workspaceCutKey(workspace_id), session);
  return session.events;
}

/**
 * Stages a planned erasure: segments are written again with their events as they are left, under their keys, and what the events had
 * folded to goes to the base, so that a rebuild of the folds needs their words no more. Returns the events that lost theirs.
 */
export function stageErasure(tx: StagedTransaction, plan: ErasurePlan, codec: FoldCodec): number {
  stageSegments(tx, plan.segments);
  stageBase(tx, plan, codec);
  if (plan.isFurther) {
    tx.record(foldedKey(plan.sessionId), plan.throughId);
    tx.record(LOG_FOLDED_KEY, plan.throughId);
  }
  return plan.erased;
}

/** Writes segments again, under their keys. */
export function stageSegments(tx: StagedTransaction, segments: ErasurePlan['segments']): void {
  for (const { key, content } of segments) {
    refuseKept(key);
    tx.record(key, content);
  }
}

function stageBase(
  tx: StagedTransaction,
  { base, rows }: Pick<RemovalPlan, 'base' | 'rows'>,
  codec: FoldCodec,
): void {
  for (const [key, entry] of base) {
    if (entry === undefined) putBase(tx, key, undefined);
    else if ('marker' in entry) putMarker(tx, key);
    else putFold(tx, key, entry, codec);
  }
  for (const row of rows) tx.dropRow(row);
}

function cutSegment(tx: StagedTransaction, { key, events }: CutSegment, throughId: string): void {
  refuseKept(key);
  const kept = events.filter(({ event }) => event.id > throughId);
  for (const [row] of rowsOf(key, events)) tx.putRow(row, undefined);
  for (const [row, value] of rowsOf(key, kept)) tx.putRow(row, value);
  if (kept.length === 0) tx.erase(key);
  else
    tx.record(key, Buffer.concat(kept.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [LINE_END, bytes]))));
}

const LINE_END = Buffer.from('\n');

function rowsOf(key: string, events: CutSegment['events']): [string, string][] {
  return streamRows(
    key,
    events.map(({ event }) => event),
  );
}

function putMark(tx: StagedTransaction, key: string, stream: CutStream): void {
  const { object, last, firstId, events, earlier } = stream;
  const part = {
    object,
    firstId: earlier?.firstId ?? firstId,
    events: (earlier?.events ?? 0) + events,
    removedAt: tx.time,
    removedBehindId: tx.position,
  };
  tx.record(key, encodeMark(last, part));
}

/**
 * A row that did not change since the removed events is the base itself. A record that referred to a removed event gets its
 * content.
 */
function putFold(tx: StagedTransaction, key: string, base: FoldRecord, codec: FoldCodec): void {
  const readRow = (row: string) => tx.get(row);
  const whole = codec.whole(key, base, readRow);
  const now = { head: tx.headAt(key), state: tx.get(key) };
  if (isDeepStrictEqual(now, { head: base.head, state: base.state })) {
    putBase(tx, key, undefined);
    tx.makeBase(key, whole);
    return;
  }
  putBase(tx, key, baseEntryOf(codec, key, whole));
  // A row that was the base is so no more, and written again.
  if (codec.mayRefer(key) || tx.isBase(key)) tx.set(key, codec.whole(key, now, readRow).state);
}

function putMarker(tx: StagedTransaction, key: string): void {
  const isThere = tx.hasMarker(key);
  putBase(tx, key, isThere ? undefined : MARKER_ENTRY);
  if (isThere) tx.makeBaseMarker(key);
}

function putBase(tx: StagedTransaction, key: string, entry: string | undefined): void {
  if (entry !== undefined) tx.record(baseKey(key), entry);
  else if (tx.recorded(baseKey(key)) !== undefined) tx.erase(baseKey(key));
}

/** The newest of their marks says how far retention came over several sessions. */
function putNewestMark(tx: StagedTransaction, key: string, session: CutStream): void {
  const stored = tx.recorded(key);
  if (stored === undefined || markEvent(key, stored).event.id < session.last.id) putMark(tx, key, session);
}
