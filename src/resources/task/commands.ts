import type { Command, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { moveTask } from './move-task.ts';
import { getTask, listSessionTasks, listTaskMaterials, listTasks } from './queries.ts';
import type { CleanTaskState } from './state.ts';
import { submitSessionTask, submitTask } from './submit-task.ts';

/**
 * Records the wish first. A working task is canceled after the upstream took note or a bounded wait; anything else at
 * once. Canceling a CANCELED task answers with it, canceling another ended task is a conflict; see README.md, Cancel.
 */
const cancelTask: Command<'cancelTask'> = {
  decide({ path, body }, tx, facts) {
    const task = load(tx, facts.caller, 'task', path.task_id);
    if (task.resource.status === 'CANCELED') return { body: task.resource };
    refuseEnded(task);
    requestCancel(tx, task, body?.reason ?? null);
    if (task.resource.status === 'WORKING') {
      return { effect: { kind: 'await_cancel', taskId: task.resource.id } };
    }
    moveTask(tx, facts, task.resource.id, 'CANCELED', reasonOf(body));
    tx.afterCommit(() => facts.runs.forwardCancel(path.task_id));
    return answer(path.task_id, tx, facts);
  },
  conclude({ path, body }, tx, facts, { cancelReport: cancel }) {
    const reported = cancel === undefined ? {} : { cancel: facts.redact(cancel).value };
    moveTask(tx, facts, path.task_id, 'CANCELED', { ...reasonOf(body), ...reported });
    tx.afterCommit(() => facts.runs.wake(path.task_id));
    return answer(path.task_id, tx, facts);
  },
};

function requestCancel(
  tx: Transaction,
  { resource, internal }: CleanTaskState,
  reason: CleanText | null,
): void {
  if (internal.cancel_requested) return;
  const pointer = { object: 'task', id: resource.id };
  tx.append(newEvent('user.cancel_requested', pointer, placeOfTask(resource), { reason }));
}

function answer(taskId: string, tx: Transaction, facts: Facts) {
  const task = load(tx, facts.caller, 'task', taskId);
  refuseEnded(task);
  return { body: task.resource };
}

function refuseEnded({ resource }: CleanTaskState): void {
  if (resource.status !== 'COMPLETED' && resource.status !== 'FAILED') return;
  throw new ProtocolError(
    'conflict',
    `The task has already ended as ${resource.status}; there is nothing to cancel.`,
    {
      details: { status: resource.status },
    },
  );
}

function reasonOf(body: { reason?: CleanText | null | undefined } | undefined): { reason?: CleanText } {
  return body?.reason ? { reason: body.reason } : {};
}

export const handlers = {
  cancelTask,
  submitSessionTask,
  submitTask,
  getTask,
  listSessionTasks,
  listTaskMaterials,
  listTasks,
} satisfies Partial<Handlers>;
