import type { DecisionTools } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { RULES } from '#policy/rules.ts';
import { type Clean, sentence, word } from '#protocol/clean.ts';
import { type Failure, isTerminal } from '#protocol/task-states.ts';
import { moveTask } from '#resources/task/move-task.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { ceilingOf, costOf, isCostUnknown } from './fold.ts';

type Place = Pick<Task, 'session_id' | 'workspace_id'>;

/** Whether another turn of an agent may not begin in a Session: what it has cost is known, and no less than the ceiling. */
export function isAtCeiling(reader: StateReader, { session_id, workspace_id }: Place): boolean {
  const ceiling = ceilingOf(reader, workspace_id);
  const cost = ceiling === undefined ? undefined : costOf(reader, session_id);
  return ceiling !== undefined && cost !== undefined && cost > 0 && cost >= ceiling;
}

/** Whether what an agent has just reported leads beyond the ceiling of its Session. */
export function isBeyondCeiling(reader: StateReader, { session_id, workspace_id }: Place): boolean {
  const ceiling = ceilingOf(reader, workspace_id);
  return ceiling !== undefined && (costOf(reader, session_id) ?? 0) > ceiling;
}

/** Ends a task whose agent has cost more than its Session may. Returns false where there is nothing to end. */
export function endBeyondCeiling(tx: Transaction, tools: DecisionTools, taskId: string): boolean {
  const task = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (task === undefined || isTerminal(task.resource.status)) return false;
  const { session_id, workspace_id } = task.resource;
  const ceiling = ceilingOf(tx, workspace_id);
  const cost = costOf(tx, session_id);
  if (ceiling === undefined || cost === undefined || cost <= ceiling) return false;
  const { rule } = RULES['policy.cost_ceiling'];
  const failure: Clean<Failure> = {
    code: word('policy_violation'),
    type: word('permission_error'),
    message: sentence`The runs of the session have cost ${cost} US cents, and the permission policy lets them cost ${ceiling}. The agent was told to stop.`,
    details: { rule, cost_usd_cents: cost, cost_ceiling_usd_cents: ceiling },
  };
  return moveTask(tx, tools, taskId, 'FAILED', { failure });
}

/** Says that a ceiling holds nothing where no agent of the Session has said what it costs, once for each task. */
export function noteUnknownCost(tx: Transaction, { resource }: CleanTaskState): void {
  const ceiling = ceilingOf(tx, resource.workspace_id);
  if (ceiling === undefined || !isCostUnknown(tx, resource)) return;
  const pointer = { object: 'task', id: resource.id };
  const payload = { note: word('cost_unknown'), details: { cost_ceiling_usd_cents: ceiling } };
  tx.append(newEvent('vendor.harn_gateway.upstream_note', pointer, placeOfTask(resource), payload));
}
