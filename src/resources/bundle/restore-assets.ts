import type { DecisionTools } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/sha256.ts';
import { own } from '#protocol/clean.ts';
import { contentUri } from '#resources/artifact/large-content.ts';
import { keepBytes } from '#resources/artifact/stored-bytes.ts';
import type { ArtifactState } from '#resources/read-states.ts';
import { contentScope, stateKey } from '#resources/state-keys.ts';
import type { OuterAsset } from './document/outer-assets.ts';

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
  if (tx.get<ArtifactState>(stateKey.artifact(id)) !== undefined) return;
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
