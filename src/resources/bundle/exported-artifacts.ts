import { keysOfAll } from '#core/list-page.ts';
import type { JsonObject } from '#protocol/json.ts';
import { assetIn } from '#resources/artifact/artifact-in.ts';
import { contentOf } from '#resources/artifact/content.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import { keysUnder, lastSegment } from '#store/keys.ts';
import type { ExportedRun } from './exported-run.ts';
import type { MaterialReader } from './material-reader.ts';

const PAGE = 200;

/** Descriptions of the Artifacts, with their payloads where these are asked for and may be seen. */
export async function* artifactsOf(
  run: ExportedRun,
  { reader, attachments }: { reader: MaterialReader; attachments: boolean },
): AsyncGenerator<JsonObject> {
  for await (const state of assetStates(run, reader)) yield described(state, reader, attachments);
}

/** The same, and what was uploaded elsewhere in their Workspace and turns of the Session refer to. */
export async function* assetStates(run: ExportedRun, reader: MaterialReader): AsyncGenerator<ArtifactState> {
  if (run.scope.task) {
    yield* artifactStates(run, reader);
    return;
  }
  const prefixes = [
    artifactKeys.artifactsOfSession(run.sessionId),
    artifactKeys.assetsOfSession(run.sessionId),
  ];
  for await (const ids of keysOfAll(reader.log, prefixes, PAGE))
    for (const id of ids) {
      const state = assetIn(reader.states, run.scope.session.resource.workspace_id, id);
      if (state !== undefined) yield state;
    }
}

/** The Artifacts of the Session, or of the one Task, oldest first. */
export async function* artifactStates(
  run: ExportedRun,
  { log }: MaterialReader,
): AsyncGenerator<ArtifactState> {
  const { task } = run.scope;
  const prefix = task
    ? artifactKeys.artifactsOfTask(task.resource.id)
    : artifactKeys.artifactsOfSession(run.sessionId);
  const { gte, lt } = keysUnder(prefix);
  let keys = await log.indexKeys({ gte, lt, limit: PAGE });
  while (keys.length > 0) {
    for (const key of keys) {
      const state = log.state<ArtifactState>(artifactKeys.artifact(lastSegment(key)));
      if (state) yield state;
    }
    keys = await log.indexKeys({ gt: keys.at(-1) ?? lt, lt, limit: PAGE });
  }
}

/** `receipt_only` content never leaves; `internal` is for those who may see it. */
export function mayLeave({ resource }: ArtifactState, { seesInternal }: MaterialReader): boolean {
  return resource.visibility === 'public' || (resource.visibility === 'internal' && seesInternal);
}

function described(state: ArtifactState, reader: MaterialReader, attachments: boolean): JsonObject {
  const { id, kind, mime_type, sha256, visibility, task_id, created_at } = state.resource;
  const { name, size, store } = state.internal;
  const bytes =
    attachments && store !== 'none' && mayLeave(state, reader)
      ? contentOf(state, (key) => reader.log.record(key)).bytes
      : undefined;
  const text = bytes && mime_type.startsWith('text/') ? bytes.toString('utf8') : null;
  return {
    _type: 'artifact',
    id,
    kind,
    title: name ?? id,
    stage: task_id,
    created_at,
    metadata: { mime_type, sha256, size, visibility },
    text,
    data:
      bytes === undefined || text !== null ? null : { encoding: 'base64', base64: bytes.toString('base64') },
  };
}
