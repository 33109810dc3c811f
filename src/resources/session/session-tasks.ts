import type { StateReader, StateWriter } from '#eventlog/event-log.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';
import type { SessionFold, TaskBlockState } from '#resources/states.ts';

/** Tasks that share a row. */
const TASKS_IN_BLOCK = 16;

/**
 * Lists a Task in its Session: in blocks in the order of the ids, which is that of submission. An id that is not behind all
 * others has a row of its own: a replay gets one that follows from its source.
 */
export function addSessionTask(
  states: StateWriter,
  { resource, internal }: SessionFold,
  taskId: string,
): void {
  const count = internal.tasks ?? 0;
  const newest = taskAt(states, resource.id, count - 1);
  if (newest !== undefined && newest >= taskId) {
    states.index(listPrefix.oddTasksOfSession(resource.id) + taskId);
    return;
  }
  const key = keyOf(resource.id, count);
  const tasks = [...(states.get<TaskBlockState>(key)?.tasks ?? []), taskId];
  states.set(key, { tasks } satisfies TaskBlockState);
  internal.tasks = count + 1;
}

/** How many of the listed Tasks, the oldest first, have an id before this one. */
export function tasksBefore(reader: StateReader, session: SessionFold, id: string): number {
  let low = 0;
  for (let high = session.internal.tasks ?? 0; low < high; ) {
    const middle = (low + high) >> 1;
    if ((taskAt(reader, session.resource.id, middle) ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The listed Task at a place from 0. */
export function taskAt(reader: StateReader, sessionId: string, place: number): string | undefined {
  if (place < 0) return undefined;
  return reader.get<TaskBlockState>(keyOf(sessionId, place))?.tasks[place % TASKS_IN_BLOCK];
}

function keyOf(sessionId: string, place: number): string {
  return stateKey.tasks(sessionId, Math.floor(place / TASKS_IN_BLOCK));
}
