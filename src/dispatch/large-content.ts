import type { Transaction } from '../eventlog/event-log.ts';
import { sha256Hex } from '../json/sha256.ts';
import { contentScope } from '../projections/state-keys.ts';
import type { Artifact } from '../protocol/resources/artifact.ts';
import type { Part } from '../protocol/resources/message.ts';
import type { DecisionTools } from './facts.ts';
import { newEvent, type Place } from './new-event.ts';
import { keepBytes } from './stored-bytes.ts';

/** Marks a reference whose content was a text or json part, so that it goes out as one again. */
export const INLINED_FROM = 'inlined_from';

/** Moves parts above the inline limit to Artifacts and leaves references (contract C27). */
export function externalizeLargeParts(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  parts: Part[],
): Part[] {
  return parts.map((given) => {
    const part = given.type === 'artifact_ref' ? withoutMark(given) : given;
    const content = contentOf(part);
    if (content === undefined || Buffer.byteLength(content.text) <= tools.limits.inlineBytes) return part;
    const bytes = Buffer.from(content.text);
    const artifact = storeArtifact(tx, tools, place, bytes, content.mimeType, part.visibility);
    return {
      type: 'artifact_ref',
      artifact_id: artifact.id,
      visibility: part.visibility,
      metadata: { ...part.metadata, [INLINED_FROM]: part.type },
    };
  });
}

/** Only the gateway marks what it moved itself. */
function withoutMark(part: Extract<Part, { type: 'artifact_ref' }>): Part {
  if (part.metadata?.[INLINED_FROM] === undefined) return part;
  const { [INLINED_FROM]: _, ...metadata } = part.metadata;
  return { ...part, metadata };
}

/** The text that a part is kept as when it is large; undefined for a part that refers to something. */
export function contentOf(part: Part): { text: string; mimeType: string } | undefined {
  if (part.type === 'text') return { text: part.text, mimeType: 'text/plain; charset=utf-8' };
  if (part.type === 'json') return { text: JSON.stringify(part.value), mimeType: 'application/json' };
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
  mimeType: string,
  visibility: Artifact['visibility'],
  name: string | null = null,
): Artifact {
  const sha256 = sha256Hex(bytes);
  const scope = contentScope(place.workspace_id, place.tenant_id);
  const artifact: Artifact = {
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

export function blankArtifact(id: string, time: string, place: Place): Artifact {
  return {
    id,
    object: 'artifact',
    created_at: time,
    updated_at: time,
    metadata: place.branch_id ? { branch_id: place.branch_id } : {},
    kind: 'other',
    mime_type: 'application/octet-stream',
    uri: contentUri(id),
    visibility: 'public',
    sha256: null,
    workspace_id: place.workspace_id ?? null,
    session_id: place.session_id ?? null,
    task_id: place.task_id ?? null,
    receipt_id: null,
  };
}

export function contentUri(artifactId: string): string {
  return `/v1/artifacts/${artifactId}/content`;
}
