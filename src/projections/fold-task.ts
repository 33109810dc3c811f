import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ReplayTerms } from '../protocol/resources/replay.ts';
import type { Task } from '../protocol/resources/task.ts';
import { isBlocked, isTerminal, type TaskStatus } from '../protocol/task-states.ts';
import { foldQuotaUsage } from './fold-quota.ts';
import { foldReservations, workedAfter } from './fold-reservations.ts';
import { foldTaskCounts, type TaskCount } from './fold-session.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { SessionBindingState, SessionFold, TaskState } from './states.ts';

export function foldTaskSubmitted(event: Event, states: StateWriter): void {
  const {
    task,
    route,
    rules,
    skill_id,
    message_id,
    preceding,
    quota_ids,
    quota_reservations,
    persona,
    tier,
    replay,
  } = payload(event, 'task.submitted');
  const internal = {
    route,
    binding: null,
    cancel_requested: false,
    trace_id: event.trace_id,
    turn_message: message_id,
    preceding,
    transitions: 1,
    turns: 0,
    open_artifacts: [],
    open_requests: [],
    said: [],
    ...(quota_ids === undefined ? {} : { quotas: quota_ids }),
    ...(quota_reservations === undefined ? {} : { reservations: quota_reservations }),
    ...(rules === undefined ? {} : { rules }),
    ...(skill_id === undefined ? {} : { skill_id }),
    ...(persona === undefined ? {} : { persona }),
    ...(tier === undefined ? {} : { tier }),
    ...(replay === undefined ? {} : { replay }),
  };
  const resource = { ...task, input: states.said(event, task.input) };
  const state = { resource, internal } satisfies TaskState;
  states.set(stateKey.task(task.id), state);
  if (replay) countReplay(states, replay);
  states.index(listPrefix.tasksOfWorkspace(task.workspace_id) + task.id);
  states.index(listPrefix.openTasks() + task.id);
  foldTaskCounts(event, states, undefined, countOf(task.status));
  foldQuotaUsage(event, states, quota_ids, undefined, countOf(task.status));
  foldReservations(event, states, undefined, state);
}

/** The ids of a replay, and how long its source is kept, depend on how often that was replayed. */
function countReplay(states: StateWriter, { source_task_id, ordinal }: ReplayTerms): void {
  const key = stateKey.task(source_task_id);
  const source = states.get<TaskState>(key);
  if (!source) return;
  states.set(key, { ...source, internal: { ...source.internal, replays: ordinal } } satisfies TaskState);
}

/** Applies one lifecycle event; status, times, failure and outcome come from the event alone. */
export function foldTaskMoved(event: Event, states: StateWriter): void {
  const { status, previous_status, metadata, synthesized = false } = payload(event, 'task.started');
  const { cancel } = payload(event, 'task.canceled');
  const key = stateKey.task(event.resource.id);
  const before = states.get<TaskState>(key);
  changeTask(event, states, (task) => ({
    resource: {
      ...task.resource,
      status,
      ...timesOf(event, task.resource, status),
      ...endOf(event, status),
    },
    internal: {
      ...task.internal,
      ...workedAfter(event, task, status === 'WORKING'),
      ...(cancel === undefined ? {} : { cancel }),
      status_at: event.created_at,
      transitions: task.internal.transitions + 1,
      turns: task.internal.turns + Number(status === 'WORKING' && !synthesized),
    },
    metadata,
  }));
  if (isTerminal(status)) states.unindex(listPrefix.openTasks() + event.resource.id);
  foldTaskCounts(event, states, countOf(previous_status), countOf(status));
  foldQuotaUsage(event, states, before?.internal.quotas, countOf(previous_status), countOf(status));
  foldReservations(event, states, before, states.get<TaskState>(key));
}

export function foldInputSubmitted(event: Event, states: StateWriter): void {
  const { message_id, preceding = [] } = payload(event, 'user.input_submitted');
  changeTask(event, states, ({ resource, internal }) => ({
    resource,
    internal: { ...internal, turn_message: message_id, preceding },
  }));
}

