import type { SessionSource } from '#core/command.ts';
import { idsIn, tasksOfSession } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { loadHistory } from './load-history.ts';
import type { MissingDependency } from './record/history.ts';

/** Tasks of a Session that one request replays; more are replayed one by one. */
const MAX_TASKS = 200;

/**
 * Reads what a replay of a Task, or of all of a Session, would need, and refuses naming the first thing that is missing.
 * Returns the ids of the Tasks, oldest first. What is there but damaged is for the replay itself to find.
 */
export async function checkDependencies(
  log: EventLog,
  source: { taskId: string } | SessionSource,
  canInterpret: (route: string) => boolean,
): Promise<string[]> {
  const taskIds = 'taskId' in source ? [source.taskId] : await tasksOf(log, source);
  for (const taskId of taskIds) {
    const task = log.state<TaskState>(taskKeys.task(taskId));
    const missing = task && (await missingOf(log, task, canInterpret));
    if (missing) throw refusal(taskId, missing);
  }
  return taskIds;
}

/** The first thing that is missing for a replay of this Task, or of what it replays itself. */
async function missingOf(
  log: EventLog,
  task: TaskState,
  canInterpret: (route: string) => boolean,
): Promise<MissingDependency | undefined> {
  const { replay, route } = task.internal;
  if (replay) {
    const source = log.state<TaskState>(taskKeys.task(replay.source_task_id));
    return source ? missingOf(log, source, canInterpret) : { kind: 'event', id: replay.source_task_id };
  }
  if (!canInterpret(route)) return { kind: 'host_fact', id: `host:mapping:${route}` };
  return (await loadHistory(log, task)).missing;
}

/** 410 for events that retention removed, 409 for anything else: neither comes back by retrying. */
export function refusal(taskId: string, { kind, id, withheld, erased }: MissingDependency): ProtocolError {
  if (erased) return erasedRefusal(taskId, id);
  if (withheld) return withheldRefusal(taskId, { kind, id });
  const message = `This Task cannot be replayed any more: ${kind} ${id} is not available.`;
  const details = { task_id: taskId, missing: { kind, id } };
  return new ProtocolError(kind === 'event' ? 'cursor_expired' : 'conflict', message, { details });
}

/** What it would need repeats what somebody said whose data was erased. */
function erasedRefusal(task_id: string, erasure_id: string): ProtocolError {
  const message = `This Task cannot be replayed any more: its replay material was erased. ${erasure_id} says by whom and under which rule.`;
  return new ProtocolError('conflict', message, { details: { task_id, erased: true, erasure_id } });
}

function withheldRefusal(taskId: string, missing: MissingDependency): ProtocolError {
  const { kind, id } = missing;
  const message = `This Task cannot be replayed here: ${kind} ${id} was withheld from the bundle it came in. Ask for a local one.`;
  return new ProtocolError('conflict', message, { details: { task_id: taskId, missing: { kind, id } } });
}

async function tasksOf(log: EventLog, { sessionId, traceId }: SessionSource): Promise<string[]> {
  const list = tasksOfSession(log, sessionId);
  const found: string[] = [];
  let page = await idsIn(log, list, { limit: MAX_TASKS });
  while (page.length > 0) {
    for (const id of page) {
      const task = log.state<TaskState>(taskKeys.task(id));
      if (!task || task.internal.replay || !isTerminal(task.resource.status)) continue;
      if (traceId !== undefined && task.internal.trace_id !== traceId) continue;
      found.push(task.resource.id);
    }
    if (found.length > MAX_TASKS) throw tooMany();
    page = await idsIn(log, list, { gt: page.at(-1), limit: MAX_TASKS });
  }
  if (found.length === 0 && traceId !== undefined) throw notFound('ended Task of this trace', 'trace_id');
  return found;
}

function tooMany(): ProtocolError {
  const message = `The Session has more than ${MAX_TASKS} Tasks. Replay them one by one.`;
  return new ProtocolError('payload_too_large', message, { details: { limit: MAX_TASKS } });
}
