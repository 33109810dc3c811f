import type { Transaction } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { ArtifactState, MemoryState } from '../projections/states.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Memory } from '../protocol/resources/memory.ts';
import { contentKey } from '../store/keys.ts';
import { pieceKeys, type ReadPiece } from './artifact-content.ts';
import { newEvent, type Place, placeOfArtifact } from './new-event.ts';

/** Keeps what a Memory says beside the log: a record that can be erased. */
export function keepContent(tx: Transaction, memoryId: string, content: JsonValue): void {
  tx.record(contentKey(memoryId, 0), JSON.stringify(content));
}

/** A Memory with its content, or a descriptor of it where the reader may not see it (contract section 4). */
export function withContent({ resource }: MemoryState, read: ReadPiece, seesInternal: boolean): Memory {
  const { visibility } = resource;
  const hidden = visibility === 'receipt_only' || (visibility === 'internal' && !seesInternal);
  if (hidden) return { ...resource, content: { redacted: true, visibility } };
  const stored = read(contentKey(resource.id, 0));
  if (!stored) throw new Error(`the content of ${resource.id} is missing`);
  return { ...resource, content: JSON.parse(stored.toString()) as Memory['content'] };
}

/** Erases what a Memory says and leaves an event that it was there. */
export function forgetMemory(
  tx: Transaction,
  { resource, internal }: MemoryState,
  reason: 'deleted' | 'expired',
): void {
  const { id } = resource;
  if (internal.artifact_id) redactArtifact(tx, internal.artifact_id, `memory_${reason}`);
  tx.erase(contentKey(id, 0));
  const payload = { memory_id: id, reason };
  const place = placeOfMemory(resource.workspace_id, internal.session_id, internal.tenant);
  tx.append(newEvent('vendor.harn_gateway.memory_deleted', { object: 'memory', id }, place, payload));
}

export function placeOfMemory(
  workspaceId: string | null,
  sessionId: string | null,
  tenant: string,
): Place & { workspace_id: string | null } {
  return {
    workspace_id: workspaceId,
    session_id: sessionId,
    ...(workspaceId === null ? { tenant_id: tenant } : {}),
  };
}

function redactArtifact(tx: Transaction, artifactId: string, reason: string): void {
  const artifact = tx.get<ArtifactState>(stateKey.artifact(artifactId));
  if (!artifact || artifact.internal.store === 'none') return;
  for (const key of pieceKeys(artifact)) tx.erase(key);
  const { tenant } = artifact.internal;
  const place = {
    ...placeOfArtifact(artifact.resource),
    ...(tenant === undefined ? {} : { tenant_id: tenant }),
  };
  const payload = { artifact_id: artifactId, reason };
  tx.append(newEvent('artifact.redacted', { object: 'artifact', id: artifactId }, place, payload));
}
