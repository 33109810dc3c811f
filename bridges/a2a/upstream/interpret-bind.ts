import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Move, Seen } from '../../../src/upstream.ts';
import { isBindable } from './bounds.ts';
import { text } from './progress.ts';

/**
 * Keeps the remote ids. A context other than the one sent is noted and taken: later messages go there. Ids too long to
 * be kept are noted only; the driver has already refused them.
 */
export function bindMoves(taskId: string | undefined, contextId: string | undefined, seen: Seen): Move[] {
  const isOverlong = [taskId, contextId].some((id) => id !== undefined && !isBindable(id));
  if (isOverlong) return [{ type: 'note', note: 'overlong_id' }];
  const known = { task: text(seen.binding?.['task_id']), context: text(seen.sessionBinding?.['context_id']) };
  const isNewTask = taskId !== undefined && taskId !== known.task;
  const isNewContext = contextId !== undefined && contextId !== known.context;
  if (!isNewTask && !isNewContext) return [];
  return [
    ...changed('task_changed', known.task, isNewTask ? taskId : undefined),
    ...changed('context_changed', known.context, isNewContext ? contextId : undefined),
    {
      type: 'bind',
      ...(isNewTask && { binding: bindingOf(taskId, contextId ?? known.context) }),
      ...(isNewContext && { sessionBinding: { context_id: contextId } }),
    },
  ];
}

function bindingOf(taskId: string, contextId: string | undefined): JsonObject {
  return { task_id: taskId, ...(contextId !== undefined && { context_id: contextId }) };
}

function changed(note: string, was: string | undefined, is: string | undefined): Move[] {
  return was === undefined || is === undefined ? [] : [{ type: 'note', note, details: { was, is } }];
}
