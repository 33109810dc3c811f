import type { Transaction } from '../../eventlog/event-log.ts';
import type { MemoryState, SessionFold, TaskState } from '../../projections/read-states.ts';
import { stateKey } from '../../projections/state-keys.ts';
import { type Clean, type CleanText, sentence } from '../../protocol/clean.ts';
import type { GivenMemory, MemoryFrame } from '../../protocol/given-memory.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { timestamp } from '../../protocol/ports.ts';
import type { Part } from '../../protocol/resources/message.ts';
import type { Turn } from '../../upstream.ts';
import { contentHash } from '../content-hash.ts';
import { isExpired } from '../load.ts';
import { withContent } from '../memory-content.ts';
import { newEvent, placeOfTask } from '../new-event.ts';
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
