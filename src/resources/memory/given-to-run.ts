import type { Facts } from '#core/facts.ts';
import { isExpired } from '#core/load.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { EventLog, Transaction } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import { type Clean, type CleanText, sentence } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Turn } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { loadMemory, withContent } from './content.ts';
import type { GivenMemory, MemoryFrame } from './given-memory.ts';
import { type CleanMemoryState, memoryKeys } from './state.ts';

/** Override key of a Memory that a run was given. */
export const memoryKey = (id: CleanText): CleanText => sentence`host:memory:${id}`;

/**
 * The Memories with these ids as they are at `time` (RFC 3339). What has expired or was deleted is forgotten, and what is for
 * receipts only never leaves. Source: Agents Protocol v1, "Memory".
 */
export function memoriesOf(log: EventLog, ids: readonly CleanText[], time: string): GivenMemory[] {
  return ids.flatMap((id) => {
    const state = log.state<CleanMemoryState>(memoryKeys.memory(id));
    if (!state || isExpired(state.resource, time)) return [];
    if (state.resource.visibility === 'receipt_only') return [];
    const { scope, content } = withContent(state, (key) => log.record(key), true);
    return [{ id, scope, content: content as JsonValue }];
  });
}

/** The turn with its Memories before what the task says; they are no part of the transcript. */
export function withMemories<Given extends Turn>(turn: Given, memories: readonly GivenMemory[]): Given {
  if (turn.message === undefined || memories.length === 0) return turn;
  const parts = [...memories.map(partOf), ...turn.message.parts];
  return { ...turn, message: { ...turn.message, parts } };
}

function partOf({ id, scope, content }: GivenMemory): Part {
  const about = { visibility: 'public' as const, metadata: { memory_id: id, scope } };
  if (typeof content === 'string') return { type: 'text', text: content, ...about };
  return { type: 'json', value: content, ...about };
}

/** What a recorded Memory means: the run has read it. The same live and in a replay. */
export function applyMemoryRead(
  tx: Transaction,
  { resource }: CleanTaskState,
  { memory }: Clean<MemoryFrame>,
  material: CleanText,
): void {
  const payload = {
    memory_id: memory.id,
    scope: memory.scope,
    content_sha256: contentHash(memory.content),
    material,
  };
  const pointer = { object: 'task', id: resource.id };
  tx.append(newEvent('agent.memory_read', pointer, placeOfTask(resource), payload));
}

/** What a replay reads anew of the Memories of its Session; one that is gone cannot be refreshed. */
export function refreshedMemories(tx: Transaction, { caller }: Facts, sessionId: string): JsonValue {
  const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId));
  return (session?.internal.memory_ids ?? []).map((id) => {
    const { resource } = loadMemory(tx, caller, id, tx.time, 'metadata.refresh');
    return { id: resource.id, updated_at: resource.updated_at };
  });
}
