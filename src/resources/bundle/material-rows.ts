import type { Event, EventLog } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { conceal } from '#policy/access.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { partNumbers, partReader } from '#resources/artifact/parts.ts';
import type { ArtifactState } from '#resources/artifact/state.ts';
import { contentKeys } from '#resources/artifact/stored-bytes.ts';
import { contentOfArtifact } from '#resources/artifact/stored-content.ts';
import { hashOf } from '#resources/replay/record/compare.ts';
import { framesInRow, type StoredFrame, wholeFrame } from '#resources/replay/record/frame-row.ts';
import { framesOf, keysUnder, lastSegment } from '#store/keys.ts';
import { type EventRow, encodeEvent, type FrameRow, type PieceRow } from './document/gateway-rows.ts';
import { artifactStates, mayLeave } from './exported-artifacts.ts';
import type { ExportedRun } from './exported-run.ts';
import type { MaterialReader } from './material-reader.ts';

/** Most Tasks have few frames, and room is made for all that are asked for. */
const KEYS_AT_ONCE = 64;

/** Every event as it was recorded, with the hash of all of it; what this reader may not see is concealed. */
export async function* eventRows(
  run: ExportedRun,
  { seesInternal }: MaterialReader,
): AsyncGenerator<JsonValue> {
  for await (const recorded of run.events()) {
    const event = recorded as unknown as JsonObject;
    const shown = conceal(event, seesInternal);
    const row: EventRow = {
      sha256: hashOf(event),
      ...(shown === event ? {} : { concealed: true }),
      event: encodeEvent(shown) as never,
    };
    yield row as unknown as JsonObject;
  }
}

/** The frames of every Task. Of one with hidden content they stay here: that content came in them. */
export async function* frameRows(run: ExportedRun, reader: MaterialReader): AsyncGenerator<JsonValue> {
  const hiding = await tasksThatHide(run, reader);
  for await (const { resource } of run.tasks()) {
    const isHidden = hiding.has(resource.id);
    for await (const [n, stored] of storedFrames(reader.log, resource.id)) {
      const { frame, imported, ...head } = wholeFrame(stored, (id) => reader.log.event(id)?.event);
      // One that was taken right behind the bound has its events behind it too.
      if (!imported && head.after >= run.scope.throughId) break;
      const row: FrameRow = {
        ...head,
        task_id: resource.id,
        n,
        ...(isHidden ? { concealed: true, content: null } : { content: frame as unknown as JsonObject }),
      };
      yield row as unknown as JsonObject;
    }
  }
}

async function* storedFrames(log: EventLog, taskId: string): AsyncGenerator<[n: number, frame: StoredFrame]> {
  for await (const key of keysOf(log, framesOf(taskId))) {
    const row = log.record(key);
    if (row === undefined) continue;
    const first = Number(lastSegment(key));
    for (const [at, frame] of framesInRow(row).entries()) yield [first + at, frame];
  }
}

async function tasksThatHide(run: ExportedRun, { seesInternal }: MaterialReader): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const event of run.eventsThatMayHide())
    if (event.task_id !== null && conceal<Event>(event, seesInternal) !== event) found.add(event.task_id);
  return found;
}

/** Stored content, where it is asked for: a replay makes it again from the frames, and does not need it. */
export async function* pieceRows(
  run: ExportedRun,
  { reader, attachments }: { reader: MaterialReader; attachments: boolean },
): AsyncGenerator<JsonValue> {
  if (!attachments) return;
  for await (const state of artifactStates(run, reader)) {
    const { store } = state.internal;
    if (store === 'none' || !mayLeave(state, reader)) continue;
    const isText = store === 'parts';
    for (const [n, bytes] of piecesOf(state, reader)) {
      const row: PieceRow = {
        artifact_id: state.resource.id,
        n,
        sha256: `sha256:${sha256Hex(bytes)}`,
        encoding: isText ? 'utf8' : 'base64',
        content: bytes.toString(isText ? 'utf8' : 'base64'),
      };
      yield row as unknown as JsonObject;
    }
  }
}

/** The parts as the agent sent them, or the pieces of the bytes, by their numbers. */
function* piecesOf(state: ArtifactState, { log }: MaterialReader): Generator<[n: number, bytes: Buffer]> {
  const read = (key: string) => log.record(key);
  const stored = contentOfArtifact(state);
  const keys = stored === undefined ? [] : contentKeys(stored);
  const isText = state.internal.store === 'parts';
  const numbers = isText ? partNumbers(state.internal) : [...keys.keys()];
  const pieceAt = isText ? partReader(state, read) : (n: number) => read(keys[n] ?? '');
  for (const n of numbers) {
    const bytes = pieceAt(n);
    if (bytes !== undefined) yield [n, bytes];
  }
}

async function* keysOf(log: EventLog, prefix: string): AsyncGenerator<string> {
  const { gte, lt } = keysUnder(prefix);
  let page = await log.indexKeys({ gte, lt, limit: KEYS_AT_ONCE });
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < KEYS_AT_ONCE) return;
    page = await log.indexKeys({ gt: last, lt, limit: KEYS_AT_ONCE });
  }
}
