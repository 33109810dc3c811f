import type { Transaction } from '../eventlog/event-log.ts';
import { jsonSize } from '../json/json-size.ts';
import { sha256Hex } from '../json/sha256.ts';
import { contentScope, stateKey } from '../projections/state-keys.ts';
import type { ArtifactState, TaskState, UpstreamArtifactState } from '../projections/states.ts';
import { contentOfArtifact } from '../projections/stored-content.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { partKey } from '../store/keys.ts';
import type { ArtifactDraft, DraftPart } from '../upstream.ts';
import { contentOfParts } from './artifact-content.ts';
import { layParts, liftParts, partNumbers, readParts } from './artifact-parts.ts';
import { contentHash } from './content-hash.ts';
import type { DecisionTools } from './facts.ts';
import { blankArtifact } from './large-content.ts';
import { boundedMetadata } from './large-metadata.ts';
import { newEvent, placeOfArtifact, placeOfTask } from './new-event.ts';
import { dropUnreferenced, keepBytes } from './stored-bytes.ts';

/** Characters of an artifact's name that become its file name; its metadata has them all. */
const NAME_CHARS = 1_000;

/**
 * Records one chunk an agent sent: its parts become records and one event. The cost does not depend on how much was
 * recorded before; only an artifact that goes on after its end is taken apart again.
 */
export function addChunk(
  tx: Transaction,
  tools: DecisionTools,
  task: TaskState,
  draft: ArtifactDraft,
  material: string,
): void {
  const known = knownArtifact(tx, task.resource.id, draft.upstreamId);
  // Its large metadata is an Artifact of its own and comes first: ids are drawn in the order of the log.
  const isRenewed = known !== undefined && !draft.append && isToldAnew(tools, known, draft);
  const told = known && !isRenewed ? {} : toldOf(tx, tools, task, draft);
  const id = known?.resource.id ?? tools.newId('artifact');
  const fresh = !known || !draft.append;
  const first = known?.internal.pieces ?? 0;
  if (known?.internal.closed) liftParts(tx, known);
  // One that comes in one piece, which is the usual case, is stored as what it is at once.
  const isWhole = !known && draft.lastChunk;
  if (!isWhole)
    draft.parts.forEach((part, at) => {
      tx.record(partKey(id, first + at), JSON.stringify(part));
    });
  const chunk = {
    store: 'parts' as const,
    append: known !== undefined && draft.append,
    chunk_index: first,
    last_chunk: false,
    parts: draft.parts.map((part) => describePart(part, tools.limits.inlineBytes)),
    all_text: (fresh || known.internal.all_text) && draft.parts.every((part) => part.type === 'text'),
    size: (fresh ? 0 : known.internal.size) + sizeOf(draft.parts),
    pieces: first + draft.parts.length,
    ...(draft.lastChunk ? { called_last: true } : {}),
    material,
  };
  if (isRenewed) appendUpdate(tx, task, id, { ...chunk, name: nameOf(draft), metadata: told });
  else if (known) appendUpdate(tx, task, id, { ...chunk, ...metadataOf(tx, tools, task, draft) });
  else appendCreation(tx, task, draft, id, told, chunk);
  dropUnreferenced(tx, known && contentOfArtifact(known));
  if (draft.lastChunk && isBelieved(tx, id)) endArtifact(tx, id, isWhole ? draft.parts : undefined);
}

/** What the agent said of a later chunk; the first one's is the artifact's own. */
function metadataOf(
  tx: Transaction,
  tools: DecisionTools,
  task: TaskState,
  { metadata }: ArtifactDraft,
): { metadata?: JsonObject } {
  if (metadata === undefined) return {};
  return { metadata: boundedMetadata(tx, tools, placeOfTask(task.resource), metadata) };
}

/** Closing reads the whole content, so it happens once: an artifact that grows after its end is closed with the task. */
function isBelieved(tx: Transaction, artifactId: string): boolean {
  return !tx.get<ArtifactState>(stateKey.artifact(artifactId))?.internal.reopened;
}

/**
 * Fixes hash and media type of an artifact that takes no more chunks. Only now is it known what its bytes are: they are stored
 * as such, and the parts by where they lie in them.
 */
export function closeArtifact(tx: Transaction, artifactId: string): void {
  endArtifact(tx, artifactId, undefined);
}

