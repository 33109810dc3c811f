import type { Caller } from '#auth/caller.ts';
import { isExpired, load, notFound } from '#core/load.ts';
import { newEvent, type Place, placeOfArtifact } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { spelled } from '#json/large-json.ts';
import { type CleanJson, type CleanText, own, word } from '#protocol/clean.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import {
  dropUnreferenced,
  keepBytes,
  type ReadRecord,
  storedPieces,
} from '#resources/artifact/stored-bytes.ts';
import { contentOfArtifact } from '#resources/artifact/stored-content.ts';
import { contentOfMemory } from './fold.ts';
import type { Memory } from './schema.ts';
import type { CleanMemoryState, MemoryState as StoredMemory } from './state.ts';

/** A Memory that has not expired at `time` (RFC 3339); an expired one is absent. */
export function loadMemory(
  reader: StateReader,
  caller: Caller,
  id: string,
  time: string,
  param?: string,
): CleanMemoryState {
  const state = load(reader, caller, 'memory', id, param);
  if (isExpired(state.resource, time)) throw notFound('memory', param);
  return state;
}

/** Keeps what a Memory says beside the log, in records that can be erased. Returns what its event says of it. */
export function keepContent(
  tx: Transaction,
  scope: string,
  content: CleanJson,
): { sha256: CleanText; size: number } {
  const bytes = Buffer.from(spelled(content));
  const sha256 = own(sha256Hex(bytes));
  keepBytes(tx, { scope, sha256 }, bytes);
  return { sha256, size: bytes.length };
}

/** A Memory with its content, or a descriptor of it where the reader may not see it. */
export function withContent(state: StoredMemory, read: ReadRecord, seesInternal: boolean): Memory {
  const { resource } = state;
  const { visibility } = resource;
  const hidden = visibility === 'receipt_only' || (visibility === 'internal' && !seesInternal);
  if (hidden) return { ...resource, content: { redacted: true, visibility } };
  const stored = contentOfMemory(state);
  if (!stored) throw new Error(`${resource.id} does not say what its content is`);
  const bytes = Buffer.concat([...storedPieces(stored, read)]);
  return { ...resource, content: JSON.parse(bytes.toString()) as Memory['content'] };
}

/** Erases what a Memory says and leaves an event that it was there. */
export function forgetMemory(
  tx: Transaction,
  state: CleanMemoryState,
  reason: 'deleted' | 'expired' | 'erased',
): void {
  const { resource, internal } = state;
  const { id } = resource;
  if (internal.artifact_id) redactArtifact(tx, internal.artifact_id, word(`memory_${reason}`));
  const payload = { memory_id: id, reason };
  const place = placeOfMemory(resource.workspace_id, internal.session_id, internal.tenant);
  tx.append(newEvent('vendor.harn_gateway.memory_deleted', { object: 'memory', id }, place, payload));
  dropUnreferenced(tx, contentOfMemory(state));
}

export function placeOfMemory(
  workspaceId: CleanText | null,
  sessionId: CleanText | null,
  tenant: CleanText,
): Place & { workspace_id: CleanText | null } {
  return {
    workspace_id: workspaceId,
    session_id: sessionId,
    ...(workspaceId === null ? { tenant_id: tenant } : {}),
  };
}

function redactArtifact(tx: Transaction, artifactId: CleanText, reason: CleanText): void {
  const artifact = tx.get<CleanArtifactState>(artifactKeys.artifact(artifactId));
  if (!artifact || artifact.internal.store === 'none') return;
  const { tenant } = artifact.internal;
  const place = {
    ...placeOfArtifact(artifact.resource),
    ...(tenant === undefined ? {} : { tenant_id: tenant }),
  };
  const payload = { artifact_id: artifactId, reason };
  tx.append(newEvent('artifact.redacted', { object: 'artifact', id: artifactId }, place, payload));
  dropUnreferenced(tx, contentOfArtifact(artifact));
}
