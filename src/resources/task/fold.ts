import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { isObject } from '#protocol/json-shape.ts';
import { MODEL_POLICY_NOTE } from '#protocol/model-policy.ts';
import type { TaskStatus } from '#protocol/task-states.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { foldOutcome } from '#resources/outcome/fold.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { foldCost } from '#resources/permission-rule/fold.ts';
import {
  beforeChange,
  foldQuotaUsage,
  foldReservations,
  foldUsage,
  workedAfter,
} from '#resources/quota/fold.ts';
import type { ReplayTerms } from '#resources/replay/schema.ts';
import { foldTaskCounts, type TaskCount } from '#resources/session/fold.ts';
import { type SessionBindingState, type SessionFold, sessionKeys } from '#resources/session/state.ts';
import {
  foldFileWritten,
  foldModelPolicy,
  foldPolicyDecided,
  foldToolCompleted,
  foldToolFailed,
  foldToolRequested,
} from './fold-run.ts';
import type { Task } from './schema.ts';
import { type TaskState, taskKeys } from './state.ts';

export const folds: Folds = {
  'user.input_submitted': [foldInputSubmitted],
  'user.cancel_requested': [foldCancelRequested],
  'task.submitted': [foldTaskSubmitted],
  'task.started': [foldTaskMoved],
  'task.status_changed': [foldTaskMoved],
  'task.input_required': [foldTaskMoved],
  'task.auth_required': [foldTaskMoved],
  'task.completed': [foldTaskMoved],
  'task.failed': [foldTaskMoved],
  'task.canceled': [foldTaskMoved],
  'tool.requested': [foldToolRequested],
  'tool.completed': [foldToolCompleted],
  'tool.failed': [foldToolFailed],
  'vendor.harn_gateway.file_written': [foldFileWritten],
  'vendor.harn_gateway.upstream_bound': [foldUpstreamBound],
  'vendor.harn_gateway.policy_decided': [foldPolicyDecided],
  'vendor.harn_gateway.task_moved': [foldTaskMovedAway],
  'vendor.harn_gateway.upstream_note': [foldUpstreamNote, foldUsage, foldCost],
};

function foldTaskSubmitted(event: Event, states: StateWriter): void {
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
    unsampled,
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
    ...(unsampled === undefined ? {} : { unsampled }),
  };
  const resource = { ...task, input: states.said(event, task.input) };
  const state = { resource, internal } satisfies TaskState;
  states.set(taskKeys.task(task.id), state);
  if (replay) countReplay(states, replay);
  states.index(taskKeys.tasksOfWorkspace(task.workspace_id) + task.id);
  states.index(taskKeys.openTasks + task.id);
  const count = COUNTED_AS[task.status];
  foldTaskCounts(event, states, undefined, count);
  if (quota_ids !== undefined) foldQuotaUsage(event, states, quota_ids, undefined, count);
  if (quota_reservations !== undefined) foldReservations(event, states, undefined, state);
}

/** What a Task counts as in its Session and its quotas; undefined once it has ended. */
const COUNTED_AS = {
  SUBMITTED: 'queued',
  WORKING: 'working',
  INPUT_REQUIRED: 'blocked',
  AUTH_REQUIRED: 'blocked',
  COMPLETED: undefined,
  FAILED: undefined,
  CANCELED: undefined,
} as const satisfies Record<TaskStatus, TaskCount | undefined>;

/** The ids of a replay, and how long its source is kept, depend on how often that was replayed. */
function countReplay(states: StateWriter, { source_task_id, ordinal }: ReplayTerms): void {
  const key = taskKeys.task(source_task_id);
  const source = states.draft<TaskState>(key);
  if (source) source.internal.replays = ordinal;
}

type Move = PayloadOf<'task.started'> & Partial<Pick<PayloadOf<'task.canceled'>, 'cancel'>>;

