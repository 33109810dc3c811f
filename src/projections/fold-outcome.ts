import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { isTerminal, OUTCOME_OF_STATUS } from '../protocol/task-states.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { OutcomeState, TaskState } from './states.ts';

/**
 * Makes the Outcome of a terminal event. Messages and artifacts are not copied: a read fills them in from the lists of
 * the task, which cannot change any more.
 */
export function foldOutcome(event: Event, states: StateWriter): void {
  const { status, outcome } = payload(event, 'task.completed');
  const task = states.get<TaskState>(stateKey.task(event.resource.id))?.resource;
  if (!task || !isTerminal(status)) return;
  const state: OutcomeState = {
    resource: {
      id: outcome.id,
      object: 'outcome',
      created_at: event.created_at,
      updated_at: event.created_at,
      metadata: {},
      workspace_id: task.workspace_id,
      session_id: task.session_id,
      task_id: task.id,
      status: OUTCOME_OF_STATUS[status],
      summary: outcome.summary,
      messages: [],
      artifacts: [],
      handoffs: [],
      receipt_id: null,
      failure: task.failure,
      cost: {},
      metrics: {},
    },
    internal: {},
  };
  states.set(stateKey.outcome(outcome.id), state);
  states.index(listPrefix.outcomesOfWorkspace(task.workspace_id) + outcome.id);
}
