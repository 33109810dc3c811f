import type { OuterAsset } from '../../bundles/outer-assets.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import { contentScope, stateKey } from '../../projections/state-keys.ts';
import type { ArtifactState } from '../../projections/states.ts';
import { newEvent } from '../new-event.ts';
import { keepBytes } from '../stored-bytes.ts';

/**
 * Makes what turns refer to and was uploaded outside of their Session an upload of the Workspace of the import. One that is here
 * already is left as it is: an earlier import of the same bundle made it, or it belongs to somebody else and is none of this.
 */
export function restoreAsset(tx: Transaction, asset: OuterAsset, workspaceId: string): void {
  const { id, name, size, closed, content, sha256, created_at, ...described } = asset;
  if (tx.get<ArtifactState>(stateKey.artifact(id)) !== undefined) return;
  const hasContent = content !== undefined && sha256 !== null;
  const scope = contentScope(workspaceId, undefined);
  const pieces = hasContent ? keepBytes(tx, { scope, sha256 }, content) : 0;
  const artifact = {
    ...described,
    id,
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
    },
  );
  tx.append(event);
}
