import type { DecisionTools, MoveTarget } from '#core/facts.ts';
import { newEvent, placeOfArtifact, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { contentHash, sha256Hex } from '#json/canonical.ts';
import { jsonSize } from '#json/large-json.ts';
import {
  asCleanObject,
  type Clean,
  type CleanObject,
  type CleanText,
  own,
  pieceOf,
  type Received,
  word,
} from '#protocol/clean.ts';
import type { ArtifactDraft, DraftPart } from '#protocol-client.ts';
import { contentScope } from '#resources/states.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { partKey } from '#store/keys.ts';
import { contentOfParts } from './content.ts';
import { blankArtifact, boundedMetadata, branchOf } from './large-content.ts';
import { layParts, liftParts, partNumbers, readParts } from './parts.ts';
import { artifactKeys, type CleanArtifactState, type CleanUpstreamArtifactState } from './state.ts';
import { dropUnreferenced, keepBytes } from './stored-bytes.ts';
import { contentOfArtifact } from './stored-content.ts';

/** Characters of an artifact's name that become its file name; its metadata has them all. */
const NAME_CHARS = 1_000;

/**
 * Records one chunk an agent sent: its parts become records and one event. The cost does not depend on how much was
 * recorded before; only an artifact that goes on after its end is taken apart again.
 */
export function addChunk(
  { tx, tools, material }: MoveTarget,
  task: CleanTaskState,
  { sent: draft, clean }: Received<ArtifactDraft>,
): void {
  const about = saidOf(clean);
  const known = knownArtifact(tx, task.resource.id, draft.upstreamId);
  // Its large metadata is an Artifact of its own and comes first: ids are drawn in the order of the log.
  const isRenewed = known !== undefined && !draft.append && isChanged(known, about);
  const metadata = known && !isRenewed ? {} : metadataOfAgent(tx, tools, task, about);
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
    parts: clean.parts.map((part, at) =>
      describePart(part, draft.parts[at] ?? part, tools.limits.inlineBytes),
    ),
    all_text: (fresh || known.internal.all_text) && draft.parts.every((part) => part.type === 'text'),
    size: (fresh ? 0 : known.internal.size) + sizeOf(draft.parts),
    pieces: first + draft.parts.length,
    ...(draft.lastChunk ? { called_last: true } : {}),
    material,
  };
  if (isRenewed) appendUpdate(tx, task, id, { ...chunk, name: nameOf(clean), metadata });
  else if (known) appendUpdate(tx, task, id, { ...chunk, ...metadataOf(tx, tools, task, clean) });
  else appendCreation(tx, task, clean, id, metadata, chunk);
  dropUnreferenced(tx, known && contentOfArtifact(known));
  if (draft.lastChunk && isBelieved(tx, id)) endArtifact(tx, tools, id, isWhole ? draft.parts : undefined);
}

/** What the agent said of a later chunk; the first one's is the artifact's own. */
function metadataOf(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  { metadata }: Clean<ArtifactDraft>,
): { metadata?: CleanObject } {
  if (metadata === undefined) return {};
  return { metadata: boundedMetadata(tx, tools, placeOfTask(task.resource), metadata) };
}

/** Closing reads the whole content, so it happens once: an artifact that grows after its end is closed with the task. */
function isBelieved(tx: Transaction, artifactId: string): boolean {
  return !tx.get<CleanArtifactState>(artifactKeys.artifact(artifactId))?.internal.reopened;
}

/**
 * Fixes hash and media type of an artifact that takes no more chunks. Only now is it known what its bytes are: they are stored
 * as such, and the parts by where they lie in them.
 */
export function closeArtifact(tx: Transaction, tools: Tools, artifactId: CleanText): void {
  endArtifact(tx, tools, artifactId, undefined);
}

/** Its parts are kept as they came, so what is recorded about them is read by the redactor. */
type Tools = Pick<DecisionTools, 'redact'>;

/** `whole`: the parts of one of which none is recorded. */
function endArtifact(
  tx: Transaction,
  { redact }: Tools,
  artifactId: CleanText,
  whole: readonly DraftPart[] | undefined,
): void {
  const state = tx.get<CleanArtifactState>(artifactKeys.artifact(artifactId));
  if (!state || state.internal.closed) return;
  const { internal, resource } = state;
  const parts = whole ?? readParts(state, (key) => tx.recorded(key));
  const content = contentOfParts(parts, internal.name);
  const sha256 = own(sha256Hex(content.bytes));
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
      mime_type: redact(content.mimeType).value,
    }),
  );
}

/** The artifact that this task made of the agent's artifact id, if any. */
export function knownArtifact(
  tx: Transaction,
  taskId: string,
  upstreamId: string,
): CleanArtifactState | undefined {
  const link = tx.get<CleanUpstreamArtifactState>(artifactKeys.upstreamArtifact(taskId, upstreamId));
  return link && tx.get<CleanArtifactState>(artifactKeys.artifact(link.artifact_id));
}

type Chunk = Omit<Parameters<typeof newEvent<'artifact.updated'>>[3], 'artifact_id'> & { store: 'parts' };

function appendUpdate(tx: Transaction, task: CleanTaskState, id: CleanText, chunk: Chunk): void {
  tx.append(
    newEvent('artifact.updated', { object: 'artifact', id }, placeOfTask(task.resource), {
      artifact_id: id,
      ...chunk,
    }),
  );
}

/** All that the agent says of an artifact, and where it was made. */
function metadataOfAgent(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  about: CleanObject,
): CleanObject {
  const place = placeOfTask(task.resource);
  const bounded = boundedMetadata(tx, tools, place, about);
  return { ...bounded, ...branchOf(place) };
}

function saidOf(draft: Clean<ArtifactDraft>): CleanObject {
  return {
    ...draft.metadata,
    ...(draft.name === undefined ? {} : { name: draft.name }),
    ...(draft.description === undefined ? {} : { description: draft.description }),
    upstream_artifact_id: draft.upstreamId,
  };
}

/** Whether one that replaces another says something else of itself, as far as the log has it: a replay has to find the same. */
function isChanged({ resource }: CleanArtifactState, about: CleanObject): boolean {
  const { branch_id: _, ...before } = resource.metadata;
  return contentHash(about) !== contentHash(before);
}

function nameOf({ name }: Clean<ArtifactDraft>): CleanText | null {
  return name === undefined ? null : pieceOf(name, 0, NAME_CHARS);
}

function appendCreation(
  tx: Transaction,
  task: CleanTaskState,
  draft: Clean<ArtifactDraft>,
  id: CleanText,
  metadata: CleanObject,
  chunk: Omit<Chunk, 'name'>,
): void {
  const place = placeOfTask(task.resource);
  const blank = blankArtifact(id, tx.time, place);
  const artifact = {
    ...blank,
    kind: draft.parts.some((part) => part.type === 'bytes' && part.mime_type.startsWith('image/'))
      ? ('image' as const)
      : ('file' as const),
    metadata,
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
function describePart(part: Clean<DraftPart>, sent: DraftPart, inlineBytes: number): CleanObject {
  const size = sizeOf([sent]);
  const inline = size + (sent.metadata === undefined ? 0 : jsonSize(sent.metadata));
  if (part.type !== 'bytes' && inline <= inlineBytes) return asCleanObject<DraftPart>(part);
  const mime = part.type === 'bytes' ? part.mime_type : word('text/plain; charset=utf-8');
  return { type: word('described'), of: word(part.type), mime_type: mime, size };
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
