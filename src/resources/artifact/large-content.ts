import type { DecisionTools } from '#core/facts.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { jsonSize, spelled } from '#json/large-json.ts';
import {
  type Clean,
  type CleanObject,
  type CleanText,
  own,
  type Received,
  sentence,
  word,
} from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Part } from '#resources/message/schema.ts';
import { contentScope } from '#resources/states.ts';
import type { Artifact } from './schema.ts';
import { keepBytes } from './stored-bytes.ts';

/** Marks a reference whose content was a text or json part, so that it goes out as one again. */
export const INLINED_FROM = 'inlined_from';

/** Moves parts above the inline limit to Artifacts and leaves references; see README.md, Large content. */
export function externalizeLargeParts(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  parts: Received<Part[]>,
): Received<Part[]> {
  const moved: Received<Part[]> = { sent: [], clean: [] };
  for (const [at, part] of parts.sent.entries()) {
    const clean = parts.clean[at];
    if (clean === undefined) throw new Error('a part that was read by the redactor is gone');
    const id = storedApart(tx, tools, place, part);
    const isSame = part === clean;
    const shown = id === undefined ? withoutMark(clean) : referenceTo(id, clean, clean.metadata);
    moved.clean.push(shown);
    if (isSame) moved.sent.push(shown);
    else moved.sent.push(id === undefined ? withoutMark(part) : referenceTo(id, part, part.metadata));
  }
  return moved;
}

/** The id of the Artifact that holds a large part, as it was sent: bytes are never rewritten. */
function storedApart(tx: Transaction, tools: DecisionTools, place: Place, part: Part): CleanText | undefined {
  const content = contentOf(part);
  if (content === undefined || Buffer.byteLength(content.text) <= tools.limits.inlineBytes) return undefined;
  const bytes = Buffer.from(content.text);
  return storeArtifact(tx, tools, place, bytes, word(content.mimeType), part.visibility).id;
}

function referenceTo<Metadata extends JsonObject>(
  artifact_id: CleanText,
  { type, visibility }: Part,
  metadata: Metadata | undefined,
) {
  return {
    type: 'artifact_ref' as const,
    artifact_id,
    visibility,
    metadata: { ...metadata, [INLINED_FROM]: word(type) },
  };
}

/** Only the gateway marks what it moved itself. */
function withoutMark<Given extends Part>(part: Given): Given {
  if (part.type !== 'artifact_ref' || part.metadata?.[INLINED_FROM] === undefined) return part;
  const { [INLINED_FROM]: _, ...metadata } = part.metadata;
  return { ...part, metadata };
}

/** The text that a part is kept as when it is large; undefined for a part that refers to something. */
export function contentOf(
  part: Part,
): { text: string; mimeType: 'text/plain; charset=utf-8' | 'application/json' } | undefined {
  if (part.type === 'text') return { text: part.text, mimeType: 'text/plain; charset=utf-8' };
  if (part.type === 'json') return { text: spelled(part.value), mimeType: 'application/json' };
  if (part.type === 'tool_call') return { text: JSON.stringify(part), mimeType: 'application/json' };
  if (part.type === 'tool_result') return { text: JSON.stringify(part), mimeType: 'application/json' };
  return undefined;
}

/** Creates a finished Artifact from bytes and appends its event. */
export function storeArtifact(
  tx: Transaction,
  tools: Pick<DecisionTools, 'newId'>,
  place: Place,
  bytes: Buffer,
  mimeType: CleanText,
  visibility: Artifact['visibility'],
  name: CleanText | null = null,
): Clean<Artifact> {
  const sha256 = own(sha256Hex(bytes));
  const scope = contentScope(place.workspace_id, place.tenant_id);
  const artifact: Clean<Artifact> = {
    ...blankArtifact(tools.newId('artifact'), tx.time, place),
    kind: mimeType.startsWith('image/') ? 'image' : 'file',
    mime_type: mimeType,
    visibility,
    sha256,
  };
  const pieces = keepBytes(tx, { scope, sha256 }, bytes);
  tx.append(
    newEvent('artifact.created', { object: 'artifact', id: artifact.id }, place, {
      artifact,
      upstream_artifact_id: null,
      name,
      store: 'bytes',
      append: false,
      chunk_index: 0,
      last_chunk: true,
      parts: [],
      all_text: false,
      size: bytes.length,
      pieces,
      sha256,
      mime_type: mimeType,
    }),
  );
  return artifact;
}

export function blankArtifact(id: CleanText, time: CleanText, place: Place): Clean<Artifact> {
  return {
    id,
    object: 'artifact',
    created_at: time,
    updated_at: time,
    metadata: branchOf(place),
    kind: 'other',
    mime_type: word('application/octet-stream'),
    uri: contentUri(id),
    visibility: 'public',
    sha256: null,
    workspace_id: place.workspace_id ?? null,
    session_id: place.session_id ?? null,
    task_id: place.task_id ?? null,
    receipt_id: null,
  };
}

/** The metadata that says on which branch something was made. */
export function branchOf({ branch_id }: Place): { branch_id?: CleanText } {
  return branch_id ? { branch_id } : {};
}

export function contentUri(artifactId: CleanText): CleanText {
  return sentence`/v1/artifacts/${artifactId}/content`;
}

/** Member under which metadata says where it went. */
const LARGE_METADATA = 'large_metadata';

/**
 * Metadata of an agent as it is kept: itself, or above the inline limit `{large_metadata: {artifact_id, size}}` with the
 * whole of it, without secrets, in a JSON Artifact. An agent is never refused for what it says.
 */
export function boundedMetadata(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  metadata: CleanObject,
  visibility: Artifact['visibility'] = 'public',
): CleanObject {
  const { inlineBytes } = tools.limits;
  if (jsonSize(metadata, inlineBytes) <= inlineBytes) return metadata;
  return movedMetadata(tx, tools, place, metadata, visibility);
}

/** The reference, with the metadata moved out whatever its size. */
export function movedMetadata(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  metadata: CleanObject,
  visibility: Artifact['visibility'] = 'public',
): CleanObject {
  const bytes = Buffer.from(JSON.stringify(metadata));
  const { id } = storeArtifact(tx, tools, place, bytes, word('application/json'), visibility);
  return { [LARGE_METADATA]: { artifact_id: id, size: bytes.length } };
}

/** A thing that carries metadata of an agent, with that bounded and as visible as the thing. */
export function withBoundedMetadata<Thing extends Described>(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  thing: Thing,
): Thing {
  if (thing.metadata === undefined) return thing;
  return { ...thing, metadata: boundedMetadata(tx, tools, place, thing.metadata, thing.visibility) };
}

interface Described {
  metadata?: CleanObject | undefined;
  visibility?: Artifact['visibility'];
}
