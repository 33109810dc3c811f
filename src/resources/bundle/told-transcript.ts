import type { Event } from '#eventlog/event-log.ts';
import { conceal } from '#policy/visibility.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import type { Message } from '#resources/message/schema.ts';
import { systemPromptEvent, transcriptEventOf } from '#resources/session/transcript/event-layer.ts';
import type { TranscriptEvent } from '#resources/session/transcript/schema.ts';
import {
  transcriptAsset,
  transcriptHead,
  transcriptId,
  transcriptMessage,
} from '#resources/session/transcript/transcript.ts';
import type { RunRecord } from './document/run-record.ts';
import { Streamed } from './document/write-bundle.ts';
import { assetStates } from './exported-artifacts.ts';
import type { ExportedRun } from './exported-run.ts';
import type { MaterialReader } from './material-reader.ts';

/** Kinds that bring a Message. */
const TURNS = /^(?:user|agent)\.message$|^session\.message_appended$/;

/**
 * The transcript of the run in the shape that `GET /v1/sessions/{id}/transcript` has, with two differences: it has every turn as
 * it was recorded, also those that compaction archived or a truncation dropped, and what an event brought stands in the
 * gateway's record of it alone.
 */
export function toldTranscript(run: ExportedRun, reader: MaterialReader): RunRecord {
  const { resource, internal } = run.scope.session;
  const { state, summary } = transcriptHead(resource, internal.messages, internal.archive);
  return {
    _type: 'transcript',
    version: 2,
    id: transcriptId(resource.id),
    state,
    summary,
    metadata: resource.metadata,
    messages: new Streamed(() => messages(run, reader)),
    events: new Streamed(() => events(run, reader)),
    assets: new Streamed(() => assets(run, reader)),
  };
}

async function* messages(run: ExportedRun, { seesInternal }: MaterialReader): AsyncGenerator<JsonValue> {
  let position = 0;
  for await (const { payload } of run.events(TURNS)) {
    const message = payload['message'] as unknown as Message | undefined;
    if (message === undefined) continue;
    yield transcriptMessage(conceal(message, seesInternal), position) as unknown as JsonObject;
    position += 1;
  }
}

async function* events(
  run: ExportedRun,
  { states, seesInternal }: MaterialReader,
): AsyncGenerator<JsonValue> {
  const { workspace_id } = run.scope.session.resource;
  const nameOf = (id: string) => artifactIn(states, workspace_id, id)?.internal.name ?? id;
  const leading = systemPromptEvent(run.scope.session.resource.metadata, seesInternal);
  if (leading !== undefined) yield leading as unknown as JsonObject;
  for await (const event of run.events()) yield audit(event, seesInternal, nameOf);
}

function audit(event: Event, seesInternal: boolean, nameOf: (id: string) => string): JsonObject {
  const { data, ...told }: TranscriptEvent = transcriptEventOf(
    conceal(event, seesInternal),
    nameOf,
    seesInternal,
  );
  return told as unknown as JsonObject;
}

async function* assets(run: ExportedRun, reader: MaterialReader): AsyncGenerator<JsonValue> {
  for await (const state of assetStates(run, reader))
    yield conceal(transcriptAsset(state), reader.seesInternal) as unknown as JsonObject;
}
