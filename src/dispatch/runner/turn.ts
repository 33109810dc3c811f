import type { StateReader } from '../../eventlog/event-log.ts';
import type {
  PermissionRequestState,
  SessionFold,
  TaskState,
  UpstreamRequestState,
} from '../../projections/read-states.ts';
import { sessionBinding } from '../../projections/session-binding.ts';
import { stateKey } from '../../projections/state-keys.ts';
import { isTerminal } from '../../protocol/task-states.ts';
import type { PermissionAnswer, Turn } from '../../upstream.ts';
import type { TurnSpan } from '../move-task.ts';
import { recall } from '../remembered-permission.ts';
import { judgeAction } from './judge-action.ts';
import { outboundMessage } from './outbound.ts';
import { historyBefore } from './past-turns.ts';
import { bindingOf, metadataSaid, tasksBoundTo, tasksForked } from './related-tasks.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** The next turn of a task, with the message it sends. */
export function turnOf(
  deps: RunnerDeps,
  task: TaskState,
  kind: Turn['kind'],
  messages: readonly string[],
  span: TurnSpan,
): Turn {
  const base = { kind, ...turnBase(deps, task, span) };
  if (kind === 'reattach') return base;
  const sources = {
    get: deps.log.state.bind(deps.log),
    record: deps.log.record.bind(deps.log),
    openInput: deps.openInput,
  };
  return { message: outboundMessage(sources, messages), ...base };
}

/** What every request to the upstream about this task says. */
export function turnBase(
  deps: RunnerDeps,
  { resource, internal }: TaskState,
  span: TurnSpan,
): Omit<Turn, 'kind'> {
  const reader = { get: deps.log.state.bind(deps.log) };
  const trace = internal.trace_id === null ? {} : { traceparent: `00-${internal.trace_id}-${span.id}-01` };
  return {
    taskId: resource.id,
    sessionId: resource.session_id,
    actor: resource.created_by,
    ...(internal.skill_id === undefined ? {} : { skillId: internal.skill_id }),
    binding: internal.binding ?? undefined,
    sessionBinding: sessionBinding(reader, resource.session_id, internal.route),
    bindingOf: (taskId) => bindingOf(reader, { resource, internal }, taskId),
    tasksBoundTo: (ids) => tasksBoundTo(deps.log, reader, { resource, internal }, ids),
    metadataSaid: () => metadataSaid(reader, { resource, internal }),
    tasksForked: () => tasksForked(reader, { resource, internal }),
    sessionMetadata: reader.get<SessionFold>(stateKey.session(resource.session_id))?.resource.metadata ?? {},
    judge: (action) => judgeAction(deps, reader, { resource, internal }, action),
    recall: (subject) => recall(deps.tools, reader, { resource, internal }, subject),
    history: () => historyBefore(reader, { resource, internal }),
    answerTo: (upstreamId) => answerTo(reader, resource.id, upstreamId),
    isCanceled: () => isCanceled(reader, resource.id),
    ...trace,
  };
}

function answerTo(reader: StateReader, taskId: string, upstreamId: string): PermissionAnswer | undefined {
  const known = reader.get<UpstreamRequestState>(stateKey.upstreamRequest(taskId, upstreamId));
  const request = known && reader.get<PermissionRequestState>(stateKey.permissionRequest(known.request_id));
  const response = request?.resource.response;
  if (!response) return undefined;
  const { approved, option_id: optionId, answer, reason } = response;
  return { upstreamId, approved, optionId, reason, ...(answer === null ? {} : { answer }) };
}

function isCanceled(reader: StateReader, taskId: string): boolean {
  const task = reader.get<TaskState>(stateKey.task(taskId));
  return task === undefined || task.internal.cancel_requested || isTerminal(task.resource.status);
}
