import type { DecisionTools } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { own } from '#protocol/clean.ts';
import type { DraftPart } from '#protocol-client.ts';
import { contentOfParts } from '#resources/artifact/content.ts';
import { contentUri } from '#resources/artifact/large-content.ts';
import { layParts, liftParts, type PartRange, partNumbers } from '#resources/artifact/parts.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import { dropUnreferenced, keepBytes } from '#resources/artifact/stored-bytes.ts';
import { contentOfArtifact } from '#resources/artifact/stored-content.ts';
import { contentScope } from '#resources/states.ts';
import { partKey } from '#store/keys.ts';
import type { OuterAsset } from './document/outer-assets.ts';

/** What an event says of the content of an Artifact. */
interface Said {
  artifact?: CleanArtifactState['resource'];
  store: CleanArtifactState['internal']['store'];
  append: boolean;
  last_chunk: boolean;
  pieces: number;
  size: number;
  name?: string | null;
  sha256?: string;
}

/** Bytes of content that are moved with an event. */
export function contentBytes(event: Pick<Event, 'resource' | 'payload'>): number {
  return fixesContent(event) ? Number(event.payload['size']) : 0;
}

/** Whether an event fixes what the bytes of an Artifact are. */
function fixesContent({ resource, payload }: Pick<Event, 'resource' | 'payload'>): boolean {
  const { store, last_chunk } = payload as Partial<Said>;
  return resource.object === 'artifact' && (store === 'bytes' || (store === 'parts' && last_chunk === true));
}

/**
 * Appends an event of an Artifact together with the content that it fixes: the pieces that lie ready are put together, and
 * stored where they are what the event says. `append` gets whether they are.
 */
export function restoreContent(
  tx: Transaction,
  event: Pick<Event, 'resource' | 'payload'>,
  workspaceId: string,
  append: (isWhole: boolean) => void,
): void {
  const known = tx.get<CleanArtifactState>(artifactKeys.artifact(event.resource.id));
  if (known?.internal.store === 'parts' && known.internal.closed) liftParts(tx, known);
  append(!fixesContent(event) || moved(tx, event, contentScope(workspaceId, undefined), known));
  dropUnreferenced(tx, known && contentOfArtifact(known));
}

function moved(
  tx: Transaction,
  { resource: { id }, payload }: Pick<Event, 'resource' | 'payload'>,
  scope: string,
  known: CleanArtifactState | undefined,
): boolean {
  const said = payload as unknown as Said;
  const range = rangeOf(said, known);
  const rows = partNumbers(range).flatMap((n) => tx.recorded(partKey(id, n)) ?? []);
  const parts = said.store === 'parts' ? rows.map((row) => JSON.parse(row.toString()) as DraftPart) : [];
  const name = known?.internal.name ?? said.name ?? null;
  const { bytes, isDocument } =
    said.store === 'parts' ? contentOfParts(parts, name) : { bytes: Buffer.concat(rows), isDocument: false };
  const sha256 = sha256Hex(bytes);
  const isWhole =
    rows.length === said.pieces - range.first_piece &&
    bytes.length === said.size &&
    sha256 === (said.sha256 ?? known?.resource.sha256 ?? said.artifact?.sha256);
  for (const n of partNumbers(range)) tx.erase(partKey(id, n));
  if (isWhole && said.store === 'parts') layParts(tx, id, { parts, isDocument });
  if (isWhole) keepBytes(tx, { scope, sha256 }, bytes);
  return isWhole;
}

/** As the fold counts. */
function rangeOf({ append, pieces }: Said, known: CleanArtifactState | undefined): PartRange {
  const { first_piece, pieces: before } = known?.internal ?? { first_piece: 0, pieces: 0 };
  return { first_piece: append ? first_piece : before, pieces };
}

const ID_DIGITS = 26;

/**
 * Makes what turns refer to and was uploaded outside of their Session an upload of the Workspace of the import, with an id of its
 * own: other Sessions may refer to it too, and each import has a copy that depends on no other and names none. One that an
 * earlier import of the same bundle made is left as it is.
 */
export function restoreAsset(
  tx: Transaction,
  redact: DecisionTools['redact'],
  { content, ...asset }: OuterAsset,
  given: string,
): void {
  const workspaceId = redact(given).value;
  const { id: originalId, name, size, closed, sha256, created_at, uri, ...described } = redact(asset).value;
  const digits = sha256Hex(`${workspaceId}/${originalId}`).slice(0, ID_DIGITS).toUpperCase();
  const id = own(`artifact_${digits}`);
  if (tx.get<CleanArtifactState>(artifactKeys.artifact(id)) !== undefined) return;
  const hasContent = content !== undefined && sha256 !== null;
  const scope = contentScope(workspaceId, undefined);
  const pieces = hasContent ? keepBytes(tx, { scope, sha256 }, content) : 0;
  const artifact = {
    ...described,
    id,
    uri: uri === contentUri(originalId) ? contentUri(id) : uri,
    object: 'artifact' as const,
    created_at,
    updated_at: created_at,
    sha256,
    workspace_id: workspaceId,
    session_id: null,
    task_id: null,
    receipt_id: null,
  };
  const { isFirst, ...event } = newEvent(
    'artifact.created',
    { object: 'artifact', id },
    { workspace_id: workspaceId },
    {
      artifact,
      upstream_artifact_id: null,
      name,
      store: hasContent ? 'bytes' : 'none',
      append: false,
      chunk_index: 0,
      last_chunk: closed,
      parts: [],
      all_text: false,
      size: hasContent ? content.length : size,
      pieces,
      ...(sha256 === null ? {} : { sha256 }),
      original_artifact_id: originalId,
    },
  );
  tx.append(event);
}