/** `whole`: the parts of one of which none is recorded. */
function endArtifact(tx: Transaction, artifactId: string, whole: readonly DraftPart[] | undefined): void {
  const state = tx.get<ArtifactState>(stateKey.artifact(artifactId));
  if (!state || state.internal.closed) return;
  const { internal, resource } = state;
  const parts = whole ?? readParts(state, (key) => tx.recorded(key));
  const content = contentOfParts(parts, internal.name);
  const sha256 = sha256Hex(content.bytes);
  if (whole === undefined) for (const n of partNumbers(internal)) tx.erase(partKey(artifactId, n));
  layParts(tx, artifactId, { parts, isDocument: content.isDocument });
  keepBytes(tx, { scope: contentScope(resource.workspace_id, internal.tenant), sha256 }, content.bytes);
  tx.append(
    newEvent('artifact.updated', { object: 'artifact', id: artifactId }, placeOfArtifact(resource), {
      artifact_id: artifactId,
      store: 'parts',
      append: true,
      chunk_index: internal.pieces,
      last_chunk: true,
      parts: [],
      all_text: internal.all_text,
      size: content.bytes.length,
      pieces: internal.pieces,
      sha256,
      mime_type: content.mimeType,
    }),
  );
}

/** The artifact that this task made of the agent's artifact id, if any. */
export function knownArtifact(
  tx: Transaction,
  taskId: string,
  upstreamId: string,
): ArtifactState | undefined {
  const link = tx.get<UpstreamArtifactState>(stateKey.upstreamArtifact(taskId, upstreamId));
  return link && tx.get<ArtifactState>(stateKey.artifact(link.artifact_id));
}

type Chunk = Omit<Parameters<typeof newEvent<'artifact.updated'>>[3], 'artifact_id'> & { store: 'parts' };

function appendUpdate(tx: Transaction, task: TaskState, id: string, chunk: Chunk): void {
  tx.append(
    newEvent('artifact.updated', { object: 'artifact', id }, placeOfTask(task.resource), {
      artifact_id: id,
      ...chunk,
    }),
  );
}

/** All that the agent says of an artifact, and where it was made. */
function toldOf(tx: Transaction, tools: DecisionTools, task: TaskState, draft: ArtifactDraft): JsonObject {
  const place = placeOfTask(task.resource);
  const told = boundedMetadata(tx, tools, place, saidOf(draft));
  return { ...told, ...blankArtifact('', tx.time, place).metadata };
}

function saidOf(draft: ArtifactDraft): JsonObject {
  return {
    ...draft.metadata,
    ...(draft.name === undefined ? {} : { name: draft.name }),
    ...(draft.description === undefined ? {} : { description: draft.description }),
    upstream_artifact_id: draft.upstreamId,
  };
}

/** Whether one that replaces another says something else of itself, as far as the log has it: a replay has to find the same. */
function isToldAnew({ redact }: DecisionTools, { resource }: ArtifactState, draft: ArtifactDraft): boolean {
  const { branch_id: _, ...before } = resource.metadata;
  return contentHash(redact(saidOf(draft)).value) !== contentHash(before);
}

function nameOf({ name }: ArtifactDraft): string | null {
  return name?.slice(0, NAME_CHARS) ?? null;
}

function appendCreation(
  tx: Transaction,
  task: TaskState,
  draft: ArtifactDraft,
  id: string,
  told: JsonObject,
  chunk: Omit<Chunk, 'name'>,
): void {
  const place = placeOfTask(task.resource);
  const blank = blankArtifact(id, tx.time, place);
  const artifact = {
    ...blank,
    kind: draft.parts.some((part) => part.type === 'bytes' && part.mime_type.startsWith('image/'))
      ? ('image' as const)
      : ('file' as const),
    metadata: told,
  };
  tx.append(
    newEvent('artifact.created', { object: 'artifact', id }, place, {
      artifact,
      upstream_artifact_id: draft.upstreamId,
      name: nameOf(draft),
      ...chunk,
    }),
  );
}

/** A part as a follower sees it; bytes and oversized parts are described and read from the content route. */
function describePart(part: DraftPart, inlineBytes: number): JsonObject {
  const size = sizeOf([part]);
  const inline = size + (part.metadata === undefined ? 0 : jsonSize(part.metadata));
  if (part.type !== 'bytes' && inline <= inlineBytes) return part as unknown as JsonObject;
  const mime = part.type === 'bytes' ? part.mime_type : 'text/plain; charset=utf-8';
  return { type: 'described', of: part.type, mime_type: mime, size } satisfies Record<string, JsonValue>;
}

function sizeOf(parts: readonly DraftPart[]): number {
  let size = 0;
  for (const part of parts) {
    if (part.type === 'text') size += Buffer.byteLength(part.text);
    else if (part.type === 'bytes') size += Math.floor((part.base64.length * 3) / 4);
    else size += Buffer.byteLength(JSON.stringify(part));
  }
  return size;
}