export function foldCancelRequested(event: Event, states: StateWriter): void {
  changeTask(event, states, ({ resource, internal }) => ({
    resource,
    internal: { ...internal, cancel_requested: true },
  }));
}

export function foldUpstreamBound(event: Event, states: StateWriter): void {
  const { route, binding, session_binding } = payload(event, 'vendor.harn_gateway.upstream_bound');
  if (binding) {
    changeTask(event, states, ({ resource, internal }) => ({ resource, internal: { ...internal, binding } }));
  }
  if (session_binding && event.session_id) {
    const key = stateKey.sessionBinding(event.session_id, route);
    const epoch = states.get<SessionFold>(stateKey.session(event.session_id))?.internal.epoch ?? 0;
    states.set(key, { binding: session_binding, epoch } satisfies SessionBindingState);
  }
}

export function foldUpstreamNote(event: Event, states: StateWriter): void {
  const { metadata } = payload(event, 'vendor.harn_gateway.upstream_note');
  changeTask(event, states, (state) => ({ ...state, metadata }));
}

/** Keeps the list of artifacts that still take chunks; the terminal state closes them. */
export function foldOpenArtifact(event: Event, states: StateWriter, artifactId: string, open: boolean): void {
  changeTask(event, states, (state) => {
    const listed = state.internal.open_artifacts.includes(artifactId);
    if (listed === open) return state;
    const others = state.internal.open_artifacts.filter((id) => id !== artifactId);
    const open_artifacts = open ? [...others, artifactId] : others;
    return { ...state, internal: { ...state.internal, open_artifacts } };
  });
}

/** Keeps the list of permission requests that wait for an answer. */
export function foldOpenRequest(event: Event, states: StateWriter, requestId: string, open: boolean): void {
  changeTask(event, states, ({ resource, internal }) => {
    const others = internal.open_requests.filter((id) => id !== requestId);
    const open_requests = open ? [...others, requestId] : others;
    return { resource, internal: { ...internal, open_requests } };
  });
}

/** Changes the Task of an event, which moves its `updated_at`. */
export function changeTask(
  event: Event,
  states: StateWriter,
  next: (state: TaskState) => TaskState & { metadata?: Task['metadata'] | undefined },
): void {
  if (event.task_id === null) return;
  const key = stateKey.task(event.task_id);
  const state = states.get<TaskState>(key);
  if (!state) return;
  const { resource, internal, metadata } = next(state);
  if (resource === state.resource && internal === state.internal && !metadata) return;
  const merged = metadata ? mergeMetadata(resource.metadata, metadata) : resource.metadata;
  states.set(key, {
    resource: { ...resource, metadata: merged, updated_at: event.created_at },
    internal,
  } satisfies TaskState);
}

/** Members are merged, and so are the members of a protocol's own object, so that one patch never drops another's. */
export function mergeMetadata(before: Task['metadata'], patch: Task['metadata']): Task['metadata'] {
  const merged = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    const known = merged[name];
    merged[name] = isObject(known) && isObject(value) ? { ...known, ...value } : value;
  }
  return merged;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A CANCELED task has `canceled_at` and no `completed_at` (contract C4). */
function timesOf(event: Event, task: Task, status: TaskStatus): Partial<Task> {
  if (status === 'CANCELED') return { canceled_at: event.created_at };
  if (isTerminal(status)) return { completed_at: event.created_at };
  if (status === 'WORKING' && task.started_at === null) return { started_at: event.created_at };
  return {};
}

function endOf(event: Event, status: TaskStatus): Partial<Task> {
  if (status === 'FAILED') {
    const { outcome, failure } = payload(event, 'task.failed');
    return { outcome_id: outcome.id, failure };
  }
  if (!isTerminal(status)) return {};
  return { outcome_id: payload(event, 'task.completed').outcome.id };
}

function countOf(status: TaskStatus): TaskCount | undefined {
  if (isTerminal(status)) return undefined;
  if (isBlocked(status)) return 'blocked';
  return status === 'WORKING' ? 'working' : 'queued';
}
