import { contentHash } from '#core/content-hash.ts';
import { isExpired } from '#core/load.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, sentence } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import type { Turn } from '#protocol-client.ts';
import { withContent } from '#resources/memory/content.ts';
import type { GivenMemory, MemoryFrame } from '#resources/memory/given-memory.ts';
import type { Part } from '#resources/message/schema.ts';
import type { MemoryState, SessionFold, TaskState } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** Override key of a Memory that a run was given. */
export const memoryKey = (id: CleanText): CleanText => sentence`host:memory:${id}`;

/**
 * The Memories of the task's Session as they are now. What has expired or was deleted is forgotten, and what is for receipts
 * only never leaves. Source: Agents Protocol v1, "Memory".
 */
export function memoriesOf(
  { log }: Pick<RunnerDeps, 'log'>,
  { resource }: TaskState,
  nowMs: number,
): GivenMemory[] {
  const session = log.state<SessionFold>(stateKey.session(resource.session_id));
  return (session?.internal.memory_ids ?? []).flatMap((id) => {
    const state = log.state<MemoryState>(stateKey.memory(id));
    if (!state || isExpired(state.resource, timestamp(nowMs))) return [];
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
  { resource }: TaskState,
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