/** Applies one lifecycle event; status, times, failure and outcome come from the event alone. */
function foldTaskMoved(event: Event, states: StateWriter): void {
  const { status, previous_status, metadata, synthesized = false, cancel } = event.payload as unknown as Move;
  const [was, now] = [COUNTED_AS[previous_status], COUNTED_AS[status]];
  const task = states.draft<TaskState>(taskKeys.task(event.resource.id));
  const { quotas, reservations } = task?.internal ?? {};
  const before = reservations && beforeChange(task);
  if (task !== undefined) {
    const { resource, internal } = task;
    if (reservations) Object.assign(internal, workedAfter(event, task, status === 'WORKING'));
    if (cancel !== undefined) internal.cancel = cancel;
    internal.status_at = event.created_at;
    internal.transitions += 1;
    internal.turns += Number(status === 'WORKING' && !synthesized);
    if (status === 'WORKING') resource.started_at ??= event.created_at;
    if (now === undefined) endTask(event, task, states);
    resource.status = status;
    if (metadata) resource.metadata = mergeMetadata(resource.metadata, metadata);
    resource.updated_at = event.created_at;
  }
  if (now === undefined) states.unindex(taskKeys.openTasks + event.resource.id);
  foldTaskCounts(event, states, was, now);
  if (quotas) foldQuotaUsage(event, states, quotas, was, now);
  if (reservations) foldReservations(event, states, before, task);
}

/** A CANCELED task has `canceled_at` and no `completed_at`; see README.md, Cancel. */
function endTask(event: Event, task: TaskState, states: StateWriter): void {
  const { status, outcome } = payload(event, 'task.completed');
  const { resource } = task;
  if (status === 'CANCELED') resource.canceled_at = event.created_at;
  else resource.completed_at = event.created_at;
  if (status === 'FAILED') resource.failure = payload(event, 'task.failed').failure;
  resource.outcome_id = outcome.id;
  foldOutcome(task, outcome, states);
}

function foldInputSubmitted(event: Event, states: StateWriter): void {
  const { message_id, preceding = [] } = payload(event, 'user.input_submitted');
  changeTask(event, states, ({ internal }) => {
    internal.turn_message = message_id;
    internal.preceding = preceding;
  });
}

function foldCancelRequested(event: Event, states: StateWriter): void {
  changeTask(event, states, ({ internal }) => {
    internal.cancel_requested = true;
  });
}

function foldUpstreamBound(event: Event, states: StateWriter): void {
  const { route, binding, session_binding } = payload(event, 'vendor.harn_gateway.upstream_bound');
  if (binding) {
    changeTask(event, states, ({ internal }) => {
      internal.binding = binding;
    });
  }
  if (session_binding && event.session_id) {
    const key = sessionKeys.sessionBinding(event.session_id, route);
    const epoch = states.get<SessionFold>(sessionKeys.session(event.session_id))?.internal.epoch ?? 0;
    states.set(key, { binding: session_binding, epoch } satisfies SessionBindingState);
  }
}

function foldTaskMovedAway(event: Event, states: StateWriter): void {
  const { from, to } = payload(event, 'vendor.harn_gateway.task_moved');
  changeTask(event, states, ({ resource, internal }) => {
    internal.route = to;
    internal.moved_from = from;
    resource.assigned_agent_id = to;
  });
}

function foldUpstreamNote(event: Event, states: StateWriter): void {
  const { note, details, metadata } = payload(event, 'vendor.harn_gateway.upstream_note');
  if (note === MODEL_POLICY_NOTE) foldModelPolicy(event, states, details ?? {});
  if (metadata) changeTask(event, states, () => undefined, metadata);
}

/** Keeps the list of artifacts that still take chunks; the terminal state closes them. */
export function foldOpenArtifact(event: Event, states: StateWriter, artifactId: string, open: boolean): void {
  if (event.task_id === null) return;
  const known = states.get<TaskState>(taskKeys.task(event.task_id))?.internal.open_artifacts;
  if (known?.includes(artifactId) === open) return;
  changeTask(event, states, ({ internal }) => {
    const others = internal.open_artifacts.filter((id) => id !== artifactId);
    internal.open_artifacts = open ? [...others, artifactId] : others;
  });
}

/** Keeps the list of permission requests that wait for an answer. */
export function foldOpenRequest(event: Event, states: StateWriter, requestId: string, open: boolean): void {
  changeTask(event, states, ({ internal }) => {
    const others = internal.open_requests.filter((id) => id !== requestId);
    internal.open_requests = open ? [...others, requestId] : others;
  });
}

/** Changes the Task of an event in place, which moves its `updated_at`. Undefined where it is not here. */
function changeTask(
  event: Event,
  states: StateWriter,
  change: (state: TaskState) => void,
  metadata?: Task['metadata'],
): TaskState | undefined {
  if (event.task_id === null) return undefined;
  const state = states.draft<TaskState>(taskKeys.task(event.task_id));
  if (!state) return undefined;
  change(state);
  const { resource } = state;
  if (metadata) resource.metadata = mergeMetadata(resource.metadata, metadata);
  resource.updated_at = event.created_at;
  return state;
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
