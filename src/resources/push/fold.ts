import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { DeadLetter, PushConfig } from './schema.ts';
import { pushKeys } from './state.ts';

/** Where the events of one Task are posted, and how far that has come. */
export interface PushTargetsState {
  task_id: string;
  session_id: string;
  workspace_id: string;
  targets: PushTarget[];
}

export interface PushTarget {
  resource: PushConfig;
  /** Newest event that is delivered or given up. */
  through_event_id: string;
  /** The Task is over and all of it is delivered. */
  is_done: boolean;
}

export interface DeadLetterState {
  resource: DeadLetter;
}

export const folds: Folds = {
  'vendor.harn_gateway.push_config_set': [foldPushConfigSet],
  'vendor.harn_gateway.push_config_deleted': [foldPushConfigDeleted],
  'vendor.harn_gateway.push_delivered': [foldPushDelivered],
  'vendor.harn_gateway.delivery_given_up': [foldDeliveryGivenUp],
  'vendor.harn_gateway.dead_letter_changed': [foldDeadLetterChanged],
};

function foldPushConfigSet(event: Event, states: StateWriter): void {
  const {
    push_config,
    session_id,
    after_event_id,
    replaces,
    is_done = false,
  } = payload(event, 'vendor.harn_gateway.push_config_set');
  const { task_id } = push_config;
  const before = states.get<PushTargetsState>(pushKeys.pushTargets(task_id));
  const kept = (before?.targets ?? []).filter(({ resource }) => resource.id !== replaces);
  const target = { resource: push_config, through_event_id: after_event_id, is_done };
  const workspace_id = event.workspace_id ?? '';
  write(states, { task_id, session_id, workspace_id, targets: [...kept, target] });
}

function foldPushConfigDeleted(event: Event, states: StateWriter): void {
  const { task_id } = payload(event, 'vendor.harn_gateway.push_config_deleted');
  change(states, task_id, event.resource.id, () => undefined);
}

function foldPushDelivered(event: Event, states: StateWriter): void {
  const { task_id, through_event_id, is_last } = payload(event, 'vendor.harn_gateway.push_delivered');
  change(states, task_id, event.resource.id, (target) => ({ ...target, through_event_id, is_done: is_last }));
}

function foldDeliveryGivenUp(event: Event, states: StateWriter): void {
  const { dead_letter } = payload(event, 'vendor.harn_gateway.delivery_given_up');
  states.set(pushKeys.deadLetter(dead_letter.id), { resource: dead_letter } satisfies DeadLetterState);
  states.index(pushKeys.deadLetters(dead_letter.workspace_id) + dead_letter.id);
}

function foldDeadLetterChanged(event: Event, states: StateWriter): void {
  const changes = payload(event, 'vendor.harn_gateway.dead_letter_changed');
  const key = pushKeys.deadLetter(event.resource.id);
  const state = states.get<DeadLetterState>(key);
  if (!state) return;
  const { attempts = state.resource.attempts, reason = state.resource.reason, status } = changes;
  const tried = changes.attempts === undefined ? {} : { last_attempt_at: event.created_at };
  const resource = { ...state.resource, status, reason, attempts, ...tried, updated_at: event.created_at };
  states.set(key, { resource } satisfies DeadLetterState);
  if (status === 'retrying') states.index(pushKeys.retryingLetters + resource.id);
  else states.unindex(pushKeys.retryingLetters + resource.id);
}

function change(
  states: StateWriter,
  taskId: string,
  id: string,
  become: (target: PushTarget) => PushTarget | undefined,
): void {
  const state = states.get<PushTargetsState>(pushKeys.pushTargets(taskId));
  if (!state) return;
  const targets = state.targets.flatMap((target) =>
    target.resource.id === id ? (become(target) ?? []) : [target],
  );
  write(states, { ...state, targets });
}

/** A task is listed while something of it is still to be delivered. */
function write(states: StateWriter, state: PushTargetsState): void {
  states.set(pushKeys.pushTargets(state.task_id), state);
  const key = pushKeys.pushingTasks + state.task_id;
  if (state.targets.some(({ is_done }) => !is_done)) states.index(key);
  else states.unindex(key);
}
