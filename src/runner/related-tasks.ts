import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { saidUnder } from '#resources/message/said-messages.ts';
import type { Message } from '#resources/message/schema.ts';
import type { SessionFold, TaskState } from '#resources/read-states.ts';
import { messageAt } from '#resources/session/transcript/archive-turns.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';
import { keysUnder, lastSegment } from '#store/keys.ts';

/** Newest Tasks of a Workspace among which those of an agent are looked for. */
const MAX_SCANNED = 10_000;
/** Keys read at once; others get their turn in between. */
const READ_AT_ONCE = 200;
/** Newest turns of a Session that are looked through for what its agent said. */
const MAX_TURNS = 200;
/** Tasks of its source that a fork names to its agent; the newest say what went before. */
const MAX_FORKED = 20;

/**
 * What another Task bound. A reference of a caller leads to no Task that it could not see, and so to no other caller's at the
 * same agent; what another gateway's Task bound was named by whoever imported it.
 */
export function bindingOf(reader: StateReader, task: TaskState, taskId: string): JsonObject | undefined {
  const other = reader.get<TaskState>(stateKey.task(taskId));
  return isRelated(task, other) ? (other.internal.binding ?? undefined) : undefined;
}

/** The newest Task that each of the agent's ids stands for; a replay only repeats what its source bound. */
export async function tasksBoundTo(
  log: Pick<EventLog, 'indexKeys'>,
  reader: StateReader,
  task: TaskState,
  remoteIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(remoteIds);
  const found = new Map<string, string>();
  const { gte, lt } = keysUnder(listPrefix.tasksOfWorkspace(task.resource.workspace_id));
  let before = lt;
  for (
    let scanned = 0, size = READ_AT_ONCE;
    size === READ_AT_ONCE && scanned < MAX_SCANNED;
    scanned += size
  ) {
    const keys = await log.indexKeys({ gte, lt: before, reverse: true, limit: READ_AT_ONCE });
    for (const key of keys) {
      const other = reader.get<TaskState>(stateKey.task(lastSegment(key)));
      const remote = isRelated(task, other) && !other.internal.replay && other.internal.binding?.['task_id'];
      if (typeof remote === 'string' && wanted.delete(remote)) found.set(remote, lastSegment(key));
    }
    if (wanted.size === 0) break;
    size = keys.length;
    before = keys.at(-1) ?? gte;
  }
  return found;
}

function isRelated({ resource, internal }: TaskState, other: TaskState | undefined): other is TaskState {
  if (other?.internal.route !== internal.route || other.internal.imported) return false;
  return other.resource.workspace_id === resource.workspace_id;
}

/** Metadata of what agents said in the Session. A message that only looks like an agent's does not count. */
export function metadataSaid(reader: StateReader, { resource }: TaskState): JsonObject[] {
  const session = reader.get<SessionFold>(stateKey.session(resource.session_id));
  if (session === undefined || session.internal.imported) return [];
  return newestTurns(reader, session).flatMap((message) =>
    isOfAgent(reader, message) ? [message.metadata] : [],
  );
}

/** Tasks of the source of a fork, as far as their turns came along, newest first. */
export function tasksForked(reader: StateReader, { resource }: TaskState): string[] {
  const session = reader.get<SessionFold>(stateKey.session(resource.session_id));
  if (!session?.resource.parent_session_id) return [];
  const tasks = newestTurns(reader, session).flatMap(({ session_id, task_id }) =>
    task_id !== null && session_id !== resource.session_id ? [task_id] : [],
  );
  return [...new Set(tasks)].slice(0, MAX_FORKED);
}

function newestTurns(reader: StateReader, session: SessionFold): Message[] {
  const { messages: count } = session.internal;
  const turns = Array.from({ length: Math.min(count, MAX_TURNS) }, (_, at) =>
    messageAt(reader, session, count - 1 - at),
  );
  return turns.filter((message) => message !== undefined);
}

function isOfAgent(reader: StateReader, { id, task_id, metadata }: Message): boolean {
  const { upstream_message_id: upstreamId } = metadata;
  if (task_id === null || typeof upstreamId !== 'string') return false;
  const task = reader.get<TaskState>(stateKey.task(task_id));
  return task !== undefined && saidUnder(reader, task, upstreamId) === id;
}
