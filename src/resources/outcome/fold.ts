import type { StateWriter } from '#eventlog/event-log.ts';
import { isTerminal, OUTCOME_OF_STATUS } from '#protocol/task-states.ts';
import type { TaskState } from '#resources/task/state.ts';
import type { Outcome } from './schema.ts';
import { type OutcomeState, outcomeKeys } from './state.ts';

/** A Task that ends keeps what its Outcome says; the state of the Outcome only leads to it. `task` is changed in place. */
export function foldOutcome(
  { resource, internal }: TaskState,
  outcome: Pick<Outcome, 'id' | 'summary'>,
  states: StateWriter,
): void {
  const { last_text = '' } = internal;
  if (last_text === outcome.summary) delete internal.last_text;
  else internal.last_text = last_text;
  internal.summary = outcome.summary;
  const place = outcomeKeys.outcome(resource.workspace_id, outcome.id);
  states.set(place, { task_id: resource.id } satisfies OutcomeState);
}

/**
 * The Outcome of a Task, without the Messages and Artifacts: a read fills them in from the lists of the Task, which cannot
 * change any more. Undefined for a Task that has not ended.
 */
export function outcomeOf({ resource: task, internal }: TaskState): Outcome | undefined {
  const endedAt = task.completed_at ?? task.canceled_at;
  if (task.outcome_id === null || endedAt === null || !isTerminal(task.status)) return undefined;
  return {
    id: task.outcome_id,
    object: 'outcome',
    created_at: endedAt,
    updated_at: endedAt,
    metadata: {},
    workspace_id: task.workspace_id,
    session_id: task.session_id,
    task_id: task.id,
    status: OUTCOME_OF_STATUS[task.status],
    summary: internal.summary ?? '',
    messages: [],
    artifacts: [],
    handoffs: [],
    receipt_id: task.receipt_id,
    failure: task.failure,
    cost: {},
    metrics: {},
  };
}
